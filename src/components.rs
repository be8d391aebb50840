//! What a program is made of: the blocks, the file formats and the engines that it knows.

use std::sync::Arc;

use crate::block::Registry;
use crate::engine::Engines;
use crate::format::Formats;

/// The blocks and solvers, file formats and engines that the window and the commands offer.
#[derive(Clone)]
pub struct Components {
    pub registry: Arc<Registry>,
    pub formats: Arc<Formats>,
    pub engines: Engines,
}

impl Components {
    /// The components of Simulate itself.
    pub fn standard() -> Components {
        Components {
            registry: Registry::standard(),
            formats: Arc::new(Formats::standard()),
            engines: Engines::standard(),
        }
    }
}
