//! The blocks, and where they find files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::app::store::settings::Settings;
use crate::block::Registry;
use crate::format::Folder;
use crate::worker::{AllowedFmus, Fmus};

/// The blocks, which find files in the folder of the open file.
pub struct BlockSource {
    pub registry: Arc<Registry>,
    /// The file in whose folder the registry finds files.
    pub(crate) of: Option<PathBuf>,
    /// Where it finds them.
    pub(crate) folder: Arc<Folder>,
    /// The FMUs there, whose code may run if the user has allowed it.
    pub(crate) fmus: Arc<Fmus>,
}

impl BlockSource {
    /// Returns the blocks without a file.
    pub fn new(registry: &Registry, settings: &Settings) -> BlockSource {
        BlockSource::in_folder(registry, Folder::new(Path::new("")), settings)
    }

    pub fn in_folder(registry: &Registry, folder: Folder, settings: &Settings) -> BlockSource {
        let folder = Arc::new(folder);
        let fmus = Arc::new(fmus(&folder, settings));
        let registry = Arc::new(registry.with_files(Arc::clone(&fmus) as _));
        BlockSource { registry, of: None, folder, fmus }
    }
}

/// Gives access to the FMUs in a folder, as far as the settings allow it.
fn fmus(folder: &Arc<Folder>, settings: &Settings) -> Fmus {
    let fmus = Fmus::new(Arc::clone(folder), AllowedFmus(settings.allowed_fmus.clone()));
    match &settings.worker {
        Some(program) => fmus.with_program(program.clone()),
        None => fmus,
    }
}
