//! Files: one [`Loader`] a format, found by content first and by extension second.
//!
//! | module | what lives there |
//! |---|---|
//! | `disk` | [`open`] and [`save`]: whole files, written so that a crash leaves the old or the new one |
//! | `error` | why a file cannot be loaded or saved at all |
//! | `folder` | [`Folder`]: the files that blocks read and write |
//! | `library` | [`Library`]: a folder of simulations whose models can be taken |
//! | `places` | [`SourceMap`]: where in the text each model, block and connection stands |
//! | `tables` | numbers in CSV and WAV |
//! | [`simx`] | the XML format; the only place that names quick-xml |
//! | `json`, `bson`, `simb` | the same simulation for scripts, for stores, and small |
//! | `form` | the records that those three share |
//!
//! What a file says wrongly in part is no error here: it costs a [`Diagnostic`], is kept verbatim, and is written
//! back. This layer never knows an engine or a window, and no loader knows another. Next: [`crate::cli`] and the
//! window call [`open`] and [`save`].

mod bson;
mod disk;
mod error;
mod folder;
mod form;
mod json;
mod library;
mod places;
mod simb;
pub mod simx;
mod tables;

use std::path::Path;

use crate::model::{BlockId, Diagnostic, Simulation, break_rings};

pub use bson::Bson;
pub use disk::{begin, bytes_of, open, parse, read_bounded, replace, save};
pub use error::{LoadError, SaveError};
pub use folder::{Folder, Outside};
pub use json::Json;
pub use library::{Library, LibraryItem};
pub use places::SourceMap;
pub use simb::Simb;

/// One file format.
pub trait Loader: Send + Sync {
    /// A short word for messages and file dialogs: `simx`.
    fn name(&self) -> &'static str;

    /// What a file dialog calls it.
    fn title(&self) -> &'static str;

    /// Lower case, without the dot; the first one is given to new files.
    fn extensions(&self) -> &'static [&'static str];

    /// Whether a file of these bytes can only be meant for this format; looks at the first few.
    fn recognizes(&self, bytes: &[u8]) -> bool;

    /// # Errors
    /// Where nothing can be understood. What is wrong in part is a diagnostic of [`Loaded`].
    fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError>;

    /// The same simulation gives the same bytes.
    ///
    /// # Errors
    /// Where the simulation holds something that the format has no way to say.
    fn write(&self, simulation: &Simulation) -> Result<Vec<u8>, SaveError>;
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Removes one model block of each endless nesting, with a warning, where the file would be invalid otherwise.
    pub skip_invalid_models: bool,
}

/// What a file gave.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    pub simulation: Simulation,
    /// What the file says wrongly, in its order; what only the document as a whole shows is for
    /// [`crate::model::check()`].
    pub diagnostics: Vec<Diagnostic>,
    pub places: SourceMap,
}

impl Loaded {
    /// Whether the file is invalid by what it says; the document as a whole may be so too.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Does what the options ask of every format.
    #[must_use]
    pub fn finish(mut self, options: &LoadOptions) -> Loaded {
        if options.skip_invalid_models {
            self.skip_endless_nesting();
        }
        self
    }

    /// Breaks each endless nesting and says which blocks it cost.
    fn skip_endless_nesting(&mut self) {
        let before = self.simulation.clone();
        let title = |model: &str, id: BlockId| before.model(model)?.block(id).map(|block| block.title().to_owned());
        for (model, id) in break_rings(&mut self.simulation) {
            let what = title(&model, id).unwrap_or_default();
            let message = format!(
                "the model block “{what}” {id} and its wires are left out of model “{model}”: nested without end"
            );
            let mut warning = Diagnostic::warning("skipped-model", message)
                .help("saving the file makes this final")
                .on_block(&model, id);
            self.places.locate(&mut warning);
            self.diagnostics.push(warning);
        }
    }
}

/// The formats that a program knows.
pub struct Formats {
    loaders: Vec<Box<dyn Loader>>,
}

impl Formats {
    pub fn standard() -> Formats {
        Formats { loaders: vec![Box::new(simx::Simx), Box::new(Simb), Box::new(Json), Box::new(Bson)] }
    }

    /// Adds a format behind the others; it is asked after them.
    pub fn add(&mut self, loader: Box<dyn Loader>) {
        self.loaders.push(loader);
    }

    pub fn iter(&self) -> impl Iterator<Item = &dyn Loader> {
        self.loaders.iter().map(|loader| &**loader)
    }

    /// The format of a file that is there: by its content, else by its extension.
    pub fn of_content(&self, bytes: &[u8], path: &Path) -> Option<&dyn Loader> {
        self.iter().find(|loader| loader.recognizes(bytes)).or_else(|| self.of_path(path))
    }

    /// The format that a path asks for by its extension, in any case of letters.
    pub fn of_path(&self, path: &Path) -> Option<&dyn Loader> {
        let extension = path.extension()?.to_str()?.to_lowercase();
        self.iter().find(|loader| loader.extensions().contains(&&*extension))
    }

    /// `.simx, .json`: for messages.
    fn extensions_text(&self) -> String {
        let extensions = self.iter().flat_map(|loader| loader.extensions());
        extensions.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", ")
    }
}
