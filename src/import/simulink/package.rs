//! The parts of a file: of an archive (.slx), or of a package written as text (.mdl since R2021b).

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use zip::ZipArchive;

use super::super::error::ImportError;

/// The maximum size of all parts together, unpacked, in bytes, and of one part.
const MAX_UNPACKED: u64 = 256 << 20;
const MAX_PART: u64 = 64 << 20;
const MAX_PARTS: usize = 10_000;
/// A part that unpacks to more than this multiple of its size is refused, unless it is small.
const MAX_RATIO: u64 = 1000;
const SMALL: u64 = 1 << 20;

const ARCHIVE: &[u8] = b"PK\x03\x04";
const TEXT_PACKAGE: &str = "__MWOPC_PACKAGE_BEGIN__";
const TEXT_PART: &str = "__MWOPC_PART_BEGIN__";
const TEXT_END: &str = "__MWOPC_PACKAGE_END__";

/// The parts that a model needs, by path.
#[derive(Debug, Default)]
pub struct Package {
    parts: BTreeMap<String, Vec<u8>>,
}

/// Whether bytes begin as an archive or a text package of Simulink; the content of an archive is not looked at.
pub fn is_package(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(4096)).unwrap_or_default();
    if head.starts_with(ARCHIVE) {
        return contains(bytes, b"simulink/blockdiagram.xml");
    }
    contains(head, TEXT_PACKAGE.as_bytes()) || contains(head, b"# MathWorks OPC Text Package")
}

pub fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

impl Package {
    /// Reads the parts; none if the bytes are neither an archive nor a text package.
    pub fn open(bytes: &[u8]) -> Result<Option<Package>, ImportError> {
        let head = String::from_utf8_lossy(bytes.get(..bytes.len().min(4096)).unwrap_or_default()).into_owned();
        if head.starts_with("version https://git-lfs") {
            return Err(ImportError::LfsPointer);
        }
        if head.lines().any(|line| line.starts_with("<<<<<<< ")) {
            return Err(ImportError::Conflict);
        }
        if bytes.is_empty() {
            return Err(ImportError::NoModel("the file is empty"));
        }
        if bytes.starts_with(ARCHIVE) || bytes.starts_with(b"PK\x05\x06") {
            return Package::of_archive(bytes).map(Some);
        }
        if head.contains(TEXT_PACKAGE) || head.starts_with("# MathWorks OPC Text Package") {
            return Package::of_text(&String::from_utf8_lossy(bytes)).map(Some);
        }
        Ok(None)
    }

    fn of_archive(bytes: &[u8]) -> Result<Package, ImportError> {
        Ok(Package { parts: unpack(bytes, &is_needed)? })
    }

    fn of_text(text: &str) -> Result<Package, ImportError> {
        let mut package = Package::default();
        let mut open: Option<(String, bool, String)> = None;
        for line in text.split_inclusive('\n') {
            let bare = line.trim_end();
            if let Some(head) = bare.strip_prefix(TEXT_PART) {
                package.close(open.take())?;
                let mut words = head.split_whitespace();
                let name = words.next().unwrap_or_default().trim_start_matches('/').to_owned();
                open = Some((name, words.next() == Some("BASE64"), String::new()));
            } else if bare.starts_with(TEXT_END) {
                break;
            } else if let Some((_, _, content)) = &mut open {
                content.push_str(line);
            }
        }
        package.close(open)?;
        Ok(package)
    }

    /// Adds a part of a text package. Parts in base 64 hold pictures and arrays, of which none is needed.
    fn close(&mut self, part: Option<(String, bool, String)>) -> Result<(), ImportError> {
        let Some((name, is_base64, content)) = part else { return Ok(()) };
        if self.parts.len() > MAX_PARTS {
            return Err(ImportError::Refused(format!("it has more than {MAX_PARTS} parts")));
        }
        if !is_base64 && is_needed(&name) && self.parts.insert(name.clone(), content.into_bytes()).is_some() {
            return Err(ImportError::Refused(format!("it has the part {name} twice")));
        }
        Ok(())
    }

    /// The text of a part, if there is one.
    pub fn text(&self, name: &str) -> Option<String> {
        self.parts.get(name).map(|bytes| decoded_xml(bytes))
    }

    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.parts.get(name).map(Vec::as_slice)
    }

    /// The names of the parts in a folder, sorted.
    pub fn names<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        self.parts.keys().map(String::as_str).filter(move |name| name.starts_with(folder))
    }
}

/// Unpacks the parts of an archive that are needed, within the limits.
///
/// # Errors
/// If the archive is damaged, encrypted, too large, or has a part twice.
pub fn unpack(bytes: &[u8], is_needed: &dyn Fn(&str) -> bool) -> Result<BTreeMap<String, Vec<u8>>, ImportError> {
    let damaged = |error: zip::result::ZipError| ImportError::Archive(error.to_string());
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    if zip.len() > MAX_PARTS {
        return Err(ImportError::Refused(format!("it has {} parts, more than {MAX_PARTS}", zip.len())));
    }
    let (mut parts, mut left) = (BTreeMap::new(), MAX_UNPACKED);
    for index in 0..zip.len() {
        let entry = zip.by_index_raw(index).map_err(damaged)?;
        let name = entry.name().to_owned();
        if entry.is_dir() || !is_needed(&name) {
            continue;
        }
        if entry.encrypted() {
            return Err(ImportError::Refused(format!(
                "the part {name} is encrypted; save the model without a password"
            )));
        }
        if name.starts_with('/') || name.split(['/', '\\']).any(|part| part == "..") {
            return Err(ImportError::Refused(format!("the part {name} leads out of the archive")));
        }
        let packed = entry.compressed_size();
        drop(entry);
        let entry = zip.by_index(index).map_err(damaged)?;
        let limit = MAX_PART.min(left).min((packed.saturating_mul(MAX_RATIO)).max(SMALL));
        let mut content = Vec::new();
        // The size in the archive's directory may be a lie.
        let read = entry.take(limit + 1).read_to_end(&mut content);
        read.map_err(|error| ImportError::Archive(format!("{name}: {error}")))?;
        if content.len() as u64 > limit {
            return Err(ImportError::Refused(format!("the part {name} unpacks to more than {} MB", limit >> 20)));
        }
        left -= content.len() as u64;
        if parts.insert(name.clone(), content).is_some() {
            return Err(ImportError::Refused(format!("it has the part {name} twice")));
        }
    }
    Ok(parts)
}

/// The text of an XML part: UTF-8, or UTF-16 with its mark.
pub fn decoded_xml(bytes: &[u8]) -> String {
    let wide = |order: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| order([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).into_owned(),
    }
}

/// Whether a part matters for the model; pictures and caches do not.
fn is_needed(name: &str) -> bool {
    let is_xml = name.starts_with("simulink/") && name.ends_with(".xml");
    is_xml || name.starts_with("metadata/mwcore") || name == "simulink/modelWorkspace.mxarray"
}
