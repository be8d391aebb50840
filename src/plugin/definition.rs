//! Descriptions as rows of the registry. Rows live as long as the program: each content of a file is loaded once and
//! stays loaded, as the blocks of the library do.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError, RwLock};

use sha2::{Digest, Sha256};

use super::description::{About, BlockText, DefaultText, Description, ExampleText, ParamText, ParamTextKind};
use super::tape;
use super::wasm::{Code, LoadError};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, ParamKind, Ports};

/// A loaded plug-in.
#[derive(Debug)]
pub struct Plugin {
    /// The hash of its file, SHA-256 in hexadecimal digits.
    pub hash: String,
    pub about: About,
    pub(super) code: Code,
}

/// A block of a loaded plug-in.
#[derive(Debug)]
pub struct PluginBlock {
    pub plugin: &'static Plugin,
    /// The number of the block in the description, from 0.
    pub index: usize,
    pub text: BlockText,
}

/// A plug-in with the definitions of its blocks.
pub type Loaded = (&'static Plugin, Vec<&'static BlockDef>);

/// The loaded plug-ins by hash.
static LOADED: Mutex<BTreeMap<String, Loaded>> = Mutex::new(BTreeMap::new());

/// The blocks by the addresses of their definitions, through which a definition's function for its tape finds them.
static BLOCKS: RwLock<BTreeMap<usize, &'static PluginBlock>> = RwLock::new(BTreeMap::new());

/// Returns the hash of a file's content.
pub fn hash_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Loads the content of a plug-in's file and defines its blocks. Nothing of it runs before a block does.
///
/// # Errors
/// Fails if it is not a plug-in.
pub fn load(bytes: &[u8]) -> Result<Loaded, LoadError> {
    let hash = hash_of(bytes);
    // No call below can leave the map inconsistent.
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = loaded.get(&hash) {
        return Ok(known.clone());
    }
    let (code, Description { about, blocks }) = Code::read(bytes)?;
    let plugin: &'static Plugin = Box::leak(Box::new(Plugin { hash: hash.clone(), about, code }));
    let group = leak_text(&plugin.about.name);
    let defs: Vec<&'static BlockDef> =
        blocks.into_iter().enumerate().map(|(index, text)| define(plugin, group, index, text)).collect();
    loaded.insert(hash, (plugin, defs.clone()));
    Ok((plugin, defs))
}

/// Reads the description of a plug-in's file and checks the module; returns the plug-in's information about itself and
/// the names of its blocks. No code of the file runs.
///
/// # Errors
/// Fails if it is not a plug-in.
pub fn inspect(bytes: &[u8]) -> Result<(About, Vec<String>), LoadError> {
    let (_, Description { about, blocks }) = Code::read(bytes)?;
    Ok((about, blocks.into_iter().map(|block| block.name).collect()))
}

/// Returns the block of a plug-in that a definition is of.
pub fn block_of(def: &'static BlockDef) -> Option<&'static PluginBlock> {
    let blocks = BLOCKS.read().unwrap_or_else(PoisonError::into_inner);
    blocks.get(&address(def)).copied()
}

fn address(def: &'static BlockDef) -> usize {
    std::ptr::from_ref(def).addr()
}

fn define(plugin: &'static Plugin, group: &'static str, index: usize, text: BlockText) -> &'static BlockDef {
    let mut params: Vec<ParamDef> = text.params.iter().map(param).collect();
    if text.sampled {
        params.extend([ParamDef::SAMPLE_TIME, ParamDef::SAMPLE_OFFSET]);
    }
    let icon = if text.icon.is_empty() { text.name.chars().take(4).collect() } else { text.icon.clone() };
    let def: &'static BlockDef = Box::leak(Box::new(BlockDef {
        group,
        name: leak_text(&text.name),
        doc: leak_text(&text.doc),
        formula: leak_text(&text.formula),
        aliases: leak_texts(&text.aliases),
        look: Look::rect(Face::Text(leak_text(&icon))),
        inputs: Ports::Fixed(leak(text.inputs.iter().map(|input| leak_text(&input.name)))),
        outputs: Ports::Fixed(leak(text.outputs.iter().map(|output| leak_text(&output.name)))),
        params: leak(params.into_iter()),
        build: tape::build,
        examples: leak(text.examples.iter().map(example)),
    }));
    let block = Box::leak(Box::new(PluginBlock { plugin, index, text }));
    BLOCKS.write().unwrap_or_else(PoisonError::into_inner).insert(address(def), block);
    def
}

fn param(text: &ParamText) -> ParamDef {
    let (name, numbers) = (leak_text(&text.name), text.numbers());
    let (min, max) = (text.min.unwrap_or(f64::NEG_INFINITY), text.max.unwrap_or(f64::INFINITY));
    let first = numbers.first().copied().unwrap_or(0.0);
    let def = match text.kind {
        ParamTextKind::Number => {
            let mut def = ParamDef::number(name, leak(numbers.into_iter())).between(min, max);
            if let ParamKind::Number { vector, fixed, .. } = &mut def.kind {
                (*vector, *fixed) = (text.vector, text.fixed);
            }
            def
        }
        // A conversion of infinity ends at the limits of integers.
        ParamTextKind::Integer => ParamDef::integer(name, first as i64, min as i64, max as i64),
        ParamTextKind::Choice => ParamDef::choice(name, leak_texts(&text.choices)),
        ParamTextKind::Flag => ParamDef::flag(name, text.default == Some(DefaultText::Flag(true))),
    };
    ParamDef { doc: leak_text(&text.doc), unit: leak_text(&text.unit), ..def }
}

fn example(text: &ExampleText) -> Example {
    let rows = |rows: &[Vec<f64>]| leak(rows.iter().map(|row| leak(row.iter().copied())));
    Example {
        doc: leak_text(&text.doc),
        options: leak(text.options.iter().map(|(name, values)| (leak_text(name), leak_texts(values)))),
        delta: text.delta,
        widths: leak(text.widths.iter().copied()),
        inputs: rows(&text.inputs),
        outputs: rows(&text.outputs),
    }
}

fn leak<T>(items: impl Iterator<Item = T>) -> &'static [T] {
    Box::leak(items.collect())
}

fn leak_text(text: &str) -> &'static str {
    Box::leak(Box::from(text))
}

fn leak_texts(texts: &[String]) -> &'static [&'static str] {
    leak(texts.iter().map(|text| leak_text(text)))
}
