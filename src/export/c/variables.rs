//! The variables of the code: each cell of the step code is an element of one, or a constant.

use std::collections::{BTreeMap, BTreeSet};

use super::arrange::Results;
use super::layout::{Layout, Rows, rows};
use super::names::{Names, UnitName, identifier};
use super::plan::Output;
use super::types::{Type, types};
use super::usage::Usage;
use crate::block::StateKind;
use crate::engine::{Instruction, Opcode, Operand, Program, StepCode, UnitId, UnitMap};

/// Where a cell is in the code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Home {
    Constant(f64),
    /// An element of a variable, by their numbers.
    Element(u32, u32),
    /// The time that the function of the rates is given.
    Time,
}

/// The kind of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    Parameters,
    Inputs,
    /// Values that depend on parameters alone.
    Derived,
    /// Discrete states.
    States,
    /// All continuous states.
    Continuous,
    /// All continuous states as a solver assumes them.
    Assumed,
    /// An output.
    Outputs,
    /// The rates of all continuous states at the start of the step.
    Firsts,
    /// Those that the function of the rates computes.
    Rates,
    Signals,
    /// A local variable of a function.
    Local,
    /// A variable in the turns of a loop, one for the whole row.
    Row,
    /// The working memory of a solver.
    Solver,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub section: Section,
    /// Its first cell.
    pub first: u32,
    /// The number of its elements.
    pub width: u32,
    pub kind: Type,
    /// The origin of its elements, such as `Plant/Motor#3 (Math/Gain)`.
    pub comment: String,
}

/// A ring of past values.
#[derive(Clone, Debug)]
pub struct RingVariable {
    pub name: String,
    pub length: u32,
    pub width: u32,
    pub comment: String,
}

pub struct Variables {
    pub homes: Vec<Home>,
    /// The types of the cells.
    pub types: Vec<Type>,
    pub all: Vec<Variable>,
    /// By the offset of the ring in the context's history.
    pub rings: BTreeMap<u32, RingVariable>,
    /// The number of continuous states, with unused ones between them.
    pub continuous: u32,
    /// The first cell of the continuous states.
    pub first_continuous: u32,
    /// The names that cells have in the diagram.
    pub cell_names: BTreeMap<u32, String>,
    /// Names of the continuous states by the index of their first element.
    pub state_names: BTreeMap<u32, StateName>,
}

/// A continuous state of a block.
#[derive(Clone, Debug)]
pub struct StateName {
    /// In capital letters, such as `MOTOR_SPEED`.
    pub name: String,
    pub width: u32,
    pub comment: String,
}

/// The distance from a cell of the step to the same one of the rates, if there are rates.
pub fn minor_distance(code: &StepCode) -> Option<u32> {
    let first = |moves: &crate::engine::Bindings| moves.0.iter().map(|piece| piece.cell).min();
    Some(first(&code.driven.as_ref()?.x)? - first(&code.continuous)?)
}

/// The parts from which the variables are made.
pub struct Source<'a> {
    pub program: &'a Program,
    pub code: &'a StepCode,
    pub units: &'a UnitMap<UnitName>,
    pub usage: &'a Usage<'a>,
    /// The lists of instructions, without those of branches.
    pub lists: &'a [&'a [Instruction]],
    /// The units that are inputs of the code.
    pub inputs: &'a [UnitId],
    /// The values of cells that are constants in the code.
    pub constants: &'a [(u32, f64)],
    /// The instructions that depend on parameters alone.
    pub derived: &'a [Instruction],
    pub results: &'a Results,
    pub outputs: &'a [Output],
    /// Whether the states are read and written from outside, as numbers.
    pub is_observed: bool,
    /// Whether the rates at the start of the step are a variable of the step.
    pub has_local_rates: bool,
    /// The cells that calls of shared functions write.
    pub results_of_calls: &'a BTreeSet<u32>,
}

/// A cell before it has a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Constant(f64),
    Time,
    Section(Section),
}

struct Finder<'a> {
    source: &'a Source<'a>,
    kinds: Vec<Kind>,
    /// Whether a cell and the next are in one variable.
    is_joined: Vec<bool>,
    /// Cells with a name of their own, and the unit that it stands for; the clock is no unit.
    names: BTreeMap<u32, (String, Option<UnitId>)>,
    /// The same with those that are in functions of models.
    all_names: BTreeMap<u32, String>,
}

pub fn variables(source: &Source, layout: &Layout) -> Variables {
    let cells = source.code.cells;
    let mut finder = Finder {
        source,
        kinds: vec![Kind::Section(Section::Signals); cells],
        is_joined: vec![false; cells],
        names: BTreeMap::new(),
        all_names: BTreeMap::new(),
    };
    finder.find_kinds();
    finder.name_cells();
    finder.name_clock();
    finder.name_minor_cells();
    finder.join();
    let is_signal = |cell: u32| finder.kinds[cell as usize] == Kind::Section(Section::Signals);
    let rows = rows(layout, source.usage, is_signal);
    let types = types(source.code, source.lists, source.constants);
    finder.finish(&rows, types)
}

impl Finder<'_> {
    fn find_kinds(&mut self) {
        let code = self.source.code;
        let mut mark = |cell: u32, kind| self.kinds[cell as usize] = kind;
        for ins in self.source.derived {
            // A value that is read in the same function alone is a variable of it.
            let is_kept = |cell: &u32| self.source.usage.cells[*cell as usize].local().is_none();
            let cells = (ins.dst..ins.dst + ins.written()).filter(is_kept);
            cells.for_each(|cell| mark(cell, Kind::Section(Section::Derived)));
        }
        let moves = [
            (&code.params, Section::Parameters),
            (&code.discrete, Section::States),
            (&code.continuous, Section::Continuous),
        ];
        for (moves, section) in moves {
            for piece in &moves.0 {
                (piece.cell..piece.cell + piece.count).for_each(|cell| mark(cell, Kind::Section(section)));
            }
        }
        if let Some(driven) = &code.driven {
            mark(driven.time, Kind::Time);
            for piece in &driven.x.0 {
                (piece.cell..piece.cell + piece.count).for_each(|cell| mark(cell, Kind::Section(Section::Assumed)));
            }
        }
        let Results { outputs, firsts, rates } = self.source.results;
        let outputs = outputs.iter().map(|range| (*range, Section::Outputs));
        let firsts = firsts.iter().map(|range| (*range, Section::Firsts));
        for (range, section) in outputs.chain(firsts).chain(rates.iter().map(|range| (*range, Section::Rates))) {
            range.cells().for_each(|cell| mark(cell, Kind::Section(section)));
        }
        for &(cell, value) in self.source.constants {
            mark(cell, Kind::Constant(value));
        }
    }

    /// Names parameters, states and outputs, and joins their elements.
    fn name_cells(&mut self) {
        let Source { program, code, units, .. } = *self.source;
        let mut params = vec![0; program.params.len()];
        for piece in &code.params.0 {
            (0..piece.count).for_each(|number| params[(piece.offset + number) as usize] = piece.cell + number);
        }
        let cells_of = |moves: &crate::engine::Bindings, count: usize| {
            let mut cells = vec![0; count];
            for piece in &moves.0 {
                (0..piece.count).for_each(|number| cells[(piece.offset + number) as usize] = piece.cell + number);
            }
            cells
        };
        let discrete = cells_of(&code.discrete, program.discrete_count);
        for (number, unit) in program.units.iter() {
            let name = &units[number].identifier;
            let kernel = program.kernel(unit);
            let mut first = unit.first_param as usize;
            let is_input = self.source.inputs.contains(&number);
            for (param, &(_, width)) in kernel.params.iter().enumerate() {
                if width > 0 {
                    let cell = params[first];
                    if is_input {
                        let input = Kind::Section(Section::Inputs);
                        self.kinds[cell as usize..][..width].fill(input);
                    }
                    let param = program.param_name(number, param);
                    let param = if param.is_empty() { "stream".to_owned() } else { identifier(param) };
                    let text = if is_input { name.clone() } else { format!("{name}_{param}") };
                    self.name(cell, width as u32, text, number);
                }
                first += width;
            }
            for slot in program.states_of(unit) {
                if slot.kind == StateKind::Discrete && slot.width > 0 {
                    self.name(discrete[slot.offset as usize], slot.width, format!("{name}_state"), number);
                }
            }
        }
        // An output that only passes on a value has the name of the parameter, state or block that the value comes
        // from.
        for (number, unit) in program.units.iter() {
            let name = &units[number].identifier;
            let outputs = program.outputs_of(unit);
            let is_only = outputs.len() == 1;
            for output in outputs {
                let text = match is_only {
                    true => name.clone(),
                    false => format!("{name}_{}", identifier(program.output_name(number, output))),
                };
                let (cell, width) = (code.outputs[output], program.outputs[output].width);
                self.all_names.entry(cell).or_insert_with(|| text.clone());
                if width > 0 && self.source.usage.cells[cell as usize].is_used() {
                    self.name(cell, width, text, number);
                }
            }
        }
    }

    fn name(&mut self, cell: u32, width: u32, text: String, unit: UnitId) {
        // The block that computes a value names it, not those that pass it through.
        self.names.entry(cell).or_insert((text, Some(unit)));
        self.join_range(cell, width);
    }

    /// Gives the cells of the rates the names of the cells of the step.
    fn name_minor_cells(&mut self) {
        let Some(distance) = minor_distance(self.source.code) else { return };
        let first = self.source.code.continuous.0.iter().map(|piece| piece.cell).min().unwrap_or(0);
        let minor = self.names.range(first..first + distance).map(|(cell, named)| (cell + distance, named.clone()));
        let minor: Vec<_> = minor.collect();
        for (cell, named) in minor {
            self.names.entry(cell).or_insert(named);
        }
        for cell in (first..first + distance).map(|cell| cell as usize) {
            let other = cell + distance as usize;
            if self.is_joined[cell] && self.kinds[other] == self.kinds[other + 1] {
                self.is_joined[other] |= matches!(self.kinds[other], Kind::Section(_));
            }
        }
    }

    fn join_range(&mut self, first: u32, count: u32) {
        for cell in first as usize..(first + count) as usize - 1 {
            let is_one = self.kinds[cell] == self.kinds[cell + 1] && matches!(self.kinds[cell], Kind::Section(_));
            self.is_joined[cell] |= is_one;
        }
    }

    /// Names the cells of the clock.
    fn name_clock(&mut self) {
        for ins in &self.source.code.step {
            let name = match ins.opcode {
                Opcode::Step => "step_number",
                Opcode::StepTime => "step_time",
                Opcode::StageTime(_) => "time_now",
                Opcode::Hit(_) => "is_hit",
                Opcode::Count(_) => "hits",
                _ => continue,
            };
            self.names.entry(ins.dst).or_insert((name.to_owned(), None));
        }
    }

    /// Joins the cells that an instruction reads or writes in a row.
    fn join(&mut self) {
        let source = self.source;
        let bodies = source.code.branches.iter().flat_map(|branch| [&branch.body[..], &branch.otherwise[..]]);
        for ins in source.lists.iter().copied().chain(bodies).flatten() {
            if ins.written() > 1 {
                self.join_range(ins.dst, ins.written());
            }
            for (operand, elements) in ins.reads() {
                if let (Operand::Contiguous(first), true) = (operand, elements > 1) {
                    self.join_range(first, elements);
                }
            }
        }
    }

    fn finish(self, rows: &Rows, types: Vec<Type>) -> Variables {
        let Source { program, code, units, usage, .. } = *self.source;
        let mut found = Variables {
            homes: vec![Home::Constant(0.0); code.cells],
            types,
            all: Vec::new(),
            rings: BTreeMap::new(),
            continuous: 0,
            first_continuous: 0,
            cell_names: BTreeMap::new(),
            state_names: BTreeMap::new(),
        };
        for (section, moves) in [
            (Section::Continuous, Some(&code.continuous)),
            (Section::Assumed, code.driven.as_ref().map(|driven| &driven.x)),
        ] {
            let pieces = moves.map(|moves| &moves.0[..]).unwrap_or_default();
            let first = pieces.iter().map(|piece| piece.cell).min().unwrap_or(0);
            let end = pieces.iter().map(|piece| piece.cell + piece.count).max().unwrap_or(0);
            if section == Section::Continuous {
                (found.continuous, found.first_continuous) = (end - first, first);
            }
            let variable = found.all.len() as u32;
            for piece in pieces {
                for cell in piece.cell..piece.cell + piece.count {
                    found.homes[cell as usize] = Home::Element(variable, cell - first);
                }
            }
            let (name, comment) = ("x".to_owned(), String::new());
            found.all.push(Variable { name, section, first, width: end - first, kind: Type::Number, comment });
        }
        let Results { outputs, firsts, rates } = self.source.results;
        let outputs = outputs.iter().zip(self.source.outputs);
        let outputs = outputs.map(|(range, output)| (*range, Section::Outputs, output.name.clone(), &*output.title));
        let (section, name) = match self.source.has_local_rates {
            true => (Section::Rates, "rates"),
            false => (Section::Firsts, "k[0]"),
        };
        let firsts = firsts.iter().map(|range| (*range, section, name.to_owned(), ""));
        let rates = rates.iter().map(|range| (*range, Section::Rates, "rates".to_owned(), ""));
        for (range, section, name, title) in outputs.chain(firsts).chain(rates) {
            for (cell, at) in range.cells().zip(0..) {
                found.homes[cell as usize] = Home::Element(found.all.len() as u32, at);
            }
            let comment = super::names::comment(title);
            let (first, width, kind) = (range.first, range.count, Type::Number);
            found.all.push(Variable { name, section, first, width, kind, comment });
        }
        let minor_start = minor_distance(code).map(|distance| found.first_continuous + distance);
        let mut names: BTreeMap<Section, Names> = BTreeMap::new();
        let mut cell = 0;
        while cell < code.cells {
            let first = cell;
            while self.is_joined[cell] {
                cell += 1;
            }
            cell += 1;
            let section = match self.kinds[first] {
                Kind::Constant(_) | Kind::Time => {
                    for (home, kind) in found.homes[first..cell].iter_mut().zip(&self.kinds[first..cell]) {
                        *home = if let Kind::Constant(value) = kind { Home::Constant(*value) } else { Home::Time };
                    }
                    continue;
                }
                Kind::Section(Section::Continuous | Section::Assumed) => continue,
                Kind::Section(Section::Outputs | Section::Firsts | Section::Rates) => continue,
                Kind::Section(section) => section,
            };
            let is_public = matches!(section, Section::Parameters | Section::Inputs | Section::States);
            if section != Section::Inputs && !usage.cells[first..cell].iter().any(|of| of.is_used()) {
                continue;
            }
            let local = usage.cells[first].local();
            let is_local = local.is_some() && usage.cells[first..cell].iter().all(|of| of.local() == local);
            let is_row = rows.get(&(first as u32)) == Some(&((cell - first) as u32));
            let section = match section {
                Section::Signals if is_row => Section::Row,
                Section::Signals if is_local => Section::Local,
                _ => section,
            };
            let named: Vec<&(String, Option<UnitId>)> =
                self.names.range(first as u32..cell as u32).map(|(_, named)| named).collect();
            let owner = code.owner(first as u32).map(|owner| &units[owner]);
            let wanted = match (named.first(), owner) {
                (Some((name, _)), _) => name.clone(),
                (None, Some(unit)) => format!("{}_term", unit.identifier),
                (None, None) => "term".to_owned(),
            };
            // Local variables, signals and derived values have different names, for readers.
            let is_minor = matches!(section, Section::Local | Section::Row)
                && minor_start.is_some_and(|start| first as u32 >= start);
            let space = if is_public {
                section
            } else if is_minor {
                Section::Assumed
            } else {
                Section::Signals
            };
            let name = names.entry(space).or_insert_with(Names::new).unique(&wanted);
            let variable = found.all.len() as u32;
            for (number, home) in found.homes[first..cell].iter_mut().enumerate() {
                *home = Home::Element(variable, number as u32);
            }
            let comment = match &named[..] {
                [] => owner.map_or(String::new(), |unit| unit.comment.clone()),
                [(_, None), ..] => "the clock".to_owned(),
                [(_, Some(unit))] => units[*unit].comment.clone(),
                [(_, Some(unit)), rest @ ..] => {
                    let blocks = rest.iter().filter(|(_, other)| *other != Some(*unit)).count();
                    let more = if blocks == 0 { String::new() } else { format!(" and {blocks} more") };
                    format!("{}{more}", units[*unit].comment)
                }
            };
            let (first, width) = (first as u32, (cell - first) as u32);
            let is_typed = width == 1 && !self.source.results_of_calls.contains(&first);
            let kind = match (section, found.types[first as usize]) {
                (Section::Local, kind) if is_typed => kind,
                (Section::Signals, Type::Truth) if is_typed => Type::Truth,
                (Section::States, Type::Truth) if is_typed && !self.source.is_observed => Type::Truth,
                _ => Type::Number,
            };
            found.all.push(Variable { name, section, first, width, kind, comment });
        }
        found.cell_names = self.all_names;
        found.cell_names.extend(self.names.into_iter().map(|(cell, (name, _))| (cell, name)));
        if let Some(distance) = minor_distance(code) {
            let first = found.first_continuous;
            let minor = found.cell_names.range(first..first + distance);
            let minor: Vec<_> = minor.map(|(cell, name)| (cell + distance, name.clone())).collect();
            minor.into_iter().for_each(|(cell, name)| {
                found.cell_names.entry(cell).or_insert(name);
            });
        }
        found.state_names = state_names(program, code, units, found.first_continuous);
        let mut ring_names = Names::new();
        for (number, unit) in program.units.iter() {
            for slot in program.states_of(unit) {
                let StateKind::History { length } = slot.kind else { continue };
                let name = ring_names.unique(&units[number].identifier);
                let comment = units[number].comment.clone();
                found
                    .rings
                    .insert(slot.offset, RingVariable { name, length: length as u32, width: slot.width, comment });
            }
        }
        found
    }
}

fn state_names(program: &Program, code: &StepCode, units: &UnitMap<UnitName>, first: u32) -> BTreeMap<u32, StateName> {
    let mut names = Names::new();
    let mut found = BTreeMap::new();
    for (unit, UnitName { identifier, comment, .. }) in program.units.values().zip(units.values()) {
        for slot in program.states_of(unit) {
            let mut pieces = code.continuous.0.iter();
            let piece = pieces.find(|piece| (piece.offset..piece.offset + piece.count).contains(&slot.offset));
            if let (StateKind::Continuous, Some(piece), true) = (slot.kind, piece, slot.width > 0) {
                let name = names.unique(identifier).to_uppercase();
                let (width, comment) = (slot.width, comment.clone());
                found.insert(piece.cell + (slot.offset - piece.offset) - first, StateName { name, width, comment });
            }
        }
    }
    found
}

impl Variables {
    /// The index of an element of the continuous states in an expression, by the name of its state if it has one.
    pub fn state_index(&self, macros: &str, index: u32) -> String {
        match self.state_names.range(..=index).next_back() {
            Some((first, state)) if index < first + state.width => match index - first {
                0 => format!("{macros}_X_{}", state.name),
                element => format!("{macros}_X_{} + {element}U", state.name),
            },
            _ => index.to_string(),
        }
    }
}

impl Variable {
    /// The variable in an expression of the code.
    pub fn path(&self) -> String {
        let name = &self.name;
        match self.section {
            Section::Parameters => format!("self->parameters.{name}"),
            Section::Inputs => format!("self->inputs.{name}"),
            Section::Derived => format!("self->derived.{name}"),
            Section::States => format!("self->states.{name}"),
            Section::Continuous => format!("self->states.{name}"),
            Section::Signals => format!("self->signals.{name}"),
            Section::Solver | Section::Firsts => format!("self->solver.{name}"),
            Section::Outputs => format!("self->outputs.{name}"),
            Section::Assumed | Section::Local | Section::Rates | Section::Row => name.clone(),
        }
    }

    /// Whether it is an array; a single continuous state is one, too.
    pub fn is_array(&self) -> bool {
        use Section::{Assumed, Continuous, Firsts, Rates, Row, Solver};
        match self.section {
            Continuous | Assumed | Solver | Firsts | Rates => true,
            Row => false,
            _ => self.width > 1,
        }
    }
}
