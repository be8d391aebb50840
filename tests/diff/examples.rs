//! The examples of the program, and what is done to them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::{applied, inner_ids, lines};
use simulate::model::{Block, BlockId, Edit, Simulation, group};

fn examples() -> Vec<(PathBuf, Simulation)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/examples");
    let formats = simulate::Components::standard().formats;
    let files = std::fs::read_dir(folder).expect("the examples").map(|file| file.expect("a file").path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "simx"));
    let read = |path: PathBuf| {
        let simulation = formats.open(&path, &Default::default()).expect("an example").simulation;
        (path, simulation)
    };
    let found: Vec<_> = files.map(read).collect();
    assert!(found.len() > 20, "{}", found.len());
    found
}

#[test]
fn grouping_any_two_blocks_of_an_example_is_one_line() {
    for (path, simulation) in examples() {
        assert_eq!(lines(&simulation, &simulation), [""; 0]);
        let root = simulation.root_model().expect("the root");
        for pair in inner_ids(&simulation, &root.name).chunks(2) {
            let ids: BTreeSet<BlockId> = pair.iter().copied().collect();
            let Some((edits, _)) = group(&simulation, root, &ids, "Part of it") else { continue };
            let grouped = applied(&simulation, edits);
            let name = grouped.models.keys().find(|name| !simulation.models.contains_key(*name)).expect("a new model");
            let count = if ids.len() == 1 { "1 block".to_owned() } else { format!("{} blocks", ids.len()) };
            let there = [format!("~ model {name}: {count} grouped from {}", root.name)];
            let back = [format!("~ model {name}: expanded, {count} now in {}", root.name)];
            let plain = |lines: Vec<String>| lines.into_iter().filter(|line| line != "layout").collect::<Vec<_>>();
            assert_eq!(plain(lines(&simulation, &grouped)), there, "{} {ids:?}", path.display());
            assert_eq!(plain(lines(&grouped, &simulation)), back, "{} {ids:?}", path.display());
        }
    }
}

#[test]
fn other_ids_are_no_difference() {
    for (path, simulation) in examples() {
        let mut renumbered = simulation.clone();
        let names: Vec<_> = simulation.models.keys().cloned().collect();
        for name in names {
            let old = simulation.model(&name).expect("the model").clone();
            let model = renumbered.model_mut(&name).expect("the model");
            let other = |id: BlockId| BlockId(id.0 + 1_000_000);
            model.remove_blocks(&old.blocks.keys().copied().collect());
            let mut blocks: Vec<&Block> = old.blocks.values().map(|block| &**block).collect();
            blocks.sort_by_key(|block| block.seq);
            for block in blocks {
                model.add_block(Block { id: other(block.id), ..block.clone() });
            }
            for wire in old.connections.values() {
                let mut wire = simulate::model::Connection::clone(wire);
                (wire.from, wire.to) = (other(wire.from), other(wire.to));
                model.connect(wire);
            }
        }
        // Blocks of one kind without names that are connected alike may change places.
        let found = lines(&simulation, &renumbered);
        let is_swap = |line: &String| line.starts_with('~');
        assert!(found.iter().all(is_swap), "{}: {found:#?}", path.display());
        let count: usize = simulation.models.values().map(|model| model.blocks.len()).sum();
        assert!(found.len() * 10 <= count, "{}: {} of {count}: {found:#?}", path.display(), found.len());
    }
}

#[test]
fn a_change_of_each_kind_is_found_in_each_example() {
    for (path, simulation) in examples() {
        let root = simulation.root_model().expect("the root");
        for id in inner_ids(&simulation, &root.name) {
            let mut block = Block::clone(root.block(id).expect("the block"));
            block.set_option("A new option", Some(&["1"]));
            let edit = Edit::ReplaceBlock { model: root.name.clone(), block: Box::new(block) };
            let found = lines(&simulation, &applied(&simulation, vec![edit]));
            assert!(matches!(&found[..], [line] if line.ends_with(".A new option: default → 1")), "{found:?}");
            let edit = Edit::RemoveBlocks { model: root.name.clone(), ids: vec![id] };
            let found = lines(&simulation, &applied(&simulation, vec![edit]));
            assert_eq!(
                found.iter().filter(|line| line.starts_with("- ") && !line.contains("wire ")).count(),
                1,
                "{} {id}: {found:?}",
                path.display()
            );
        }
    }
}
