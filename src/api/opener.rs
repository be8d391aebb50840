//! How a simulation is opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Error, Simulation};
use crate::block::{FileError, Registry};
use crate::components::Components;
use crate::format::{Folder, LoadOptions, Loaded};
use crate::model;
use crate::plugin::UserPlugins;
use crate::worker::{AllowedFmus, Fmus};

/// How a simulation is opened: what it is made of, and which files its blocks may access besides those of its folder.
///
/// ```
/// use simulate::{Components, Opener};
///
/// let opener = Opener::new(Components::standard()).allow_read("assets");
/// let simulation = opener.open("assets/examples/lorenz.simx")?;
/// assert_eq!(simulation.delta(), 0.001);
/// # Ok::<(), simulate::Error>(())
/// ```
#[derive(Clone)]
pub struct Opener {
    pub(super) components: Components,
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    fmus: Vec<PathBuf>,
    fmu_program: Option<PathBuf>,
    options: LoadOptions,
}

impl Default for Opener {
    fn default() -> Opener {
        Opener::new(Components::standard())
    }
}

impl Opener {
    /// Opens with these blocks, formats and engines, and the plug-ins that the user has switched on.
    pub fn new(components: Components) -> Opener {
        let options = LoadOptions::default();
        Opener { components, read: Vec::new(), write: Vec::new(), fmus: Vec::new(), fmu_program: None, options }
    }

    /// Allows blocks to read files in this folder.
    #[must_use]
    pub fn allow_read(mut self, folder: impl Into<PathBuf>) -> Opener {
        self.read.push(folder.into());
        self
    }

    /// Allows blocks to write files in this folder.
    #[must_use]
    pub fn allow_write(mut self, folder: impl Into<PathBuf>) -> Opener {
        self.write.push(folder.into());
        self
    }

    /// Allows blocks to run the code of this FMU. It runs in a process of its own and can do there what you can.
    #[must_use]
    pub fn allow_fmu(mut self, file: impl Into<PathBuf>) -> Opener {
        self.fmus.push(file.into());
        self
    }

    /// Sets the program whose command `worker` runs FMUs; without it, this program, whose `main` is then that of
    /// [`start`](crate::start()).
    #[must_use]
    pub fn fmu_program(mut self, program: impl Into<PathBuf>) -> Opener {
        self.fmu_program = Some(program.into());
        self
    }

    /// Removes one model block of each endless nesting, with a warning instead of an error.
    #[must_use]
    pub fn skip_invalid_models(mut self) -> Opener {
        self.options.skip_invalid_models = true;
        self
    }

    /// Opens a file. A file that is invalid in part is opened too: [`Simulation::check`] lists its errors.
    ///
    /// # Errors
    /// If the file cannot be read, or its content is not a simulation.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Simulation, Error> {
        let path = path.as_ref();
        let loaded = self.components.formats.open(path, &self.options).map_err(|error| Error::open(path, error))?;
        Simulation::of(loaded, Some(path.to_owned()), self.clone())
    }

    /// Reads the content of a file that has, or will have, this path; without one, of a `.simx` file in the current folder.
    ///
    /// # Errors
    /// If the content is not a simulation.
    pub fn read(&self, content: &[u8], path: Option<&Path>) -> Result<Simulation, Error> {
        let name = path.unwrap_or(Path::new("model.simx"));
        let loaded = self.components.formats.parse(name, content, &self.options);
        Simulation::of(loaded.map_err(|error| Error::open(name, error))?, path.map(Path::to_owned), self.clone())
    }

    /// Makes a simulation whose root model, with this name, is empty.
    ///
    /// # Errors
    /// If a file whose code is allowed is no FMU.
    pub fn create(&self, root: &str) -> Result<Simulation, Error> {
        Simulation::of(Loaded { simulation: model::Simulation::new(root), ..Loaded::default() }, None, self.clone())
    }

    /// What simulations are made of.
    #[doc(hidden)]
    pub fn components(&self) -> &Components {
        &self.components
    }

    /// Returns a simulation in the state of a document that another holds, such as the window.
    ///
    /// # Errors
    /// As [`Opener::create`].
    #[doc(hidden)]
    pub fn adopt(&self, state: &model::Simulation, path: Option<&Path>) -> Result<Simulation, Error> {
        let loaded = Loaded { simulation: state.clone(), ..Loaded::default() };
        Simulation::of(loaded, path.map(Path::to_owned), self.clone())
    }

    /// Returns the blocks that a simulation in this file may use, with their access to files.
    ///
    /// # Errors
    /// If a file whose code is allowed is no FMU.
    pub(crate) fn registry(&self, path: Option<&Path>) -> Result<Registry, FileError> {
        let mut allowed = AllowedFmus::default();
        self.fmus.iter().try_for_each(|file| allowed.add_file(file))?;
        let folder = path.map_or_else(|| Folder::new(Path::new(".")), Folder::beside);
        let mut files = Fmus::new(Arc::new(folder.allowing(&self.read, &self.write)), allowed);
        if let Some(program) = &self.fmu_program {
            files = files.with_program(program.clone());
        }
        Ok(UserPlugins::of_user().added_to(&self.components.registry, path).with_files(Arc::new(files)))
    }
}
