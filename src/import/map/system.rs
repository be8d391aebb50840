//! One system becomes one model: its ports first, in their order, then its blocks, then its wires.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::super::picture::{self, Shape};
use super::super::report::{Class, Entry};
use super::super::source::{Block as Foreign, Language, Port, Source, System};
use super::block::Cx;
use super::child::{Child, Place};
use super::made::{Control, Ends, Made, library};
use super::names::{clean, kind_text, number, text};
use super::shapes::{Shapes, Size};
use super::state::{Frame, MAX_BLOCKS, Mapper};
use super::{bus_ports, conditional, placeholder, table};
use crate::block::{Body, Face};
use crate::model::{Block, BlockId, BlockKind, Commented, Connection, Model, block_ports};

/// A foreign block that is placed.
#[derive(Debug, Default)]
struct Placed {
    inputs: Vec<(BlockId, Arc<str>)>,
    outputs: Vec<(BlockId, Arc<str>)>,
    controls: Vec<(Control, BlockId, Arc<str>)>,
    /// The block, if it is a placeholder: it has any port.
    placeholder: Option<BlockId>,
}

impl Mapper {
    /// Maps the root system and returns the name of its model.
    pub(super) fn root(&mut self, source: &Rc<Source>, name: &str) -> String {
        let place = Place { source, name, path: "", is_root: true };
        self.system(&source.system, &place, Frame::default()).0.model
    }

    /// Maps a system; returns what its block needs, and its scope with the names that it uses.
    pub(super) fn system(&mut self, system: &System, place: &Place, frame: Frame) -> (Child, Frame) {
        self.frames.push(frame);
        // In the root each element of a bus is a port of its own.
        let whole = if place.is_root { std::borrow::Cow::Borrowed(system) } else { bus_ports::whole(system) };
        let system = &*whole;
        let outer = std::mem::take(&mut self.tags.waiting);
        let name = self.simulation.free_model_name(&clean(place.name));
        let partition = conditional::partition(system);
        let mut child = Child { model: name.clone(), partition, ..Child::default() };
        // The name is taken before those inside.
        self.simulation.add_model(Model::new(&name));
        let mut model = Model::new(&name);
        let mut placed: BTreeMap<usize, Placed> = BTreeMap::new();
        let wiring = wiring(system, place.path, &self.shapes);
        for index in order(system) {
            let block = &system.blocks[index];
            self.blocks += 1;
            if self.blocks > MAX_BLOCKS {
                break;
            }
            let done = self.block((system, &wiring), index, place, &mut model, &mut child);
            // A second drawing of an entry has the wires of the first.
            if block.kind == "InportShadow" && done.outputs.is_empty() {
                let first = (0..system.blocks.len()).find(|&other| {
                    is_port(&system.blocks[other], "Inport") && number(&system.blocks[other]) == number(block)
                });
                if let Some(outputs) = first.and_then(|first| placed.get(&first)).map(|placed| placed.outputs.clone()) {
                    placed.insert(index, Placed { outputs, ..done });
                    continue;
                }
            }
            placed.insert(index, done);
        }
        self.wires(system, &mut model, &placed);
        self.lift(system, place, &mut model, &placed, &mut child);
        notes(system, &mut model);
        if system.loose > 0 {
            let count = system.loose;
            let what = if count == 1 {
                "1 line with an open end is".to_owned()
            } else {
                format!("{count} lines with open ends are")
            };
            self.report.notes.push(format!(
                "{what} left out in {}",
                if place.path.is_empty() { "the root" } else { place.path.trim_end_matches('/') }
            ));
        }
        if let Some(known) = self.simulation.model_mut(&name) {
            model.seq = known.seq;
            *known = model;
        }
        self.tags.waiting = outer;
        let frame = self.frames.pop().unwrap_or_default();
        child.passed.clone_from(&frame.passed);
        (child, frame)
    }

    fn block(
        &mut self,
        (system, wiring): (&System, &BTreeMap<usize, Wiring>),
        index: usize,
        place: &Place,
        model: &mut Model,
        child: &mut Child,
    ) -> Placed {
        let block = &system.blocks[index];
        let path = format!("{}{}", place.path, block.title().replace('/', "//"));
        let wiring = wiring.get(&index).cloned().unwrap_or_default();
        let mut input_names = wiring.names;
        input_names.resize(wiring.inputs.max(block.inputs.unwrap_or(0)).min(10_000), String::new());
        let mut cx = Cx {
            mapper: self,
            block,
            source: place.source,
            path: &path,
            wired_inputs: wiring.inputs,
            wired_outputs: wiring.outputs,
            input_names,
            input_shapes: wiring.shapes,
            notes: Vec::new(),
        };
        let made = match conditional::port(&mut cx, model, child, place.is_root) {
            Some(made) => made,
            None => match cx.mapper.language {
                Language::Matlab => table::map(&mut cx),
                Language::Scilab => super::xcos::map(&mut cx),
            },
        };
        let notes = std::mem::take(&mut cx.notes);
        let (made, class, notes) = match made {
            Ok(made) => {
                let class = made.class.unwrap_or(if notes.is_empty() { Class::Exact } else { Class::Approximated });
                (made, class, notes)
            }
            Err(reason) => {
                let block = placeholder::of(block, &cx);
                (Made::from(block), Class::Placeholder, vec![reason])
            }
        };
        let first = model.free_id();
        let placed = self.add(made, block, model, class);
        let has_block = model.block(first).is_some();
        self.report.entries.push(Entry {
            path,
            kind: kind_text(block),
            class,
            notes,
            model: has_block.then(|| model.name.to_string()),
            block: has_block.then_some(first),
        });
        placed
    }

    /// Adds the blocks to the model.
    fn add(&mut self, made: Made, foreign: &Foreign, model: &mut Model, class: Class) -> Placed {
        let mut ids = Vec::new();
        let mut main: Option<Block> = None;
        for (index, mut block) in made.parts.into_iter().enumerate() {
            block.id = model.free_id();
            let ports = block_ports(&self.simulation, &self.registry, model, &block);
            match &main {
                None => {
                    let title = clean(&foreign.title());
                    if !title.is_empty() && title != block.kind.title() {
                        block.attributes.set("label", &title);
                    }
                    let shape = self.shape(&block, ports.inputs.len(), ports.outputs.len());
                    picture::place(&mut block, foreign, shape);
                    comment(&mut block, foreign);
                    main = Some(block.clone());
                }
                Some(main) => {
                    picture::place_beside(&mut block, main, index as f64);
                    comment(&mut block, foreign);
                }
            }
            if matches!(block.kind, BlockKind::Model { .. }) {
                self.tags.place(block.id);
            }
            ids.push((block.id, ports));
            model.add_block(block);
        }
        for ((from, output), (to, input)) in made.inner {
            if let (Some((from, _)), Some((to, _))) = (ids.get(from), ids.get(to)) {
                model.connect(Connection::new(*from, &output, *to, &input));
            }
        }
        let listed = |places: Vec<super::made::Place>| {
            places.into_iter().filter_map(|(part, port)| Some((ids.get(part)?.0, port))).collect::<Vec<_>>()
        };
        let controls =
            made.controls.into_iter().filter_map(|(control, (part, port))| Some((control, ids.get(part)?.0, port)));
        let controls = controls.collect();
        let placeholder = ids.first().map(|(id, _)| *id).filter(|_| class == Class::Placeholder);
        match (made.ends, ids.first()) {
            (Ends::First, Some((id, ports))) => Placed {
                inputs: ports.inputs.iter().map(|port| (*id, Arc::clone(port))).collect(),
                outputs: ports.outputs.iter().map(|port| (*id, Arc::clone(port))).collect(),
                controls,
                placeholder,
            },
            (Ends::First, None) => Placed::default(),
            (Ends::Listed { inputs, outputs }, _) => {
                Placed { inputs: listed(inputs), outputs: listed(outputs), controls, placeholder }
            }
        }
    }

    fn shape(&self, block: &Block, inputs: usize, outputs: usize) -> Shape {
        let body = match &block.kind {
            BlockKind::Library { group, name } => {
                self.registry.get(group, name).map_or(Body::Rect, |def| def.look.body)
            }
            BlockKind::Entry { .. } | BlockKind::Exit { .. } => Body::Pill,
            BlockKind::Model { .. } => Body::Rect,
        };
        let is_known =
            matches!(&block.kind, BlockKind::Library { group, name } if self.registry.get(group, name).is_some());
        let is_labelled = body == Body::Rect && !is_known && inputs + outputs > 0;
        Shape { body, inputs, outputs, is_labelled, letters: self.letters(block) }
    }

    /// The letters of a parameter that stands in a block.
    fn letters(&self, block: &Block) -> usize {
        const MOST: usize = 10;
        let name = match &block.kind {
            BlockKind::Library { group, name } => self.registry.get(group, name).map(|def| def.look.face),
            BlockKind::Entry { name } | BlockKind::Exit { name } => return name.chars().count().min(20),
            BlockKind::Model { .. } => None,
        };
        match name {
            Some(Face::Param(name)) => {
                let texts = block.option_texts(name).unwrap_or_default();
                texts.iter().map(|text| text.chars().count() + 1).sum::<usize>().saturating_sub(1).min(MOST)
            }
            Some(Face::Text(text)) => text.chars().count(),
            _ => 0,
        }
    }

    fn wires(&mut self, system: &System, model: &mut Model, placed: &BTreeMap<usize, Placed>) {
        let mut lost = 0;
        for wire in &system.wires {
            let from = placed.get(&wire.from.block).and_then(|block| block.output(wire.from.port));
            let to = placed.get(&wire.to.block).and_then(|block| block.input(wire.to.port));
            let (Some((from, output)), Some((to, input))) = (from, to) else {
                lost += 1;
                continue;
            };
            let mut connection = Connection::new(from, &output, to, &free_input(model, to, input));
            let named = &system.blocks[wire.from.block].output_names;
            let own = if let Port::Signal(number) = wire.from.port { named.get(&number) } else { None };
            let name = if wire.name.trim().is_empty() { own.map_or("", |name| name.as_str()) } else { &wire.name };
            let name = clean(name);
            connection.attributes.put(Connection::NAME, (!name.is_empty()).then_some(&*name));
            if let Some(bends) = picture::bends(wire, &system.blocks) {
                connection.attributes.set("view:bends", &bends);
            }
            model.connect(connection);
        }
        if lost > 0 {
            let wires = if lost == 1 { "1 wire leads" } else { &format!("{lost} wires lead") };
            self.report.notes.push(format!("{wires} to ports that the blocks here do not have, in {}", model.name));
        }
    }

    /// Carries the signals of Goto blocks to where their receivers see them.
    fn lift(
        &mut self,
        system: &System,
        place: &Place,
        model: &mut Model,
        placed: &BTreeMap<usize, Placed>,
        child: &mut Child,
    ) {
        let here = place.path.trim_end_matches('/').to_owned();
        for (index, block) in system.blocks.iter().enumerate().filter(|(_, block)| block.kind == "Goto") {
            let tag = block.params.get("GotoTag").unwrap_or("A").to_owned();
            if !self.tags.goes_up(&tag, &here) {
                continue;
            }
            let source = placed
                .get(&index)
                .and_then(|placed| placed.inputs.first())
                .and_then(|(id, port)| model.source(*id, port).cloned());
            let Some(source) = source else { continue };
            child.lifted.push((tag.clone(), self.exit_for(model, &tag, source.from, &source.output)));
        }
        // Those from inside end here, or go on.
        let inside: Vec<(BlockId, String, Arc<str>)> = std::mem::take(&mut self.tags.waiting);
        for (id, tag, port) in inside {
            if self.tags.ends_at(&tag, &here) {
                let mut block = library("Routing", "Goto")
                    .with_option("Tag", &[clean(&tag)])
                    .with_option("Visibility", &["inside"]);
                block.id = model.free_id();
                if let Some(of) = model.block(id) {
                    picture::place_beside(&mut block, of, 1.5);
                }
                let to = block.id;
                model.add_block(block);
                model.connect(Connection::new(id, &port, to, "Input"));
            } else {
                let exit = self.exit_for(model, &tag, id, &port);
                child.lifted.push((tag, exit));
            }
        }
    }

    fn exit_for(&self, model: &mut Model, tag: &str, from: BlockId, output: &str) -> Arc<str> {
        let name = model.free_port_name(&clean(tag));
        let mut exit = Block::new(model.free_id(), BlockKind::exit(&name));
        if let Some(of) = model.block(from) {
            picture::place_beside(&mut exit, of, 1.5);
        }
        let to = exit.id;
        model.add_block(exit);
        model.connect(Connection::new(from, output, to, "Input"));
        name.into()
    }
}

impl Placed {
    fn input(&self, port: Port) -> Option<(BlockId, Arc<str>)> {
        let control = match port {
            Port::Signal(number) => return self.inputs.get(number - 1).cloned(),
            Port::Physical(number) => return self.physical(number),
            Port::Enable => Control::Enable,
            Port::Trigger => Control::Trigger,
            Port::Action => Control::Action,
            Port::Reset => Control::Reset,
            Port::State => return None,
        };
        self.controls.iter().find(|(known, ..)| *known == control).map(|(_, id, port)| (*id, Arc::clone(port)))
    }

    fn output(&self, port: Port) -> Option<(BlockId, Arc<str>)> {
        match port {
            Port::Signal(number) => self.outputs.get(number - 1).cloned(),
            Port::Physical(number) => self.physical(number),
            Port::State => self.outputs.last().cloned(),
            _ => None,
        }
    }

    /// A port without a direction; only placeholders have some, and keep their wires.
    fn physical(&self, number: usize) -> Option<(BlockId, Arc<str>)> {
        let (side, number) = if number > 1000 { ("Right", number - 1000) } else { ("Left", number) };
        Some((self.placeholder?, format!("{side} {number}").into()))
    }
}

/// An input for a wire: the one that it leads to, or, where several wires meet at a port without a direction, another.
fn free_input(model: &Model, block: BlockId, input: Arc<str>) -> Arc<str> {
    let numbered = (2..1000).map(|number| Arc::from(format!("{input} ({number})")));
    let mut names = std::iter::once(Arc::clone(&input)).chain(numbered);
    names.find(|name| model.source(block, name).is_none()).unwrap_or(input)
}

/// The blocks of a system: entries by number, control ports, exits by number, then the rest in the order of the file.
fn order(system: &System) -> Vec<usize> {
    let rank = |block: &Foreign| match &*block.kind {
        "Inport" => (0, number(block)),
        "EnablePort" | "TriggerPort" | "ActionPort" | "ResetPort" | "ForIterator" | "WhileIterator" | "ForEach" => {
            (1, 0)
        }
        "Outport" => (2, number(block)),
        "InportShadow" => (4, 0),
        _ => (3, 0),
    };
    let mut order: Vec<usize> = (0..system.blocks.len()).collect();
    order.sort_by_key(|&index| rank(&system.blocks[index]));
    order
}

fn is_port(block: &Foreign, kind: &str) -> bool {
    block.kind == kind
}

/// The wires of a block, as far as it needs them to be mapped.
#[derive(Clone, Debug, Default)]
struct Wiring {
    /// The numbers of the last ports with wires.
    inputs: usize,
    outputs: usize,
    /// The names of the signals at its inputs.
    names: Vec<String>,
    /// The sizes of the signals at its inputs.
    shapes: Vec<Option<Size>>,
}

fn wiring(system: &System, path: &str, shapes: &Shapes) -> BTreeMap<usize, Wiring> {
    let mut found: BTreeMap<usize, Wiring> = BTreeMap::new();
    for wire in &system.wires {
        if let Port::Signal(number) = wire.from.port {
            let from = found.entry(wire.from.block).or_default();
            from.outputs = from.outputs.max(number);
        }
        let Port::Signal(number) = wire.to.port else { continue };
        let name = match wire.from.port {
            _ if !wire.name.trim().is_empty() => Some(&wire.name),
            Port::Signal(output) => system.blocks[wire.from.block].output_names.get(&output),
            _ => None,
        };
        let to = found.entry(wire.to.block).or_default();
        to.inputs = to.inputs.max(number);
        if let (Port::Signal(output), true) = (wire.from.port, number <= 10_000) {
            to.shapes.resize(to.shapes.len().max(number), None);
            to.shapes[number - 1] = shapes.output(path, wire.from.block, output);
        }
        if let (Some(name), true) = (name, number <= 10_000) {
            to.names.resize(to.names.len().max(number), String::new());
            to.names[number - 1].clone_from(name);
        }
    }
    found
}

/// How a block is left out of runs.
fn comment(block: &mut Block, foreign: &Foreign) {
    let how = match foreign.params.get("Commented") {
        Some("on") => Commented::Out,
        Some("through") => Commented::Through,
        _ => return,
    };
    block.attributes.set(Commented::ATTRIBUTE, how.name());
}

/// Adds the texts and frames of a system.
fn notes(system: &System, model: &mut Model) {
    for note in &system.notes {
        let (name, option) = if note.is_frame { ("Area", "Title") } else { ("Text", "Text") };
        let mut block = library("Note", name).with_option(option, &[text(&note.text)]);
        block.id = model.free_id();
        let area = note.area.unwrap_or_default();
        match note.is_frame {
            true => picture::place_frame(&mut block, area),
            false => picture::place_note(&mut block, area, &note.text),
        }
        model.add_block(block);
    }
}
