//! Exports an FMU, unpacks it and reads its description.

use std::io::{Cursor, Read as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use quick_xml::Reader;
use quick_xml::events::Event;
use tempfile::TempDir;

use crate::cli::{folder, simulate};

pub const PARTS: &str = include_str!("parts.simx");
pub const STOP: &str = include_str!("stop.simx");
pub const LORENZ: &str = include_str!("../../../assets/examples/lorenz.simx");
pub const MOTOR: &str = include_str!("../../../assets/examples/dc_motor.simx");
pub const DRIVERS: [&str; 2] = [include_str!("driver2.c"), include_str!("driver3.c")];

/// An element of a document: its depth, name and attributes.
#[derive(Debug)]
pub struct Element {
    pub depth: usize,
    pub name: String,
    pub attributes: Vec<(String, String)>,
}

impl Element {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }
}

/// Reads all elements of a well-formed document.
pub fn elements(text: &str) -> Vec<Element> {
    let mut reader = Reader::from_str(text);
    let (mut found, mut depth) = (Vec::new(), 0);
    loop {
        let event = reader.read_event().expect("it is well formed");
        let (start, is_open) = match &event {
            Event::Start(start) => (start, true),
            Event::Empty(start) => (start, false),
            Event::End(_) => {
                depth -= 1;
                continue;
            }
            Event::Eof => break,
            _ => continue,
        };
        let attributes = start.attributes().map(|attribute| {
            let attribute = attribute.expect("it is well formed");
            let name = attribute.key.as_ref().to_owned();
            (name, quick_xml::escape::unescape(&attribute.value).expect("it is well formed").into_owned())
        });
        let name = start.name().as_ref().to_owned();
        found.push(Element { depth, name, attributes: attributes.collect() });
        depth += usize::from(is_open);
    }
    assert_eq!(depth, 0, "all elements are closed");
    found
}

/// An exported FMU.
pub struct Unpacked {
    pub folder: TempDir,
    pub archive: Vec<u8>,
    pub paths: Vec<String>,
    pub description: Vec<Element>,
    version: u8,
}

impl Unpacked {
    /// Exports a simulation as `model.fmu`.
    #[track_caller]
    pub fn new(text: &str, version: u8, more: &[&str]) -> Unpacked {
        Unpacked::exported(text, version, more).expect("it can be exported")
    }

    /// The same; none if the simulation has a part that cannot be exported.
    #[track_caller]
    pub fn try_new(text: &str, version: u8, more: &[&str]) -> Option<Unpacked> {
        let unpacked = Unpacked::exported(text, version, more);
        if let Err(error) = &unpacked {
            assert!(error.contains("an FMU cannot be written: "), "{error}");
        }
        unpacked.ok()
    }

    fn exported(text: &str, version: u8, more: &[&str]) -> Result<Unpacked, String> {
        let folder = folder(&[("model.simx", text)]);
        let number = version.to_string();
        let args = ["export", "model.simx", "--to", "fmu", "--fmi", &number, "--out", "model.fmu", "-q"];
        let outcome = simulate(folder.path(), &[&args[..], more].concat());
        if outcome.code != 0 {
            return Err(outcome.err);
        }
        let archive = std::fs::read(folder.path().join("model.fmu")).expect("the FMU");
        let mut zip = zip::ZipArchive::new(Cursor::new(archive.clone())).expect("an archive");
        let mut paths = Vec::new();
        for index in 0..zip.len() {
            let mut entry = zip.by_index(index).expect("a file");
            let path = folder.path().join(entry.name());
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("it is whole");
            std::fs::write(path, bytes).expect("a file");
            paths.push(entry.name().to_owned());
        }
        let description = elements(&read(folder.path(), "modelDescription.xml"));
        Ok(Unpacked { folder, archive, paths, description, version })
    }

    pub fn read(&self, path: &str) -> String {
        read(self.folder.path(), path)
    }

    pub fn first(&self, name: &str) -> Option<&Element> {
        self.description.iter().find(|element| element.name == name)
    }

    pub fn token(&self) -> &str {
        let name = if self.version == 2 { "guid" } else { "instantiationToken" };
        self.description[0].get(name).expect("the token")
    }

    /// The variables.
    pub fn variables(&self) -> impl Iterator<Item = &Element> {
        self.description.iter().filter(|element| matches!(&*element.name, "ScalarVariable" | "Float64"))
    }

    /// The value references of the variables with these names.
    pub fn references(&self, names: &[&str]) -> String {
        let reference = |name: &&str| {
            let mut variables = self.variables();
            let variable = variables.find(|variable| variable.get("name") == Some(name)).expect("the variable");
            variable.get("valueReference").expect("a reference")
        };
        names.iter().map(reference).collect::<Vec<_>>().join(",")
    }

    /// The binary for this machine.
    pub fn binary(&self) -> PathBuf {
        let mut paths = self.paths.iter();
        self.folder.path().join(paths.find(|path| path.starts_with("binaries/")).expect("a binary"))
    }

    /// Compiles the driver with flags; returns its path.
    pub fn driver(&self, flags: &[&str]) -> PathBuf {
        let source = self.folder.path().join("driver.c");
        std::fs::write(&source, DRIVERS[usize::from(self.version) - 2]).expect("a file");
        let driver = self.folder.path().join("driver");
        let mut command = Command::new("cc");
        let built = command.args(flags).arg("-o").arg(&driver).arg(&source).arg("-ldl").output().expect("cc");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        driver
    }

    /// Runs the driver with the binary; returns what it prints.
    #[track_caller]
    pub fn drive(&self, args: &[&str]) -> String {
        drive(&self.driver(&[]), &self.binary(), self.token(), args)
    }
}

#[track_caller]
pub fn drive(driver: &Path, binary: &Path, token: &str, args: &[&str]) -> String {
    let ran = Command::new(driver).arg(binary).arg(token).args(args).output().expect("it starts");
    assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("a text")
}

fn read(folder: &Path, path: &str) -> String {
    std::fs::read_to_string(folder.join(path)).expect("the file")
}

/// Whether FMUs with binaries can be tried here.
pub fn can_load() -> bool {
    let is_there = Command::new("cc").arg("--version").output().is_ok();
    if !is_there {
        eprintln!("cc is not installed: FMUs are not loaded");
    }
    is_there && cfg!(target_os = "linux")
}
