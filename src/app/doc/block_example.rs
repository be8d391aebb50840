//! A block's example as a simulation that can be opened: sources, the block, and its outputs as exits.

use crate::block::language::NoNames;
use crate::block::{BlockDef, Example, Settings, library};
use crate::model::{Block, BlockId, BlockKind, BlockPorts, Connection, Model, Simulation, library_ports};

/// Distance between rows and columns of blocks, in diagram units.
const ROW: f64 = 70.0;
const COLUMN: f64 = 130.0;

/// Returns the simulation; running it gives the example's outputs.
pub fn simulation_of(def: &'static BlockDef, example: &Example) -> Simulation {
    let texts = |name: &str| {
        let option = example.options.iter().find(|(known, _)| *known == name);
        option.map(|(_, values)| values.to_vec())
    };
    let (settings, _) = Settings::read(def, texts, &NoNames);
    let ports = library_ports(def, &settings);
    let mut simulation = Simulation::default();
    (simulation.steps, simulation.delta) = (example.steps().max(1) as u64, example.delta);
    let mut page = Page { model: Model::new("Main"), next: 0 };
    let middle = ports.inputs.len().max(ports.outputs.len()).max(1) as f64 * ROW / 2.0;
    let mut block = Block::new(BlockId(0), library_kind(def)).at(3.0 * COLUMN, middle);
    for (name, values) in example.options {
        block.set_option(name, Some(values));
    }
    let block = page.add(block);
    let mut y = ROW / 2.0;
    for (number, input) in ports.inputs.iter().enumerate() {
        let Some(values) = example.inputs.get(number) else { break };
        let source = page.feed(values, example.width(number), &mut y);
        page.model.connect(Connection::new(source, BlockPorts::OUTPUT, block, input));
    }
    for (number, output) in ports.outputs.iter().enumerate() {
        let exit = Block::new(BlockId(0), BlockKind::exit(output)).at(4.2 * COLUMN, ROW * (number as f64 + 0.5));
        let exit = page.add(exit);
        page.model.connect(Connection::new(block, output, exit, BlockPorts::INPUT));
    }
    simulation.root = "Main".into();
    simulation.add_model(page.model);
    simulation
}

fn library_kind(def: &BlockDef) -> BlockKind {
    BlockKind::library(def.group, def.name)
}

struct Page {
    model: Model,
    next: i128,
}

impl Page {
    fn add(&mut self, mut block: Block) -> BlockId {
        block.id = BlockId(self.next);
        self.next += 1;
        let id = block.id;
        self.model.add_block(block);
        id
    }

    /// Adds source blocks for `width` values per step; returns the one whose output has them.
    fn feed(&mut self, values: &[f64], width: usize, y: &mut f64) -> BlockId {
        let (sequence, list) = library::sequence();
        let width = width.max(1);
        let mut elements = Vec::new();
        let top = *y;
        for element in 0..width {
            let of_element: Vec<String> = values.iter().skip(element).step_by(width).map(f64::to_string).collect();
            let x = if width > 1 { COLUMN / 2.0 } else { 1.5 * COLUMN };
            elements.push(
                self.add(Block::new(BlockId(0), library_kind(sequence)).with_option(list, &of_element).at(x, *y)),
            );
            *y += ROW;
        }
        if let [single] = elements[..] {
            return single;
        }
        let (join, count) = library::join();
        let block = Block::new(BlockId(0), library_kind(join)).with_option(count, &[width.to_string()]);
        let (settings, _) = crate::model::settings_of(join, &block, &NoNames);
        let ports = library_ports(join, &settings);
        let joined = self.add(block.at(1.8 * COLUMN, top));
        for (element, input) in elements.iter().zip(&ports.inputs) {
            self.model.connect(Connection::new(*element, BlockPorts::OUTPUT, joined, input));
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Registry;
    use crate::model::check;

    #[test]
    fn every_example_makes_a_valid_simulation() {
        let registry = Registry::standard();
        for def in library::defs() {
            for example in def.examples {
                let simulation = simulation_of(def, example);
                let errors: Vec<String> = check(&simulation, &registry)
                    .into_iter()
                    .filter(|found| found.is_error())
                    .map(|found| found.message)
                    .collect();
                assert_eq!(errors, Vec::<String>::new(), "{}/{}: {}", def.group, def.name, example.doc);
            }
        }
    }
}
