//! The kind of a file: by its first bytes if they identify it, otherwise by its extension.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use super::Formats;

/// The kinds of files that this program writes, and all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Simulation,
    Csv,
    Parquet,
    Npz,
    Mat,
    /// The state of a run.
    Checkpoint,
    /// A recorded run of the window.
    Run,
    /// The finished runs of an interrupted sweep.
    SweepJournal,
    Fmu,
    Svg,
    Pdf,
    Png,
    Html,
    JUnit,
    /// A kind of file that this program does not write.
    Other,
}

/// A kind with its name in messages, its extensions, and whether a file begins as one of this kind.
struct Row {
    kind: FileKind,
    name: &'static str,
    extensions: &'static [&'static str],
    is_begin_of: fn(&[u8]) -> bool,
}

/// The first match counts. Simulations are recognized by their formats.
const ROWS: &[Row] = &[
    row(FileKind::Checkpoint, "a checkpoint", &[], |head| head.starts_with(b"SIMXCTX")),
    row(FileKind::Run, "a recorded run (.simrun)", &["simrun"], |head| head.starts_with(b"SIMXRUN")),
    row(FileKind::SweepJournal, "the journal of a sweep", &[], |head| head.starts_with(b"SIMSWP")),
    row(FileKind::Parquet, "a table (.parquet)", &["parquet"], |head| head.starts_with(b"PAR1")),
    row(FileKind::Mat, "arrays (.mat)", &["mat"], |head| head.starts_with(b"MATLAB ")),
    row(FileKind::Npz, "arrays (.npz)", &["npz"], |head| {
        first_in_archive(head).is_some_and(|name| name.ends_with(b".npy"))
    }),
    row(FileKind::Fmu, "an FMU", &["fmu"], |head| head.starts_with(ARCHIVE) && contains(head, b"modelDescription.xml")),
    row(FileKind::Pdf, "a PDF", &["pdf"], |head| head.starts_with(b"%PDF")),
    row(FileKind::Png, "a picture (.png)", &["png"], |head| head.starts_with(b"\x89PNG")),
    row(FileKind::JUnit, "a JUnit report", &[], |head| is_xml(head) && contains(head, b"<testsuite")),
    // Before pictures, which it contains.
    row(FileKind::Html, "a web page", &["html", "htm"], |head| is_xml(head) && contains(head, b"<html")),
    row(FileKind::Svg, "a picture (.svg)", &["svg"], |head| is_xml(head) && contains(head, b"<svg")),
    row(FileKind::Csv, "a table (.csv)", &["csv"], is_table),
];

const fn row(
    kind: FileKind,
    name: &'static str,
    extensions: &'static [&'static str],
    is_begin_of: fn(&[u8]) -> bool,
) -> Row {
    Row { kind, name, extensions, is_begin_of }
}

/// The number of bytes that identify a kind.
const HEAD: u64 = 1 << 16;

/// The first bytes of archives: of FMUs, of .npz, and of many files of others.
const ARCHIVE: &[u8] = b"PK\x03\x04";

impl FileKind {
    /// Returns the kind with its article, for messages.
    pub fn text(self) -> &'static str {
        match (self, ROWS.iter().find(|row| row.kind == self)) {
            (FileKind::Simulation, _) => "a simulation",
            (_, Some(row)) => row.name,
            (_, None) => "a file of another kind",
        }
    }

    /// Returns the kind that the extension of an output determines, ignoring case.
    pub fn of_extension(path: &Path) -> Option<FileKind> {
        let extension = path.extension()?.to_str()?.to_lowercase();
        ROWS.iter().find(|row| row.extensions.contains(&&*extension)).map(|row| row.kind)
    }

    /// Returns the kind of an existing file; `None` if it is empty or not a regular file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of_file(path: &Path, formats: &Formats) -> io::Result<Option<FileKind>> {
        // Opening a pipe may block.
        if !fs::metadata(path)?.is_file() {
            return Ok(None);
        }
        let mut head = Vec::new();
        File::open(path)?.take(HEAD).read_to_end(&mut head)?;
        Ok((!head.is_empty()).then(|| FileKind::of_head(path, &head, formats)))
    }

    /// Returns the kind of a file with this path that begins with these bytes.
    fn of_head(path: &Path, head: &[u8], formats: &Formats) -> FileKind {
        if let Some(row) = ROWS.iter().find(|row| (row.is_begin_of)(head)) {
            return row.kind;
        }
        // Any XML is read as a simulation with errors, and so is any JSON.
        let is_simulation = match head.trim_ascii_start().first() {
            Some(b'{') => contains(head, b"\"simulation\""),
            _ if is_xml(head) => contains(head, b"<simulation"),
            _ => formats.iter().any(|loader| loader.recognizes(head)),
        };
        if is_simulation {
            return FileKind::Simulation;
        }
        if let Some(kind) = FileKind::of_extension(path) {
            let is_text = [FileKind::Csv, FileKind::Svg, FileKind::Html].contains(&kind);
            return if is_text && head.contains(&0) { FileKind::Other } else { kind };
        }
        // The extension of JSON says nothing about the content.
        let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        if formats.of_path(path).is_some() && !(is_json && head.trim_ascii_start().starts_with(b"{")) {
            return FileKind::Simulation;
        }
        FileKind::Other
    }
}

fn contains(head: &[u8], part: &[u8]) -> bool {
    head.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part))
}

fn is_xml(head: &[u8]) -> bool {
    head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start().starts_with(b"<")
}

/// Returns the name of an archive's first file.
fn first_in_archive(head: &[u8]) -> Option<&[u8]> {
    let rest = head.strip_prefix(ARCHIVE)?;
    let (low, high) = (*rest.get(22)?, *rest.get(23)?);
    rest.get(26..26 + usize::from(u16::from_le_bytes([low, high])))
}

/// Returns whether a text begins as the tables of this program do; tables of others are known by their extension.
fn is_table(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').skip_while(|line| line.starts_with(b"# {"));
    let first = lines.next().unwrap_or_default();
    [&b"step,"[..], b"run,", b"frequency,re,im,", b"frequency,phase,decibels,", b"gain,re1,im1"]
        .iter()
        .any(|begin| first.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_tells_more_than_the_extension() {
        let kind = |name: &str, content: &[u8]| FileKind::of_head(Path::new(name), content, &Formats::standard());
        let simulation = b"<?xml version=\"1.0\"?>\n<!-- a -->\n<simulation root=\"M\">";
        for name in ["a.simx", "a.csv", "a.fmu", "a.xml", "a"] {
            assert_eq!(kind(name, simulation), FileKind::Simulation, "{name}");
        }
        assert_eq!(kind("a.csv", b"SIMB...."), FileKind::Simulation);
        assert_eq!(kind("a.json", b"{\"simulate\":1,\"simulation\":{}}"), FileKind::Simulation);
        assert_eq!(kind("package.json", b"{\"name\":\"x\"}"), FileKind::Other);
        assert_eq!(kind("pom.xml", b"<project/>"), FileKind::Other);
        assert_eq!(kind("a.txt", b"# {\"version\":1}\nstep,time,y\n"), FileKind::Csv);
        assert_eq!(kind("a.txt", b"Dear all,\n"), FileKind::Other);
        assert_eq!(kind("a.CSV", b"t;x\n0;1\n"), FileKind::Csv);
        assert_eq!(kind("a.csv", b"SQLite format 3\0"), FileKind::Other);
        assert_eq!(kind("a.simx", b"<simulat"), FileKind::Simulation, "a damaged one");
        assert_eq!(kind("a.docx", b"PK\x03\x04.........................."), FileKind::Other);
        assert_eq!(kind("a", b"<?xml version=\"1.0\"?>\n<testsuites>"), FileKind::JUnit);
        assert_eq!(kind("a.svg", b"<svg xmlns="), FileKind::Svg);
        assert_eq!(kind("a", b"<!doctype html>\n<html><svg>"), FileKind::Html);
    }
}
