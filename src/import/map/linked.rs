//! Links to libraries, referenced models and referenced subsystems.

use std::rc::Rc;

use super::super::source::{Block as Foreign, Mask, MaskParameter, Source, SourceKind};
use super::block::{Cx, short};
use super::made::Made;
use super::state::Mapper;
use super::{subsystem, table};

/// The most files that a model may open within each other.
const MAX_OPEN: usize = 20;

impl Mapper {
    /// Returns a library or model that lies beside the file.
    fn file(&mut self, name: &str) -> Option<Rc<Source>> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let found = self.files.model(name).and_then(|(path, bytes)| {
            let stem = path.file_stem()?.to_string_lossy().into_owned();
            super::super::simulink::read(&stem, &bytes).ok().map(Rc::new)
        });
        self.known.insert(name.to_owned(), found.clone());
        found
    }
}

/// A link to a block of a library.
pub fn reference(cx: &mut Cx) -> Result<Made, String> {
    let full = squeezed(cx.text("SourceBlock"));
    if let Some(made) = table::of_library(cx, &full) {
        return made;
    }
    let parts: Vec<String> = parts(&full);
    let (Some(library), inner) = (parts.first().cloned(), &parts[1.min(parts.len())..]) else {
        return Err("the link names no block".to_owned());
    };
    let source = if library == "$bdroot" { Some(Rc::clone(cx.source)) } else { cx.mapper.file(&library) };
    let Some(source) = source else {
        return Err(format!("the library {library} is not beside the model; give its folder with --library"));
    };
    let Some(target) = find(&source, inner) else {
        return Err(format!("the library {library} has no block {}", short(&full)));
    };
    let target = target.clone();
    if cx.mapper.open.len() > MAX_OPEN || cx.mapper.open.iter().filter(|open| **open == full).count() > 0 {
        return Err(format!("the library block {} contains itself", short(&full)));
    }
    cx.mapper.open.push(full);
    let made = linked(cx, &source, &target);
    cx.mapper.open.pop();
    made
}

/// Maps what a link leads to, with the values of the link.
fn linked(cx: &mut Cx, source: &Rc<Source>, target: &Foreign) -> Result<Made, String> {
    let mut block = target.clone();
    block.name.clone_from(&cx.block.name);
    block.area = cx.block.area;
    for (name, value) in cx.block.params.iter() {
        block.params.set(name, value);
    }
    let mut inner = Cx {
        mapper: &mut *cx.mapper,
        block: &block,
        source,
        path: cx.path,
        wired_inputs: cx.wired_inputs,
        wired_outputs: cx.wired_outputs,
        input_names: cx.input_names.clone(),
        input_shapes: cx.input_shapes.clone(),
        notes: Vec::new(),
    };
    let made = if block.kind == "SubSystem" { subsystem::subsystem(&mut inner) } else { table::map(&mut inner) };
    let notes = std::mem::take(&mut inner.notes);
    cx.notes.extend(notes);
    made
}

/// A subsystem whose inside is a file of its own.
pub fn referenced(cx: &mut Cx, name: &str) -> Result<Made, String> {
    let source =
        cx.mapper.file(name).ok_or_else(|| format!("the file of the subsystem {name} is not beside the model"))?;
    opened(cx, name, |cx| {
        // The file holds one subsystem, or the blocks of one.
        let only = match &source.system.blocks[..] {
            [single] if single.kind == "SubSystem" && source.kind == SourceKind::Subsystem => single.system.clone(),
            _ => None,
        };
        let mask = cx.block.mask.clone();
        subsystem::inside(cx, &source, only.as_ref().unwrap_or(&source.system), mask.as_ref(), false)
    })
}

/// An instance of another model.
pub fn model_reference(cx: &mut Cx) -> Result<Made, String> {
    let name = cx
        .any(&["ModelNameDialog", "ModelFile", "ModelName"])
        .trim_end_matches(".slx")
        .trim_end_matches(".mdl")
        .to_owned();
    if name.is_empty() {
        return Err("it names no model".to_owned());
    }
    let source = cx
        .mapper
        .file(&name)
        .ok_or_else(|| format!("the model {name} is not beside this one; give its folder with --library"))?;
    let values = cx.text("ParameterArgumentValues").to_owned();
    let names = cx.text("ParameterArgumentNames").to_owned();
    let arguments = super::super::script::split(&names, ',').into_iter().zip(super::super::script::split(&values, ','));
    let parameters = arguments.filter(|(name, _)| !name.trim().is_empty()).map(|(name, value)| MaskParameter {
        name: name.trim().to_owned(),
        value: value.trim().to_owned(),
        control: "edit".to_owned(),
        is_evaluated: true,
        ..MaskParameter::default()
    });
    let mask = Mask { parameters: parameters.collect(), ..Mask::default() };
    opened(cx, &name, |cx| subsystem::inside(cx, &source, &source.system, Some(&mask), true))
}

/// Opens a file within the one that is open, unless it is open already.
fn opened(cx: &mut Cx, name: &str, map: impl FnOnce(&mut Cx) -> Result<Made, String>) -> Result<Made, String> {
    if cx.mapper.open.iter().any(|open| open == name) || cx.mapper.open.len() > MAX_OPEN {
        return Err(format!("{name} contains itself"));
    }
    cx.mapper.open.push(name.to_owned());
    let made = map(cx);
    cx.mapper.open.pop();
    made
}

/// A path with single blanks.
pub fn squeezed(path: &str) -> String {
    path.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The parts of a path; a slash in a name is doubled.
pub fn parts(path: &str) -> Vec<String> {
    path.replace("//", "\u{0}").split('/').map(|part| part.replace('\u{0}', "/")).collect()
}

fn find<'a>(source: &'a Source, path: &[String]) -> Option<&'a Foreign> {
    let mut system = &source.system;
    for (index, name) in path.iter().enumerate() {
        let block = system.blocks.iter().find(|block| block.title() == *name)?;
        if index + 1 == path.len() {
            return Some(block);
        }
        system = block.system.as_ref()?;
    }
    None
}
