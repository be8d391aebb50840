//! Compiles, packs and writes an FMU.

use std::fs;
use std::io::{self, Cursor, Write as _};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::folder::FolderError;
use crate::engine::Program;
use crate::export::c::{Options, Refusal};
use crate::export::fmu::{Fmu, Located, Version, export};
use crate::format::OutputFile;
use crate::model::Simulation;

/// The content and the options of an FMU.
pub struct FmuRequest<'a> {
    pub program: &'a Arc<Program>,
    /// The program for model exchange; `None` if the diagram does not compile for it.
    pub located: Option<Located<'a>>,
    pub simulation: &'a Simulation,
    pub options: &'a Options<'a>,
    pub version: Version,
    /// Whether it is compiled where it is used.
    pub is_source_only: bool,
}

/// An FMU in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFmu {
    pub version: Version,
    pub has_model_exchange: bool,
    /// Why it has no binary although one was wanted.
    pub notice: Option<String>,
}

/// Why there is no FMU.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FmuError {
    #[error("an FMU cannot be written: {0}")]
    Refused(#[from] Refusal),
    #[error("{0} is a folder; name a file, for example {0}/model.fmu")]
    IsFolder(String),
    #[error("an FMU needs a step length above 0")]
    NoStep,
    #[error(transparent)]
    Pack(#[from] PackError),
    #[error(transparent)]
    Unwritten(#[from] FolderError),
}

impl WrittenFmu {
    /// The kinds of simulation it supports, such as `FMI 2.0, co-simulation`.
    pub fn text(&self) -> String {
        let more = if self.has_model_exchange { " and model exchange" } else { "" };
        format!("FMI {}.0, co-simulation{more}", self.version.number())
    }
}

/// Writes an FMU. On an error the file stays as it was before. Its folder is created if it does not exist.
///
/// # Errors
/// If the simulation has a part that cannot be exported, the compiler finds a fault, or the file cannot be written.
pub fn write_fmu(path: &OutputFile, request: FmuRequest) -> Result<WrittenFmu, FmuError> {
    let FmuRequest { program, located, simulation, options, version, is_source_only } = request;
    if program.delta <= 0.0 {
        return Err(FmuError::NoStep);
    }
    if path.is_dir() {
        return Err(FmuError::IsFolder(path.display().to_string()));
    }
    let fmu = export(program, located, simulation, options, version)?;
    let binary = if is_source_only { None } else { Some(compile(&fmu, version)?) };
    let archive = pack(&fmu, binary.as_ref())?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|error| FolderError::Unwritable(folder.display().to_string(), error))?;
    }
    path.replace(&archive).map_err(|error| FolderError::unwritable(path, error))?;
    let notice = binary.as_ref().and_then(|binary| notice(binary, path));
    Ok(WrittenFmu { version, has_model_exchange: fmu.has_model_exchange, notice })
}

/// The binary of an FMU, or why there is none.
enum Binary {
    /// The path in the archive and the contents.
    Built(String, Vec<u8>),
    /// The compiler that cannot be started.
    NoCompiler(String),
    /// Nothing is known of the folders and endings of this platform.
    UnknownPlatform,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    #[error("the compiler {0} reports:\n{1}")]
    Compiler(String, String),
    #[error("the sources cannot be compiled: {0}")]
    Folder(io::Error),
    #[error("the archive cannot be made: {0}")]
    Archive(#[from] zip::result::ZipError),
}

/// The folder for binaries of this platform and the ending of their names.
fn platform(version: Version) -> Option<(String, &'static str)> {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let (two, three, ending) = match os {
        "linux" => ("linux", "linux", "so"),
        "macos" => ("darwin", "darwin", "dylib"),
        "windows" => ("win", "windows", "dll"),
        _ => return None,
    };
    match (version, arch) {
        // FMI 2 has names for these processors alone.
        (Version::Two, "x86_64") => Some((format!("{two}64"), ending)),
        (Version::Two, "x86") => Some((format!("{two}32"), ending)),
        (Version::Two, "aarch64") if os == "macos" => Some(("darwin64".to_owned(), ending)),
        (Version::Three, "x86_64" | "x86" | "aarch64") => Some((format!("{arch}-{three}"), ending)),
        _ => None,
    }
}

/// Compiles the sources with $CC or cc.
///
/// # Errors
/// If the compiler finds a fault, or there is no temporary folder.
fn compile(fmu: &Fmu, version: Version) -> Result<Binary, PackError> {
    let Some((place, ending)) = platform(version) else { return Ok(Binary::UnknownPlatform) };
    let folder = tempfile::tempdir().map_err(PackError::Folder)?;
    let mut files = fmu.files.iter().filter_map(|(path, text)| Some((path.strip_prefix("sources/")?, text)));
    files.try_for_each(|(name, text)| std::fs::write(folder.path().join(name), text)).map_err(PackError::Folder)?;
    let binary = folder.path().join(format!("{}.{ending}", fmu.name));
    let compiler = std::env::var("CC").ok().filter(|name| !name.is_empty()).unwrap_or_else(|| "cc".to_owned());
    let mut words = compiler.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("cc"));
    command.args(words).args(["-O2", "-std=c99", "-ffp-contract=off", "-fPIC", "-fvisibility=hidden", "-shared", "-o"]);
    command.arg(&binary).args(&fmu.sources).arg("-lm").current_dir(folder.path());
    let Ok(output) = command.output() else { return Ok(Binary::NoCompiler(compiler)) };
    if !output.status.success() {
        return Err(PackError::Compiler(compiler, String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let bytes = std::fs::read(&binary).map_err(PackError::Folder)?;
    Ok(Binary::Built(format!("binaries/{place}/{}.{ending}", fmu.name), bytes))
}

/// Packs the files; the same files give the same bytes.
///
/// # Errors
/// If the archive would be larger than the format can hold.
fn pack(fmu: &Fmu, binary: Option<&Binary>) -> Result<Vec<u8>, PackError> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    let texts = fmu.files.iter().map(|(path, text)| (&**path, text.as_bytes()));
    let binary = if let Some(Binary::Built(path, bytes)) = binary { Some((&**path, &**bytes)) } else { None };
    for (path, bytes) in texts.chain(binary) {
        archive.start_file(path, options)?;
        archive.write_all(bytes).map_err(zip::result::ZipError::from)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// The message about an FMU without a binary.
fn notice(binary: &Binary, path: &Path) -> Option<String> {
    let path = path.display();
    match binary {
        Binary::Built(..) => None,
        Binary::NoCompiler(compiler) => Some(format!(
            "{path} has sources only: the compiler {compiler} cannot be started; install one, or name it in the variable CC"
        )),
        Binary::UnknownPlatform => {
            Some(format!("{path} has sources only: the standard has no folder for binaries of this platform"))
        }
    }
}
