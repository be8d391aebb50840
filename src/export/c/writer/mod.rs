//! Writes instructions of the step code as statements of C.
//!
//! A value that is read once, by the same block, becomes part of the expression that reads it; all others are variables.
//! Each expression is evaluated where none of the cells that it reads has changed.
//!
//! | module | contents |
//! |---|---|
//! | `branch` | conditional and iterated parts |
//! | `curve` | curves through the rows of files |
//! | `initial` | initial values of adjacent states as tables |
//! | `loads` | truth values of the instance, each loaded once |
//! | `ring` | rings of past values |
//! | `tangent` | the tangents of instructions |
//! | `turns` | loops whose turns compute an element of several rows |

mod branch;
mod curve;
mod initial;
mod loads;
mod ring;
mod tangent;
mod turns;

use loads::Loads;
pub use tangent::Slopes;

use std::collections::{BTreeMap, BTreeSet};

use super::access::{Access, Tables, counted, hit, index};
use super::arrange::SHORT_FOLD;
use super::expression::{Calls, Expr, binary, call, select, unary};
use super::layout::Layout;
use super::names::{UnitName, comment};
use super::number::literal;
use super::shared::Shared;
use super::text::Text;
use super::types::Type;
use super::usage::{Item, Usage};
use super::variables::{Home, Section, Variable, Variables};
use crate::block::{Binary, SampleTime};
use crate::engine::{Instruction, Opcode, Operand, Program, StepCode, UnitId, UnitMap};

/// A longer expression becomes a variable.
const LONGEST: usize = 160;
/// Sums of adjacent values of at most this many elements are one expression.
const SHORT_SUM: u32 = 4;

/// The parts from which all functions of the code are written.
pub struct Plan<'a> {
    pub program: &'a Program,
    pub code: &'a StepCode,
    pub usage: &'a Usage<'a>,
    pub variables: &'a Variables,
    pub units: &'a UnitMap<UnitName>,
    /// For each cell the units that have an output or a state there.
    pub owners: &'a BTreeMap<u32, Vec<UnitId>>,
    /// The start of the names of the code, such as `motor`.
    pub model: &'a str,
    /// The start of the names of macros, such as `MOTOR`.
    pub macros: &'a str,
    pub shared: &'a Shared,
    /// The names of the functions of models that are used several times.
    pub functions: &'a [String],
    /// For the units of a function's first use those of the others.
    pub twins: &'a BTreeMap<UnitId, Vec<UnitId>>,
    pub layout: &'a Layout,
    /// The sample times of which the instance counts the steps until the next hit.
    pub hits: &'a [SampleTime],
}

/// An expression that waits for its reader.
struct Pending {
    first: u32,
    elements: u32,
    expr: Expr,
    reads: BTreeSet<u32>,
    units: Vec<UnitId>,
}

pub struct Writer<'a, 'b> {
    plan: &'a Plan<'a>,
    /// The variables of the plan, or those of tangents while tangents are written.
    variables: &'a Variables,
    pub text: Text,
    pub calls: &'b mut Calls,
    pub tables: &'b mut Tables,
    pending: Vec<Pending>,
    declared: BTreeSet<u32>,
    loads: Loads,
    last_units: Vec<UnitId>,
    /// Local arrays that the next statement needs.
    gathered: Vec<String>,
    numbers: u32,
}

impl<'a, 'b> Writer<'a, 'b> {
    pub fn new(plan: &'a Plan<'a>, calls: &'b mut Calls, tables: &'b mut Tables) -> Writer<'a, 'b> {
        Writer {
            plan,
            variables: plan.variables,
            text: Text::new(1),
            calls,
            tables,
            pending: Vec::new(),
            declared: BTreeSet::new(),
            loads: Loads::default(),
            last_units: Vec::new(),
            gathered: Vec::new(),
            numbers: 0,
        }
    }

    pub fn item(&mut self, item: &Item) {
        match item {
            Item::Instruction(ins) => self.ins(ins),
            Item::Call(number) => self.call(*number),
            Item::Loop(number) => self.turns(&self.plan.layout.loops[*number as usize]),
            Item::Integrate | Item::Report => {}
        }
    }

    pub fn list(&mut self, list: &[Instruction]) {
        list.iter().for_each(|ins| self.ins(ins));
    }

    pub fn ins(&mut self, ins: &Instruction) {
        match ins.opcode {
            Opcode::Branch(number) => self.branch(number),
            Opcode::Push(ring) => self.push(ring, ins),
            Opcode::Fill(ring) => self.fill(ring, ins),
            Opcode::Past(ring) => self.past(ring, ins),
            Opcode::Fold(_) => self.fold(ins),
            Opcode::Call { number, reads } => self.curve(number, reads, ins),
            // The limits of loops are checked where they run.
            Opcode::LimitRuns | Opcode::RefuseNonFinite => {}
            _ if ins.written() == 0 => {}
            _ => self.assign(ins),
        }
    }

    /// Writes a call of a function for a use of a model.
    pub fn call(&mut self, number: u32) {
        let call = &self.plan.shared.calls[number as usize];
        self.flush(|cell| call.outputs.contains(&cell));
        let mut arguments: Vec<String> = Vec::new();
        for cell in &call.inputs {
            arguments.push(self.value(*cell).text().to_owned());
        }
        let mut units: Vec<UnitId> = call.code.iter().flat_map(|ins| self.units_of(ins)).collect();
        units.sort_unstable();
        units.dedup();
        self.text.belongs_to(&units);
        self.last_units.clear();
        self.text.line(&format!("/* {} */", comment(&call.title)));
        let name = &self.plan.functions[call.function];
        if let [cell] = call.outputs[..] {
            return self.store(cell, 1, &Expr::atom(format!("{name}({})", arguments.join(", "))));
        }
        for cell in &call.outputs {
            let Home::Element(number, _) = self.home(*cell) else { continue };
            let variable = &self.variables.all[number as usize];
            if variable.section == Section::Local && self.declared.insert(number) {
                let size = if variable.is_array() { format!("[{}]", variable.width) } else { String::new() };
                self.text.line(&format!("double {}{size};", variable.name));
            }
            arguments.push(format!("&{}", self.cell(*cell).text()));
        }
        self.text.line(&format!("{name}({});", arguments.join(", ")));
    }

    /// The units that an instruction computes something of.
    fn units_of(&self, ins: &Instruction) -> Vec<UnitId> {
        let mut units: Vec<UnitId> = Vec::new();
        for (_, found) in self.plan.owners.range(ins.dst..ins.dst + ins.written()) {
            found.iter().for_each(|unit| {
                if !units.contains(unit) {
                    units.push(*unit)
                }
            });
        }
        if units.is_empty() && ins.written() > 0 {
            units.extend(self.plan.code.owner(ins.dst));
        }
        units
    }

    /// Writes a comment with the blocks that the next lines are of, if they are others.
    fn comment(&mut self, units: &[UnitId]) {
        if units.is_empty() || units == self.last_units {
            return;
        }
        let twins = units.iter().filter_map(|unit| self.plan.twins.get(unit)).flatten();
        self.text.belongs_to(&units.iter().chain(twins).copied().collect::<Vec<_>>());
        let first = &self.plan.units[units[0]].comment;
        let more = if units.len() > 1 { format!(" and {} more", units.len() - 1) } else { String::new() };
        self.text.line(&format!("/* {first}{more} */"));
        self.last_units = units.to_vec();
    }

    /// Writes a comment on the following lines, which belong to no block.
    pub fn heading(&mut self, text: &str) {
        self.text.belongs_to(&[]);
        self.last_units.clear();
        self.text.line(&format!("/* {text} */"));
    }

    fn number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }

    fn home(&self, cell: u32) -> Home {
        self.variables.homes[cell as usize]
    }

    /// The cell in an expression.
    fn cell(&self, cell: u32) -> Expr {
        match self.home(cell) {
            Home::Constant(value) => Expr::constant(value),
            Home::Time => Expr::atom("time"),
            Home::Element(variable, offset) => {
                let variable = &self.variables.all[variable as usize];
                let text = self.element(variable, offset);
                match variable.kind {
                    Type::Number => Expr::atom(text),
                    Type::Truth => Expr::truth_variable(&text),
                    Type::Index(_) => Expr::index_variable(&text),
                }
            }
        }
    }

    /// An element of a variable.
    fn element(&self, variable: &Variable, offset: u32) -> String {
        let path = variable.path();
        match variable.section {
            Section::Continuous | Section::Assumed | Section::Firsts | Section::Rates => {
                format!("{path}[{}]", self.state_index(offset))
            }
            _ if variable.is_array() => format!("{path}[{offset}]"),
            _ => path,
        }
    }

    /// The index of a continuous state.
    pub fn state_index(&self, index: u32) -> String {
        self.variables.state_index(self.plan.macros, index)
    }

    /// The value of one cell; takes the expression that waits there.
    pub fn value(&mut self, cell: u32) -> Expr {
        match self.pending.iter().position(|pending| pending.first == cell && pending.elements == 1) {
            Some(index) => self.pending.remove(index).expr,
            None => {
                self.settle(&[cell]);
                self.loaded(cell).unwrap_or_else(|| self.cell(cell))
            }
        }
    }

    /// Writes the expressions that wait in some of the cells.
    fn settle(&mut self, cells: &[u32]) {
        let waits = |pending: &Pending| {
            cells.iter().any(|cell| (pending.first..pending.first + pending.elements).contains(cell))
        };
        while let Some(index) = self.pending.iter().position(waits) {
            self.flush_one(index);
        }
    }

    /// Writes the expressions that read cells which will change.
    pub fn flush(&mut self, is_changed: impl Fn(u32) -> bool) {
        while let Some(index) =
            self.pending.iter().position(|pending| pending.reads.iter().any(|cell| is_changed(*cell)))
        {
            self.flush_one(index);
        }
    }

    fn flush_one(&mut self, index: usize) {
        // No other pending expression reads its result: it would have absorbed this one.
        let Pending { first, elements, expr, units, .. } = self.pending.remove(index);
        self.comment(&units);
        self.store(first, elements, &expr);
    }

    /// Writes an assignment to the cells from `first` on.
    fn store(&mut self, first: u32, elements: u32, value: &Expr) {
        let arrays = std::mem::take(&mut self.gathered);
        let Home::Element(number, offset) = self.home(first) else { return };
        self.writes_variable(number);
        let variable = &self.variables.all[number as usize];
        let is_single = !variable.is_array();
        let is_new = variable.section == Section::Local && self.declared.insert(number);
        let has_block = !arrays.is_empty();
        let is_constant = self.plan.usage.cells[first as usize].writes == 1;
        let name = variable.path();
        let (kind, value) = (variable.kind.name(), variable.kind.text(value));
        let mut start = String::new();
        if is_new && is_single && !has_block {
            start = format!("{}{kind} ", if is_constant { "const " } else { "" });
        } else if is_new {
            let declaration =
                if is_single { format!("{kind} {name};") } else { format!("double {name}[{}];", variable.width) };
            self.text.line(&declaration);
        }
        if has_block {
            self.text.line("{");
            arrays.iter().for_each(|array| self.text.line(array));
        }
        match (elements, is_single) {
            (1, true) => self.text.line(&format!("{start}{name} = {value};")),
            (1, false) => self.text.line(&format!("{} = {value};", self.element(variable, offset))),
            _ => {
                self.text.line(&format!("for (uint32_t i = 0U; i < {elements}U; i++) {{"));
                self.text.line(&format!("{name}[{}] = {value};", index(offset, 1, "i")));
                self.text.line("}");
            }
        }
        if has_block {
            self.text.line("}");
        }
    }

    /// How `elements` elements of an operand are read.
    fn access(&mut self, operand: Operand, elements: u32) -> Access {
        let cell = match (operand, elements) {
            (Operand::Broadcast(cell) | Operand::Contiguous(cell), 1) => return Access::Scalar(self.value(cell)),
            (Operand::Broadcast(cell), _) => {
                // It is not computed again for each element.
                self.settle(&[cell]);
                return Access::Scalar(self.value(cell));
            }
            (Operand::Contiguous(cell), _) => cell,
            (Operand::Gather(at), 1) => return Access::Scalar(self.value(self.plan.code.tables[at as usize])),
            (Operand::Gather(at), _) => self.plan.code.tables[at as usize],
        };
        if let Operand::Contiguous(_) = operand
            && let Some(index) =
                self.pending.iter().position(|pending| pending.first == cell && pending.elements == elements)
        {
            return Access::Indexed(self.pending.remove(index).expr);
        }
        let cells = self.cells(operand, elements);
        self.rows(&cells)
    }

    fn cells(&self, operand: Operand, elements: u32) -> Vec<u32> {
        (0..elements).map(|element| operand.cell(&self.plan.code.tables, element)).collect()
    }

    /// How several cells are read by an index.
    fn rows(&mut self, cells: &[u32]) -> Access {
        self.settle(cells);
        let homes: Vec<Home> = cells.iter().map(|cell| self.home(*cell)).collect();
        let is_same = |(cell, home): (&u32, &Home)| match (home, homes[0]) {
            (Home::Constant(a), Home::Constant(b)) => a.to_bits() == b.to_bits(),
            _ => *cell == cells[0],
        };
        if cells.iter().zip(&homes).all(is_same) {
            return Access::Scalar(self.value(cells[0]));
        }
        let elements: Vec<(u32, u32)> = homes
            .iter()
            .filter_map(
                |home| if let Home::Element(variable, offset) = home { Some((*variable, *offset)) } else { None },
            )
            .collect();
        if elements.len() == cells.len() && elements.iter().all(|(variable, _)| *variable == elements[0].0) {
            if self.variables.all[elements[0].0 as usize].section == Section::Row {
                return Access::Indexed(Expr::atom(self.variables.all[elements[0].0 as usize].name.clone()));
            }
            let name = self.variables.all[elements[0].0 as usize].path();
            let offsets: Vec<u32> = elements.iter().map(|(_, offset)| *offset).collect();
            let stride = offsets[1].wrapping_sub(offsets[0]);
            if offsets.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == stride) && stride < 1 << 16 {
                return Access::Array { name, first: offsets[0], stride };
            }
            let table = self.tables.of("uint32_t", offsets.iter().map(|offset| format!("{offset}U")).collect());
            return Access::Table { name, table };
        }
        if homes.iter().all(|home| matches!(home, Home::Constant(_))) {
            let name = self.tables.of("double", cells.iter().map(|cell| self.cell(*cell).text().to_owned()).collect());
            return Access::Array { name, first: 0, stride: 1 };
        }
        let values: Vec<String> = cells.iter().map(|cell| self.value(*cell).text().to_owned()).collect();
        let name = format!("from_{}", self.number());
        self.gathered.push(format!("const double {name}[{}] = {{{}}};", values.len(), values.join(", ")));
        Access::Array { name, first: 0, stride: 1 }
    }

    /// The cells that an instruction reads, with those of the expressions that it takes.
    fn reads(&self, ins: &Instruction) -> BTreeSet<u32> {
        let mut cells = BTreeSet::new();
        self.plan.code.each_read(ins, |cell, _| {
            cells.insert(cell);
        });
        for pending in &self.pending {
            if (pending.first..pending.first + pending.elements).any(|cell| cells.contains(&cell)) {
                cells.extend(&pending.reads);
            }
        }
        cells
    }

    /// Writes the expressions that an instruction would change: those that read what it writes. It may take one itself
    /// if it writes one element.
    fn before(&mut self, ins: &Instruction) {
        let (first, end) = (ins.dst, ins.dst + ins.written());
        let mut taken = BTreeSet::new();
        if ins.written() == 1 {
            self.plan.code.each_read(ins, |cell, _| {
                taken.insert(cell);
            });
        }
        loop {
            let is_late =
                |pending: &Pending| pending.reads.range(first..end).next().is_some() && !taken.contains(&pending.first);
            let Some(index) = self.pending.iter().position(is_late) else { break };
            self.flush_one(index);
        }
    }

    fn assign(&mut self, ins: &Instruction) {
        self.before(ins);
        let units = self.units_of(ins);
        let reads = self.reads(ins);
        let elements = ins.written();
        let expr = self.expression(ins);
        let kind = self.variables.types[ins.dst as usize];
        let expr = if kind == Type::Number || elements > 1 { expr.without_index() } else { expr };
        let named = self.plan.owners.range(ins.dst..ins.dst + elements).next().is_some();
        let is_local = match self.home(ins.dst) {
            Home::Element(variable, _) => self.variables.all[variable as usize].section == Section::Local,
            _ => false,
        };
        let may_wait = !named
            && is_local
            && self.gathered.is_empty()
            && expr.text().len() <= LONGEST
            && self.plan.usage.is_read_once(ins.dst, elements)
            && !matches!(ins.opcode, Opcode::Pick { .. });
        if may_wait && self.is_taken_whole(ins.dst, elements) {
            self.pending.push(Pending { first: ins.dst, elements, expr, reads, units });
            return;
        }
        self.comment(&units);
        self.store(ins.dst, elements, &expr);
    }

    /// Whether the variable of the cells has no others: then nothing reads a part of it.
    fn is_taken_whole(&self, first: u32, elements: u32) -> bool {
        match self.home(first) {
            Home::Element(variable, 0) => self.variables.all[variable as usize].width == elements,
            _ => false,
        }
    }

    fn expression(&mut self, ins: &Instruction) -> Expr {
        let count = ins.written();
        if let Opcode::Pick { count: of } = ins.opcode {
            let index = self.access(ins.args[1], count).at("i");
            let is_inside = match self.variables.types[ins.args[1].cell(&self.plan.code.tables, 0) as usize] {
                Type::Truth => 1 < of,
                Type::Index(last) => last < of,
                Type::Number => false,
            };
            let cells = self.cells(ins.args[0], if let Operand::Broadcast(_) = ins.args[0] { 1 } else { of });
            let array = self.rows(&cells);
            if let (Some(index), true, 1) = (index.index_text(), is_inside, count) {
                return array.at(index);
            }
            self.calls.insert("index");
            return array.at(&format!("simulate_index({}, {}U)", index.text(), of - 1));
        }
        let args: Vec<Expr> = ins
            .reads()
            .collect::<Vec<_>>()
            .into_iter()
            .map(|(operand, elements)| self.access(operand, elements).at("i"))
            .collect();
        let step = "(double)self->step";
        let delta = || literal(self.plan.code.delta);
        match ins.opcode {
            Opcode::Copy => args[0].clone(),
            Opcode::Unary(op) => unary(op, &args[0], self.calls),
            Opcode::Binary(op) => binary(op, &args[0], &args[1], self.calls),
            Opcode::Select => select(&args[0], &args[1], &args[2]),
            Opcode::Random { is_vector } => {
                let element = Expr::atom(if is_vector && count > 1 { "i" } else { "0U" });
                call("random", &[&args[0], &args[1], &args[2], &element], self.calls)
            }
            Opcode::Step => Expr::atom(step),
            Opcode::StepTime | Opcode::StageTime(0.0) => Expr::product(step, &delta()),
            Opcode::StageTime(part) => Expr::product(&format!("({step} + {})", literal(part)), &delta()),
            Opcode::Hit(sample) => hit(sample, self.plan.hits),
            Opcode::Count(sample) => Expr::atom(format!("(double)({})", counted(sample))),
            _ => Expr::atom("0.0"),
        }
    }

    /// Writes a fold: elements reduced from first to last.
    fn fold(&mut self, ins: &Instruction) {
        let Opcode::Fold(op) = ins.opcode else { return };
        self.before(ins);
        let units = self.units_of(ins);
        let is_scattered = matches!(ins.args[1], Operand::Gather(_)) || ins.elements <= SHORT_SUM;
        if ins.elements <= SHORT_FOLD && is_scattered {
            let expr = self.chain(op, ins);
            self.comment(&units);
            return self.store(ins.dst, 1, &expr);
        }
        let start = self.access(ins.args[0], 1).at("i");
        let elements = self.access(ins.args[1], ins.elements).at("i");
        let arrays = std::mem::take(&mut self.gathered);
        self.comment(&units);
        let total = format!("total_{}", self.number());
        let next = binary(op, &Expr::atom(total.clone()), &elements, self.calls);
        arrays.iter().for_each(|array| self.text.line(array));
        self.text.line(&format!("double {total} = {};", start.text()));
        self.text.line(&format!("for (uint32_t i = 0U; i < {}U; i++) {{", ins.elements));
        self.text.line(&format!("{total} = {};", next.text()));
        self.text.line("}");
        self.store(ins.dst, 1, &Expr::atom(total));
    }

    /// A fold as one expression.
    fn chain(&mut self, op: Binary, ins: &Instruction) -> Expr {
        let mut expr = self.value(ins.args[0].cell(&self.plan.code.tables, 0));
        for element in 0..ins.elements {
            let next = self.value(ins.args[1].cell(&self.plan.code.tables, element));
            expr = binary(op, &expr, &next, self.calls);
        }
        expr
    }

    /// Writes copies of cells to elements of an array for each continuous state.
    pub fn copies_to_states(&mut self, copies: &[(String, u32, u32)]) {
        self.copies(copies, |writer, index| writer.state_index(index));
    }

    /// Writes copies of cells to elements of arrays, in loops where both sides are contiguous.
    fn copies(&mut self, copies: &[(String, u32, u32)], index_text: impl Fn(&Self, u32) -> String) {
        let is_next = |a: &(String, u32, u32), b: &(String, u32, u32)| a.0 == b.0 && a.1 + 1 == b.1 && a.2 + 1 == b.2;
        for run in copies.chunk_by(is_next) {
            let cells: Vec<u32> = run.iter().map(|(_, _, cell)| *cell).collect();
            let (name, first) = (&run[0].0, run[0].1);
            if run.len() > 2 {
                let access = self.rows(&cells);
                if self.gathered.is_empty() {
                    self.text.line(&format!("for (uint32_t i = 0U; i < {}U; i++) {{", run.len()));
                    self.text.line(&format!("{name}[{}] = {};", index(first, 1, "i"), access.at("i").text()));
                    self.text.line("}");
                    continue;
                }
                self.gathered.clear();
            }
            for (number, cell) in cells.iter().enumerate() {
                let value = self.value(*cell);
                let index = index_text(self, first + number as u32);
                self.text.line(&format!("{name}[{index}] = {};", value.text()));
            }
        }
    }
}
