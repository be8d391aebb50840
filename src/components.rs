//! The components of a program: the blocks, the file formats and the engines that it knows.

use std::sync::Arc;

use crate::block::{BlockDef, Method, Registry, RegistryError};
use crate::engine::{Engine, Engines};
use crate::format::{Formats, Loader};
use crate::import;
use crate::plugin::{self, LoadError};

/// The blocks and solvers, file formats and engines that the window and the commands offer.
///
/// A program of one's own adds to the standard ones and starts:
///
/// ```no_run
/// # use simulate::Components;
/// # fn main() -> Result<std::process::ExitCode, Box<dyn std::error::Error>> {
/// # let bytes: &[u8] = &[];
/// let components = Components::standard().with_plugin(bytes)?;
/// Ok(simulate::start(&components, std::env::args_os()))
/// # }
/// ```
#[derive(Clone)]
pub struct Components {
    /// The blocks and solvers.
    pub registry: Arc<Registry>,
    /// The file formats.
    pub formats: Arc<Formats>,
    /// The engines.
    pub engines: Engines,
}

/// Why a component cannot be added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComponentError {
    /// A block of its group and name is there.
    #[error(transparent)]
    Block(#[from] RegistryError),
    /// The bytes are not a plug-in.
    #[error(transparent)]
    Plugin(#[from] LoadError),
}

impl Components {
    /// The components of Simulate itself.
    pub fn standard() -> Components {
        let mut formats = Formats::standard();
        import::FORMATS.into_iter().for_each(|format| formats.add(Arc::new(format)));
        Components { registry: Registry::standard(), formats: Arc::new(formats), engines: Engines::standard() }
    }

    /// Adds a block.
    ///
    /// # Errors
    /// Fails if its group has a block of its name.
    pub fn with_block(mut self, def: &'static BlockDef) -> Result<Components, ComponentError> {
        Arc::make_mut(&mut self.registry).add(def)?;
        Ok(self)
    }

    /// Adds the blocks of a plug-in, the content of a `.wasm` file, which are on for all users of the program.
    ///
    /// # Errors
    /// Fails if it is not a plug-in, or its group has a block of the same name.
    pub fn with_plugin(mut self, bytes: &[u8]) -> Result<Components, ComponentError> {
        for def in plugin::load(bytes)?.1 {
            self = self.with_block(def)?;
        }
        Ok(self)
    }

    /// Adds a solver, which a simulation's `solver` names.
    #[must_use]
    pub fn with_solver(mut self, method: &'static dyn Method) -> Components {
        Arc::make_mut(&mut self.registry).add_method(method);
        self
    }

    /// Adds a file format, which opens, saves and converts files of its extensions.
    #[must_use]
    pub fn with_format(mut self, loader: impl Loader + 'static) -> Components {
        Arc::make_mut(&mut self.formats).add(Arc::new(loader));
        self
    }

    /// Adds an engine; it replaces one of the same name.
    #[must_use]
    pub fn with_engine(mut self, engine: impl Engine + 'static) -> Components {
        self.engines.add(Arc::new(engine));
        self
    }
}
