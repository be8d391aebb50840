//! The user's library: the models of the simulations in a folder. Each file is a group of the palette.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::{self, FileProblem, Stamp};
use crate::format::file_stem;
use crate::format::{Formats, Library, LibraryItem};
use crate::model::{LibraryLink, Model, Simulation, model_alone};

#[derive(Clone, Debug, Default)]
pub struct Libraries {
    folder: Option<PathBuf>,
    library: Arc<Library>,
}

impl Libraries {
    /// Returns whether both were read at the same time.
    pub fn is_same(&self, other: &Libraries) -> bool {
        Arc::ptr_eq(&self.library, &other.library)
    }

    /// Reads all files of the folder; a missing folder has none.
    pub fn load(folder: Option<PathBuf>, formats: &Formats) -> Libraries {
        let library = folder.as_deref().map(|folder| Library::load(folder, formats)).unwrap_or_default();
        Libraries { folder, library: Arc::new(library) }
    }

    /// Creates the libraries of a folder without reading it.
    pub fn unread(folder: Option<PathBuf>) -> Libraries {
        Libraries { folder, library: Arc::default() }
    }

    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns the model of the library that a model was copied from, if it has another content now.
    pub fn newer(&self, model: &Model) -> Option<&LibraryItem> {
        let link = LibraryLink::of(model)?;
        self.library.find(&link).filter(|item| item.hash.as_ref().is_some_and(|hash| *hash != link.hash))
    }

    /// Returns the names of the models whose library has a newer version.
    pub fn outdated(&self, simulation: &Simulation) -> BTreeSet<Arc<str>> {
        if self.library.items.is_empty() {
            return BTreeSet::new();
        }
        let models = simulation.models.values().filter(|model| self.newer(model).is_some());
        models.map(|model| Arc::clone(&model.name)).collect()
    }

    /// Files that could not be read, and why.
    pub fn problems(&self) -> impl Iterator<Item = String> {
        self.library.problems.iter().map(|(path, problem)| format!("{}: {problem}", path.display()))
    }

    /// By file name, each with its top-level models: those that no other model of the file uses.
    pub fn groups(&self) -> impl Iterator<Item = (&str, Vec<&LibraryItem>)> {
        let is_block = |item: &&LibraryItem| {
            item.model().is_some_and(|model| !model.blocks.is_empty())
                && item.simulation.users_of(&item.name).next().is_none()
        };
        let groups = self.library.items.chunk_by(|a, b| a.group == b.group);
        groups.filter_map(move |items| Some((&*items.first()?.group, items.iter().filter(is_block).collect())))
    }

    /// Writes a model, with all models that it uses, as a file of the folder. If another model's file has the name, a number
    /// is appended to it.
    ///
    /// # Errors
    /// Fails if there is no folder or it cannot be written.
    pub fn keep(&self, formats: &Formats, simulation: &Simulation, name: &Arc<str>) -> Result<PathBuf, FileProblem> {
        let problem = |message: String| FileProblem { message, help: String::new() };
        let Some(folder) = &self.folder else { return Err(problem("there is no folder for libraries".to_owned())) };
        std::fs::create_dir_all(folder)
            .map_err(|error| problem(format!("the folder {} cannot be created: {error}", folder.display())))?;
        let Some(kept) = model_alone(simulation, name) else {
            return Err(problem("it contains itself".to_owned()));
        };
        let stem = file_stem(name);
        let numbered = (2..).map(|number: u64| format!("{stem} {number}"));
        let stems = std::iter::once(stem.clone()).chain(numbered);
        let mut paths = stems.map(|stem| folder.join(format!("{stem}.{}", files::EXTENSION)));
        let has_it = |path: &Path| {
            let wanted = formats.bytes_of(path, &kept).ok().map(|bytes| Stamp::of(&bytes));
            Stamp::of_file(path) == wanted
        };
        let path = paths.find(|path| !path.exists() || has_it(path)).unwrap_or_else(|| folder.join(&stem));
        if !path.exists() {
            files::save(formats, &path, &kept)?;
        }
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Block, BlockId, BlockKind, Connection, Model, Variable};

    #[test]
    fn a_model_goes_to_the_folder() {
        let formats = Formats::standard();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("libraries");
        let mut simulation = Simulation::new("Main");
        let mut inner = Model::new("Inner");
        inner.add_block(Block::new(BlockId(0), BlockKind::exit("y")));
        let mut outer = Model::new("Outer");
        outer.set_variable("k", Variable::new("3"));
        outer.add_block(Block::new(BlockId(0), BlockKind::model("Inner")));
        outer.add_block(Block::new(BlockId(1), BlockKind::exit("z")));
        outer.connect(Connection::new(BlockId(0), "y", BlockId(1), "Input"));
        simulation.add_model(inner);
        simulation.add_model(outer);
        let empty = Libraries::load(Some(path.clone()), &formats);
        assert!(empty.groups().next().is_none());
        empty.keep(&formats, &simulation, &"Outer".into()).expect("it is written");

        let libraries = Libraries::load(Some(path), &formats);
        let (group, items) = libraries.groups().next().expect("the file");
        let names: Vec<&str> = items.iter().map(|item| &*item.name).collect();
        assert_eq!((group, &names[..]), ("Outer", &["Outer"][..]), "what is used inside is no block of its own");

        // The same model again is in the file already; another one of its name gets a file of its own.
        let kept = libraries.keep(&formats, &simulation, &"Outer".into()).expect("it is there");
        assert_eq!(kept.file_name().and_then(|name| name.to_str()), Some("Outer.simx"));
        let outer = simulation.model_mut("Outer").expect("the model");
        outer.set_variable("k", Variable::new("4"));
        let other = libraries.keep(&formats, &simulation, &"Outer".into()).expect("it is written");
        assert_eq!(other.file_name().and_then(|name| name.to_str()), Some("Outer 2.simx"));
        let first = formats.open(&kept, &crate::format::LoadOptions::default()).expect("a simulation").simulation;
        assert_eq!(first.model("Outer").and_then(|outer| outer.variables.get("k")).map(|k| &*k.value), Some("3"));
    }
}
