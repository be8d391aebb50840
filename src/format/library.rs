//! A folder of simulations as a block library: each model of each file can be copied into a simulation, and compared with
//! its copies.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::simx::Simx;
use super::{Formats, LoadOptions, Loader as _};
use crate::model::{Attributes, Connection, LibraryLink, Model, Simulation, model_alone};

/// The models of a folder.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// The models, sorted by group, then by name.
    pub items: Vec<LibraryItem>,
    /// Files that could not be read, with the reason.
    pub problems: Vec<(PathBuf, String)>,
}

/// A model of a library; see [`crate::model::copy_model`].
#[derive(Clone, Debug)]
pub struct LibraryItem {
    /// The file name without its extension, with the subfolder's name before it.
    pub group: String,
    pub name: Arc<str>,
    pub file: PathBuf,
    /// The content of the file.
    pub simulation: Arc<Simulation>,
    /// The hash of the model's content; none if it contains itself.
    pub hash: Option<Arc<str>>,
}

/// The depth of subfolders that are read.
const MAX_DEPTH: usize = 1;

impl LibraryItem {
    /// Returns the model's description, its attribute `doc`.
    pub fn doc(&self) -> &str {
        self.model().and_then(|model| model.attributes.get("doc")).unwrap_or_default()
    }

    pub fn model(&self) -> Option<&Arc<Model>> {
        self.simulation.model(&self.name)
    }

    /// Returns the link that a copy of the model has.
    pub fn link(&self) -> Option<LibraryLink> {
        let (library, model) = (self.group.as_str().into(), Arc::clone(&self.name));
        Some(LibraryLink { library, model, hash: self.hash.clone()? })
    }
}

/// Returns a hash of what a model and all models that it uses compute: without their names, and without layout. A copy has
/// the hash of its original. None if there is no such model, or it contains itself.
pub fn content_hash(simulation: &Simulation, name: &str) -> Option<Arc<str>> {
    let alone = model_alone(simulation, name)?;
    let mut hashes: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
    // Each after the models that it uses, which then have their hashes as names.
    for model in alone.models_in_order() {
        let mut bare = Model::clone(model);
        (bare.name, bare.attributes) = ("M".into(), without_view(&model.attributes));
        let ids: Vec<_> = bare.blocks.keys().copied().collect();
        for block in ids {
            if let Some(block) = bare.block_mut(block) {
                block.attributes = without_view(&block.attributes);
                block.rename_models(|model| hashes.get(model).cloned());
            }
        }
        for wire in model.connections.values() {
            bare.connect(Connection { attributes: without_view(&wire.attributes), ..Connection::clone(wire) });
        }
        let mut single = Simulation::new("M");
        single.models.clear();
        single.add_model(bare);
        let bytes = Simx.write(&single).ok()?;
        let digest = Sha256::digest(&bytes);
        let hash: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        hashes.insert(Arc::clone(&model.name), hash.into());
    }
    hashes.get(&alone.root).cloned()
}

fn without_view(attributes: &Attributes) -> Attributes {
    let mut kept = attributes.clone();
    for (name, _) in attributes.iter().filter(|(name, _)| name.starts_with("view:")) {
        kept.put(name, None);
    }
    kept
}

impl Library {
    /// Returns the model that a copy was made of.
    pub fn find(&self, link: &LibraryLink) -> Option<&LibraryItem> {
        self.items.iter().find(|item| item.group == *link.library && item.name == link.model)
    }

    /// Reads all simulations in a folder and its subfolders. Models with the attribute `library="no"` and files whose
    /// names begin with a dot are skipped. A missing folder is empty.
    pub fn load(folder: &Path, formats: &Formats) -> Library {
        let mut library = Library::default();
        library.read_folder(folder, "", formats, 0);
        library.items.sort_by(|a, b| (&a.group, &a.name).cmp(&(&b.group, &b.name)));
        library
    }

    fn read_folder(&mut self, folder: &Path, group: &str, formats: &Formats, depth: usize) {
        let entries = match fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => return self.problems.push((folder.to_owned(), error.to_string())),
        };
        let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if name.starts_with('.') {
                continue;
            }
            let inside = if group.is_empty() { name } else { format!("{group}/{name}") };
            if path.is_dir() && depth < MAX_DEPTH {
                self.read_folder(&path, &inside, formats, depth + 1);
            } else if path.is_file() && formats.of_path(&path).is_some() {
                self.read_file(&path, &inside, formats);
            }
        }
    }

    fn read_file(&mut self, path: &Path, group: &str, formats: &Formats) {
        match formats.open(path, &LoadOptions::default()) {
            Err(error) => self.problems.push((path.to_owned(), error.to_string())),
            Ok(loaded) => {
                let first = loaded.diagnostics.iter().find(|found| found.is_error());
                if let Some(found) = first {
                    self.problems.push((path.to_owned(), found.message.clone()));
                }
                let simulation = Arc::new(loaded.simulation);
                let is_listed = |model: &&Arc<Model>| model.attributes.get("library") != Some("no");
                for model in simulation.models_in_order().into_iter().filter(is_listed) {
                    self.items.push(LibraryItem {
                        group: group.to_owned(),
                        name: Arc::clone(&model.name),
                        file: path.to_owned(),
                        simulation: Arc::clone(&simulation),
                        hash: content_hash(&simulation, &model.name),
                    });
                }
            }
        }
    }
}
