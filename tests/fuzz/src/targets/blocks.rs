//! One block of the library with random options and input widths: it is refused, or runs with the same bits on every
//! engine.
//!
//! The first two bytes choose the block, the third the widths of its inputs; the rest are option texts, one in a line,
//! in the order of the parameters. A line `=` keeps the default.

use simulate::block::language::NoNames;
use simulate::block::{BlockDef, Settings};
use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation};

use super::trial;

/// Widths of inputs.
const WIDTHS: [usize; 4] = [1, 2, 4, 9];
/// Values of inputs.
const VALUES: [&str; 8] = ["0", "1", "-1", "1e308", "nan", "inf", "-inf", "0.5"];

fn defs() -> Vec<&'static BlockDef> {
    simulate::block::library::GROUPS.iter().flat_map(|group| group.iter().copied()).collect()
}

pub fn run(data: &[u8]) {
    let Some((&[low, high, shape], rest)) = data.split_first_chunk::<3>() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let defs = defs();
    let def = defs[usize::from(u16::from_le_bytes([low, high])) % defs.len()];
    let options: Vec<(&str, &str)> = def.params.iter().map(|param| param.name).zip(text.split('\n')).collect();
    let is_set = |text: &str| text != "=";
    let texts =
        |wanted: &str| options.iter().find(|(name, text)| *name == wanted && is_set(text)).map(|(_, text)| vec![*text]);
    let (settings, _) = Settings::read(def, texts, &NoNames);
    let mut simulation = Simulation::new("Main");
    simulation.delta = 0.125;
    let model = simulation.model_mut("Main").expect("the root");
    let mut block = Block::new(BlockId(0), BlockKind::library(def.group, def.name));
    for (name, text) in &options {
        if is_set(text) {
            block = block.with_option(name, &[*text]);
        }
    }
    model.add_block(block);
    let (inputs, outputs) = (def.inputs.names(&settings), def.outputs.names(&settings));
    if inputs.len() + outputs.len() > 64 {
        return;
    }
    for (number, name) in inputs.iter().enumerate() {
        let width = WIDTHS[usize::from(shape >> (2 * (number % 2))) % WIDTHS.len()];
        let value = VALUES[(usize::from(shape >> 4) + number) % VALUES.len()];
        let id = BlockId(100 + number as i128);
        let source = Block::new(id, BlockKind::library("Var", "Static"));
        model.add_block(source.with_option("Value", &vec![value; width]));
        model.connect(Connection::new(id, "Output", BlockId(0), name));
    }
    for (number, name) in outputs.iter().enumerate() {
        let id = BlockId(200 + number as i128);
        model.add_block(Block::new(id, BlockKind::exit(&format!("y{number}"))));
        model.connect(Connection::new(BlockId(0), name, id, "Input"));
    }
    trial::run(&simulation, &["simple", "flat"], 3);
}

/// Each block with its defaults and with the options of its examples.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (number, def) in defs().into_iter().enumerate() {
        let [low, high] = (number as u16).to_le_bytes();
        let head = [low, high, 0];
        let defaults: Vec<&str> = def.params.iter().map(|_| "=").collect();
        seeds.push([&head[..], defaults.join("\n").as_bytes()].concat());
        for example in def.examples {
            let of = |name: &str| {
                let option = example.options.iter().find(|(known, _)| *known == name);
                option.map_or("=".to_owned(), |(_, values)| values.join(" "))
            };
            let texts: Vec<String> = def.params.iter().map(|param| of(param.name)).collect();
            seeds.push([&head[..], texts.join("\n").as_bytes()].concat());
        }
    }
    seeds
}
