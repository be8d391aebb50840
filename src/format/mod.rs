//! Files: one [`Loader`] for each format, selected by content, then by extension.
//!
//! | module | contents |
//! |---|---|
//! | [`arrays`] | named arrays of numbers: .npz and .mat |
//! | `disk` | [`Formats::open`] and [`Formats::save`]: complete files, written atomically |
//! | `error` | the errors of loading and saving |
//! | `file_kind` | the kind of a file, by its first bytes or its extension |
//! | [`fmu`] | functional mock-up units: archive and description |
//! | `folder` | [`Folder`]: the files that blocks read and write |
//! | `library` | [`Library`]: a folder of simulations as a block library |
//! | `line_file` | [`LineFile`]: text of which complete lines are kept if the disk fills up |
//! | `outputs` | [`Outputs`]: the files that a command or the window may write, and those that it never replaces |
//! | `revision` | a state of a file, in git too |
//! | `source_map` | [`SourceMap`]: the text positions of models, blocks and connections |
//! | `tables` | reads tables of numbers from CSV, WAV, .npz and .mat |
//! | [`simx`] | the XML format |
//! | [`simt`] | the text format: a line for a block |
//! | `json`, `bson`, `simb` | formats for scripts, for databases, and a compact one |
//! | `form` | the records that these three formats share |
//!
//! An invalid part of a file is not an error here: it is reported as a [`Diagnostic`], kept verbatim and written back.
//! This layer never knows an engine or a window, and no loader knows another; `form` and `simt` ask `simx` about
//! texts that are kept as XML. Next: the commands and the window call
//! [`Formats::open`] and [`Formats::save`].

#[doc(hidden)]
pub mod arrays;
mod bson;
mod disk;
mod error;
mod file_kind;
#[doc(hidden)]
pub mod fmu;
mod folder;
mod form;
mod json;
mod library;
mod line_file;
mod names;
mod new_file;
mod outputs;
mod real;
mod revision;
mod scratch_file;
mod simb;
#[doc(hidden)]
pub mod simt;
pub mod simx;
mod source_map;
mod tables;

use std::path::Path;
use std::sync::Arc;

use crate::model::imported::Report;
use crate::model::{Diagnostic, Simulation, break_rings};

pub use error::{LoadError, SaveError};

// For the program itself, its tests and the Python binding.
#[doc(hidden)]
pub use self::{
    bson::Bson,
    disk::{begin, file_stem, read_bounded, replace},
    error::{FieldError, FormError, ModelError},
    file_kind::FileKind,
    folder::{Folder, Outside},
    json::Json,
    library::{Library, LibraryItem, content_hash},
    line_file::LineFile,
    new_file::{NewFile, remove_unfinished},
    outputs::{NotWritten, OutputError, OutputFile, Outputs, Overwrite},
    real::read_real,
    revision::{RevisionError, last_commit, state, state_of},
    scratch_file::ScratchFile,
    simb::Simb,
    simt::Simt,
    source_map::SourceMap,
    tables::read_table,
};

/// One file format.
///
/// This one is XML after a line that a shell can run:
///
/// ```
/// use simulate::format::simx::Simx;
/// use simulate::format::{LoadError, LoadOptions, Loaded, Loader, SaveError};
/// use simulate::model::{Simulation, TextPosition};
/// use simulate::{Components, Opener};
///
/// struct Script;
///
/// const FIRST: &[u8] = b"#!/usr/bin/env -S simulate run\n";
///
/// impl Loader for Script {
///     fn name(&self) -> &'static str {
///         "script"
///     }
///     fn title(&self) -> &'static str {
///         "Simulation as a script"
///     }
///     fn extensions(&self) -> &'static [&'static str] {
///         &["simsh"]
///     }
///     fn recognizes(&self, bytes: &[u8]) -> bool {
///         bytes.starts_with(FIRST)
///     }
///     fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
///         let position = TextPosition { line: 1, column: 1 };
///         let problem = || LoadError::Malformed { position, problem: "the first line is missing".to_owned() };
///         Simx.read(bytes.strip_prefix(FIRST).ok_or_else(problem)?, options)
///     }
///     fn write(&self, simulation: &Simulation) -> Result<Vec<u8>, SaveError> {
///         Ok([FIRST, &Simx.write(simulation)?].concat())
///     }
/// }
///
/// assert_eq!(simulate::conformance::format(&Script), [""; 0]);
/// let simulation = Opener::new(Components::standard().with_format(Script)).create("Main")?;
/// assert!(simulation.to_bytes("simsh")?.starts_with(FIRST));
/// # Ok::<(), simulate::Error>(())
/// ```
#[deny(missing_docs)]
pub trait Loader: Send + Sync {
    /// Returns a short name for messages and file dialogs: `simx`.
    fn name(&self) -> &'static str;

    /// Returns the title for file dialogs.
    fn title(&self) -> &'static str;

    /// Returns the extensions in lower case, without the dot; the first one is for new files.
    fn extensions(&self) -> &'static [&'static str];

    /// Whether the first bytes identify this format.
    fn recognizes(&self, bytes: &[u8]) -> bool;

    /// Parses a file.
    ///
    /// # Errors
    /// If the file cannot be parsed. An invalid part is only a diagnostic of [`Loaded`].
    fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError>;

    /// Parses a file at this path, for formats that use files beside it; others ignore the path.
    ///
    /// # Errors
    /// As [`Loader::read`].
    fn read_at(&self, path: &Path, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        let _ = path;
        self.read(bytes, options)
    }

    /// Whether files of this format can be read but not written.
    fn is_read_only(&self) -> bool {
        false
    }

    /// Serializes a simulation. Equal simulations give equal bytes.
    ///
    /// # Errors
    /// If the format cannot represent the simulation.
    fn write(&self, simulation: &Simulation) -> Result<Vec<u8>, SaveError>;
}

/// How a file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[deny(missing_docs)]
pub struct LoadOptions {
    /// Removes one model block of each endless nesting, with a warning instead of an error.
    pub skip_invalid_models: bool,
}

/// The result of loading a file.
#[derive(Clone, Debug, Default)]
#[deny(missing_docs)]
pub struct Loaded {
    /// The valid parts of the file.
    pub simulation: Simulation,
    /// The invalid parts of the file, in file order; [`crate::model::check()`] finds the errors of the whole document.
    pub diagnostics: Vec<Diagnostic>,
    /// Where the models, blocks and wires stand in the text.
    pub source_map: SourceMap,
    /// The model blocks that [`LoadOptions::skip_invalid_models`] has removed: `Main/Plant#3, an instance of “Motor”`.
    pub removed: Vec<String>,
    /// What became of the blocks of a file of another program.
    pub imported: Option<Report>,
}

impl Loaded {
    /// Whether a part of the file is invalid. [`crate::model::check()`] may find more errors.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Applies the options, which are common to all formats.
    #[must_use]
    pub fn finish(mut self, options: &LoadOptions) -> Loaded {
        if options.skip_invalid_models {
            self.skip_endless_nesting();
        }
        self
    }

    /// Returns the warnings about removed model blocks.
    pub fn removals(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|found| found.code == "skipped-model")
    }

    /// Breaks each endless nesting and reports the removed blocks.
    fn skip_endless_nesting(&mut self) {
        let before = self.simulation.clone();
        for (model, id) in break_rings(&mut self.simulation) {
            let block = before.model(&model).and_then(|model| model.block(id));
            let what = block.map(|block| block.title()).unwrap_or_default();
            let of = block.map(|block| block.kind.title()).unwrap_or_default();
            self.removed.push(format!("{model}/{what}{id}, an instance of “{of}”"));
            let message = format!(
                "the model block “{what}” {id} and its wires are removed from model “{model}”: endless nesting"
            );
            let mut warning = Diagnostic::warning("skipped-model", message)
                .help("saving the file makes this permanent")
                .on_block(&model, id);
            self.source_map.locate(&mut warning);
            self.diagnostics.push(warning);
        }
    }
}

/// The known formats.
#[derive(Clone)]
pub struct Formats {
    loaders: Vec<Arc<dyn Loader>>,
}

impl std::fmt::Debug for Formats {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_list().entries(self.loaders.iter().map(|loader| loader.name())).finish()
    }
}

impl Formats {
    /// Returns the formats of this program.
    pub fn standard() -> Formats {
        Formats { loaders: vec![Arc::new(simx::Simx), Arc::new(Simt), Arc::new(Simb), Arc::new(Json), Arc::new(Bson)] }
    }

    /// Appends a format; earlier ones take precedence.
    pub fn add(&mut self, loader: Arc<dyn Loader>) {
        self.loaders.push(loader);
    }

    /// Returns all formats, those with precedence first.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Loader> {
        self.loaders.iter().map(|loader| &**loader)
    }

    /// Returns the format of an existing file, by its content, else by its extension. Several may recognize the content,
    /// such as XML: then that of the extension, if it is one of them.
    pub fn of_content(&self, bytes: &[u8], path: &Path) -> Option<&dyn Loader> {
        let named = self.of_path(path);
        let recognizing = || self.iter().find(|loader| loader.recognizes(bytes));
        named.filter(|loader| loader.recognizes(bytes)).or_else(recognizing).or(named)
    }

    /// Returns the format for the extension of a path, ignoring case.
    pub fn of_path(&self, path: &Path) -> Option<&dyn Loader> {
        let extension = path.extension()?.to_str()?.to_lowercase();
        self.iter().find(|loader| loader.extensions().contains(&&*extension))
    }

    /// Returns all extensions for messages: `.simx, .json`.
    fn extensions_text(&self) -> String {
        let extensions = self.iter().flat_map(|loader| loader.extensions());
        extensions.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", ")
    }
}
