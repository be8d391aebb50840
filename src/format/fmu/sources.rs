//! How the sources of an FMU are compiled: the list in `modelDescription.xml` of FMI 2, `sources/buildDescription.xml` of
//! FMI 3, else all C files.

use std::path::{Component, Path};

use quick_xml::Reader;
use quick_xml::events::Event;

use super::error::{DescriptionProblem as Problem, FmuError};
use super::read::{attributes, needed};

pub const BUILD_DESCRIPTION: &str = "sources/buildDescription.xml";

/// The sources of a library; paths are relative to the folder `sources`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FmuSources {
    pub files: Vec<String>,
    /// Folders in which headers are looked for.
    pub includes: Vec<String>,
    /// Definitions for the preprocessor: names and values, which may be empty.
    pub definitions: Vec<(String, String)>,
}

/// Reads the sources of the library `identifier`. Of several sets of files all belong to it.
///
/// # Errors
/// If the text is not a build description, names no files for this library, another language than C, or a path that
/// leads out of the folder.
pub fn build_description(text: &str, identifier: &str) -> Result<FmuSources, FmuError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::from_str(text);
    let mut sources = FmuSources::default();
    let mut is_wanted = false;
    let wrong = |problem: Problem| FmuError::Build(problem.to_string());
    loop {
        let event = reader.read_event().map_err(|error| wrong(Problem::Xml(error.to_string())))?;
        let start = match &event {
            Event::Start(start) | Event::Empty(start) => start,
            Event::Eof => break,
            _ => continue,
        };
        let (qualified, all) = (start.name(), attributes(start).map_err(wrong)?);
        let name: &str = qualified.as_ref();
        let named = || needed(&all, name, "name").map(str::to_owned).map_err(wrong);
        match name {
            "BuildConfiguration" => {
                is_wanted = needed(&all, name, "modelIdentifier").map_err(wrong)? == identifier;
            }
            _ if !is_wanted => {}
            "SourceFileSet" => {
                // C without a version, C89, C99, C11 and so on.
                let language = all.get("language").map_or("C99", String::as_str);
                if !language.strip_prefix('C').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit())) {
                    return Err(FmuError::Build(format!("the sources are written in {language}; only C is compiled")));
                }
            }
            "SourceFile" => sources.files.push(named()?),
            "IncludeDirectory" => sources.includes.push(named()?),
            "PreprocessorDefinition" => {
                sources.definitions.push((named()?, all.get("value").cloned().unwrap_or_default()));
            }
            _ => {}
        }
    }
    sources.checked()
}

impl FmuSources {
    /// Returns the sources if they can be given to a compiler.
    pub fn checked(self) -> Result<FmuSources, FmuError> {
        if self.files.is_empty() {
            return Err(FmuError::Build("no sources are named for this library".to_owned()));
        }
        let is_inside = |path: &&String| {
            let mut parts = Path::new(path.as_str()).components();
            !path.starts_with('-') && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        if let Some(path) = self.files.iter().chain(&self.includes).find(|path| !is_inside(path)) {
            return Err(FmuError::Outside(path.clone()));
        }
        let is_name = |name: &str| {
            !name.starts_with(|first: char| first.is_ascii_digit())
                && !name.is_empty()
                && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        match self.definitions.iter().find(|(name, _)| !is_name(name)) {
            Some((name, _)) => Err(FmuError::Build(format!("“{name}” is not the name of a definition"))),
            None => Ok(self),
        }
    }
}
