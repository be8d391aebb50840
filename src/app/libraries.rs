//! The user's own blocks: the models of the .simx files in a folder. Each file is a group of the palette.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::{self, FileProblem};
use crate::model::{Block, BlockKind, Change, Connection, Edit, Model, Simulation, Variable};

#[derive(Debug, Default)]
pub struct Libraries {
    folder: Option<PathBuf>,
    pub groups: Vec<Group>,
    /// Files that could not be read, and why.
    pub problems: Vec<String>,
}

/// A file of the folder.
#[derive(Debug)]
pub struct Group {
    /// The file's name without its extension.
    pub name: String,
    pub simulation: Simulation,
}

impl Libraries {
    /// Reads all files of the folder, in the order of their names; a folder that is not there has none.
    pub fn load(folder: Option<PathBuf>) -> Libraries {
        let mut libraries = Libraries { folder, ..Libraries::default() };
        let entries = libraries.folder.as_ref().and_then(|folder| std::fs::read_dir(folder).ok());
        let mut paths: Vec<PathBuf> = entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(files::EXTENSION)));
        paths.sort();
        for path in paths {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            match files::open(&path) {
                Ok(opened) => libraries.groups.push(Group { name, simulation: opened.simulation }),
                Err(problem) => libraries.problems.push(format!("{name}: {}", problem.message)),
            }
        }
        libraries
    }

    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The models of a group that are blocks of their own: those that no other of its models uses.
    pub fn blocks_of(group: &Group) -> impl Iterator<Item = &Arc<Model>> {
        let simulation = &group.simulation;
        let models = simulation.models_in_order().into_iter();
        models.filter(|model| !model.blocks.is_empty() && simulation.uses_of(&model.name).next().is_none())
    }

    /// The change together with the models that it uses, the document lacks and a library has.
    pub fn completed(&self, simulation: &Simulation, change: &Change) -> Option<Change> {
        let wanted = change.edits.iter().filter_map(|edit| match edit {
            Edit::AddBlock { block, .. } => model_of(block),
            _ => None,
        });
        let added = change.edits.iter().filter_map(|edit| match edit {
            Edit::AddModel { name } => Some(Arc::clone(name)),
            _ => None,
        });
        let mut known: BTreeSet<Arc<str>> = simulation.models.keys().cloned().chain(added).collect();
        let mut brought = Vec::new();
        for name in wanted {
            if known.contains(&name) {
                continue;
            }
            let group = self.groups.iter().find(|group| group.simulation.model(&name).is_some());
            if let Some(group) = group {
                bring(&group.simulation, &name, &mut known, &mut brought);
            }
        }
        if brought.is_empty() {
            return None;
        }
        let names: Vec<Edit> = brought.iter().map(|model| Edit::AddModel { name: Arc::clone(&model.name) }).collect();
        let insides = brought.iter().flat_map(|model| contents(model));
        let edits = names.into_iter().chain(insides).chain(change.edits.iter().cloned()).collect();
        Some(Change::new(change.label.clone(), edits))
    }

    /// Writes a model, with all that it uses, as a file of the folder.
    ///
    /// # Errors
    /// Where there is no folder or it cannot be written.
    pub fn keep(&self, simulation: &Simulation, name: &Arc<str>) -> Result<PathBuf, FileProblem> {
        let problem = |message: String| FileProblem { message, help: String::new() };
        let Some(folder) = &self.folder else { return Err(problem("there is no folder for libraries".to_owned())) };
        std::fs::create_dir_all(folder)
            .map_err(|error| problem(format!("the folder {} cannot be made: {error}", folder.display())))?;
        let mut kept = Simulation::default();
        kept.root = Arc::clone(name);
        let mut models = Vec::new();
        bring(simulation, name, &mut BTreeSet::new(), &mut models);
        for model in models {
            kept.add_model(Model::clone(&model));
        }
        for (name, variable) in &simulation.variables {
            kept.set_variable(name, Variable::clone(variable));
        }
        let stem: String =
            name.chars().map(|c| if c.is_alphanumeric() || "-_ ".contains(c) { c } else { '_' }).collect();
        let path = folder.join(format!("{stem}.{}", files::EXTENSION));
        files::save(&path, &kept)?;
        Ok(path)
    }
}

fn model_of(block: &Block) -> Option<Arc<str>> {
    match &block.kind {
        BlockKind::Model { model } => Some(Arc::clone(model)),
        _ => None,
    }
}

/// The model and all that it uses at any depth, those first that are used.
fn bring(from: &Simulation, name: &Arc<str>, known: &mut BTreeSet<Arc<str>>, brought: &mut Vec<Arc<Model>>) {
    let Some(model) = from.model(name) else { return };
    if !known.insert(Arc::clone(name)) {
        return;
    }
    for inner in model.blocks.values().filter_map(|block| model_of(block)) {
        bring(from, &inner, known, brought);
    }
    brought.push(Arc::clone(model));
}

/// The edits that fill an empty model.
fn contents(model: &Model) -> Vec<Edit> {
    let name = || Arc::clone(&model.name);
    let mut variables: Vec<_> = model.variables.iter().collect();
    variables.sort_by_key(|(_, variable)| variable.seq);
    let mut blocks: Vec<_> = model.blocks.values().collect();
    blocks.sort_by_key(|block| block.seq);
    let mut wires: Vec<_> = model.connections.values().collect();
    wires.sort_by_key(|wire| wire.seq);
    let variables = variables.into_iter().map(|(variable, value)| Edit::SetVariable {
        model: Some(name()),
        name: Arc::clone(variable),
        variable: Some(Variable::clone(value)),
    });
    let blocks = blocks.into_iter().map(|block| Edit::AddBlock { model: name(), block: Box::new(Block::clone(block)) });
    let wires =
        wires.into_iter().map(|wire| Edit::Connect { model: name(), connection: Box::new(Connection::clone(wire)) });
    variables.chain(blocks).chain(wires).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Registry;
    use crate::model::{BlockId, Document};

    #[test]
    fn a_model_goes_to_the_folder_and_into_another_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("libraries");
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
        let empty = Libraries::load(Some(place.clone()));
        assert!(empty.groups.is_empty());
        empty.keep(&simulation, &"Outer".into()).expect("it is written");

        let libraries = Libraries::load(Some(place));
        let group = libraries.groups.first().expect("the file");
        let names: Vec<&str> = Libraries::blocks_of(group).map(|model| &*model.name).collect();
        assert_eq!((&*group.name, &names[..]), ("Outer", &["Outer"][..]), "what is used inside is no block of its own");

        let mut document = Document::new(Simulation::new("Main"), Registry::standard());
        let block = Box::new(Block::new(BlockId(0), BlockKind::model("Outer")));
        let change = Change::one("Add Outer", Edit::AddBlock { model: "Main".into(), block });
        let change = libraries.completed(document.simulation(), &change).expect("models come along");
        document.apply(&change).expect("it is done");
        let now = document.simulation();
        assert_eq!(now.model("Outer").map(|model| (model.blocks.len(), model.connections.len())), Some((2, 1)));
        assert!(now.model("Inner").is_some() && now.model("Outer").is_some_and(|model| model.variables.len() == 1));
        assert!(libraries.completed(now, &change).is_none(), "what is there is not brought again");
        document.undo();
        assert_eq!(document.simulation().models.len(), 1, "one step back");
    }
}
