//! Outputs and rates of change as functions of time, states, inputs and parameters, with their derivatives.
//!
//! This is the form of a model whose states are all continuous: a foreign integrator can be used with it. The program
//! is compiled for a solver that locates zero crossings, so that a source that steps does so at its time and not on a
//! grid. The instructions are those of the major step, in their order and with their bits; each cell is an element of
//! one array. The derivatives are exact: each instruction has the tangent of its row in [`crate::block::math`].

use std::collections::{BTreeMap, BTreeSet};

use super::expression::{Calls, Expr, binary, select, unary};
use super::files::File;
use super::header::{GUARDS, INCLUDES, with_static};
use super::math::mathematics;
use super::number::literal;
use super::tangent::{binary_tangent, unary_tangent};
use super::text::Text;
use super::{access, plan, prune, refusal};
use crate::block::{Binary, StateKind, Unary};
use crate::engine::{EntityRef, Instruction, Opcode, Operand, Program, StepCode};

/// The most instructions of a function; longer lists are divided. The time that compilers take for a function grows faster
/// than its length, and a tangent is longer than a value.
const MOST_VALUES: usize = 400;
const MOST_TANGENTS: usize = 100;

/// The cells that an unknown depends on are found if there are not more of both together.
const MOST_DEPENDENCIES: usize = 4_000_000;

/// Begins the parts of a function: gcc would put them together again, and take the time that it takes for the whole.
pub const PART: &str = "\
#if defined(__GNUC__)
#define FMU_PART static __attribute__((noinline))
#else
#define FMU_PART static
#endif
";

/// Elements of the array by the keys of quantities.
pub type ElementIndices = BTreeMap<(usize, usize), Vec<Option<u32>>>;

/// The cells of quantities by their keys.
type Cells = BTreeMap<(usize, usize), Vec<u32>>;

/// The code, and where its quantities are in its array.
#[derive(Clone, Debug)]
pub struct Continuous {
    /// The header and the source.
    pub files: [File; 2],
    /// The number of elements of the array.
    pub cells: u32,
    pub time: Option<u32>,
    /// Where the elements of quantities are, by the keys of [`super::Quantity`]; parameters and inputs that nothing reads
    /// are nowhere.
    pub params: ElementIndices,
    pub states: ElementIndices,
    pub rates: ElementIndices,
    pub outputs: ElementIndices,
    /// The cells whose sign changes where the rates or outputs may jump: the differences of the compared values.
    pub indicators: Vec<u32>,
    /// For outputs and rates the cells of parameters, inputs and states that they depend on; `None` if finding them
    /// takes too long.
    pub dependencies: Option<BTreeMap<u32, BTreeSet<u32>>>,
}

/// Writes the code of a program with these values of its parameters; `None` if it has discrete parts or can end its own
/// run.
pub fn continuous(program: &Program, params: &[f64], name: &str) -> Option<Continuous> {
    let mut code = refusal::tape_without_solver(program).ok()?;
    let wanted = prune::wanted(&code, program);
    prune::prune(&mut code, program, &wanted);
    if plan::reports(&code, program).next().is_some() {
        return None;
    }
    let found = Found::new(&code, program, params)?;
    Some(found.write(&code, name))
}

/// The parts of step code that the code needs.
struct Found {
    once: Vec<Instruction>,
    step: Vec<Instruction>,
    time: Option<u32>,
    /// The cells of parameters, with their values.
    starts: BTreeMap<u32, f64>,
    params: Cells,
    states: Cells,
    rates: Cells,
    outputs: Cells,
    constants: BTreeMap<u32, f64>,
    /// For each cell that is used, its number in the array.
    numbers: BTreeMap<u32, u32>,
}

impl Found {
    fn new(code: &StepCode, program: &Program, params: &[f64]) -> Option<Found> {
        let by_index = |moves: &crate::engine::Bindings| -> BTreeMap<usize, u32> {
            let pieces = moves.0.iter();
            pieces.flat_map(|piece| (0..piece.count).map(|n| ((piece.offset + n) as usize, piece.cell + n))).collect()
        };
        let (param_cells, state_cells) = (by_index(&code.params), by_index(&code.continuous));
        let rate_cells = code.driven.as_ref().map(|driven| by_index(&driven.firsts)).unwrap_or_default();
        if rate_cells.len() != state_cells.len() || state_cells.len() != program.continuous_count {
            return None;
        }
        let starts = param_cells.iter().map(|(index, cell)| (*cell, params[*index])).collect();
        let mut quantities = [(); 3].map(|()| Cells::new());
        for (number, unit) in program.units.iter() {
            let mut next = unit.first_param as usize;
            for &(row, width) in &program.kernel(unit).params {
                let cells = (next..next + width).map(|index| param_cells.get(&index).copied());
                quantities[0].extend(cells.collect::<Option<Vec<u32>>>().map(|cells| ((number.index(), row), cells)));
                next += width;
            }
            let slots = program.states_of(unit);
            let slots = slots.iter().filter(|slot| slot.kind == StateKind::Continuous);
            for (state, slot) in slots.enumerate() {
                for (to, from) in [(1, &state_cells), (2, &rate_cells)] {
                    let cells = (slot.offset..slot.offset + slot.width).map(|at| from.get(&(at as usize)).copied());
                    quantities[to].insert((number.index(), state), cells.collect::<Option<Vec<u32>>>()?);
                }
            }
        }
        let [params, states, rates] = quantities;
        let mut outputs = Cells::new();
        for (number, (_, _, output)) in program.exits().into_iter().enumerate() {
            let first = code.outputs[output];
            let is_unset = code.unset.0.iter().any(|piece| (piece.cell..piece.cell + piece.count).contains(&first));
            if !is_unset {
                outputs.insert((number, 0), (first..first + program.outputs[output].width).collect());
            }
        }
        // A state that jumps has another new value than the solver's.
        let state_cells: BTreeSet<u32> = state_cells.into_values().collect();
        let rest = code.step[code.sampled..].iter().filter(|ins| !matches!(ins.opcode, Opcode::Solve { .. }));
        if rest.flat_map(|ins| code.writes(ins)).any(|cell| state_cells.contains(&cell)) {
            return None;
        }
        let mut wanted: BTreeSet<u32> = outputs.values().chain(rates.values()).flatten().copied().collect();
        let constants: BTreeMap<u32, f64> = code.constants.iter().copied().collect();
        let mut step = needed(code, &code.step[..code.sampled], &constants, &mut wanted)?;
        let once = needed(code, &code.once, &constants, &mut wanted)?;
        let is_time = |ins: &Instruction| matches!(ins.opcode, Opcode::StageTime(_));
        let time = step.iter().find(|ins| is_time(ins)).map(|ins| ins.dst);
        step.retain(|ins| !is_time(ins));
        let mut known: BTreeSet<u32> = constants.keys().copied().chain(time).collect();
        known.extend(params.values().flatten().chain(&state_cells));
        for ins in once.iter().chain(&step) {
            // Each cell has one value in a step, and only values that are known are read.
            let mut is_known = true;
            code.each_read(ins, |cell, _| is_known &= known.contains(&cell));
            let is_new = (ins.dst..ins.dst + ins.written()).all(|cell| known.insert(cell));
            if !is_known || !is_new {
                return None;
            }
        }
        if !outputs.values().chain(rates.values()).flatten().all(|cell| known.contains(cell)) {
            return None;
        }
        let mut used: BTreeSet<u32> = wanted;
        for ins in once.iter().chain(&step) {
            code.each_read(ins, |cell, _| {
                used.insert(cell);
            });
            used.extend(ins.dst..ins.dst + ins.written());
        }
        used.extend(&state_cells);
        let numbers: BTreeMap<u32, u32> = used.into_iter().zip(0..).collect();
        Some(Found { once, step, time, starts, params, states, rates, outputs, constants, numbers })
    }

    fn number(&self, cell: u32) -> u32 {
        self.numbers.get(&cell).copied().unwrap_or(0)
    }

    fn write(&self, code: &StepCode, name: &str) -> Continuous {
        let mut writer = CellWriter {
            found: self,
            code,
            calls: Calls::new(),
            tables: access::Tables::default(),
            indicators: 0,
            is_once: true,
            cells: self.numbers.len() as u32,
        };
        let array = "double v[]";
        let mut functions = Text::new(0);
        let pieces =
            |list: &[Instruction], most: usize| list.chunks(most).map(<[Instruction]>::to_vec).collect::<Vec<_>>();
        let once = pieces(&self.once, MOST_VALUES);
        functions.append(writer.functions(
            "Computes what depends on parameters and inputs alone.",
            &format!("{name}_continuous_once"),
            array,
            &once,
            CellWriter::value,
        ));
        writer.is_once = false;
        let step = pieces(&self.step, MOST_VALUES);
        let about =
            "Computes the outputs, the rates of the states and the differences whose sign changes where these jump.";
        functions.append(writer.functions(
            about,
            &format!("{name}_continuous_evaluate"),
            array,
            &step,
            CellWriter::value,
        ));
        let all = pieces(&self.once.iter().chain(&self.step).copied().collect::<Vec<_>>(), MOST_TANGENTS);
        let about = "Computes the derivatives of all values v in the direction d, of which the seeds are set.";
        let arrays = "const double v[], double d[]";
        functions.append(writer.functions(
            about,
            &format!("{name}_continuous_tangent"),
            arrays,
            &all,
            CellWriter::tangent,
        ));
        let values = self.constants.iter().chain(&self.starts);
        let used: Vec<(u32, f64)> =
            values.filter_map(|(cell, value)| Some((self.numbers.get(cell).copied()?, *value))).collect();
        let constants = used.chunks(MOST_VALUES).map(|values| {
            let mut text = Text::new(1);
            values.iter().for_each(|(number, value)| text.line(&format!("v[{number}] = {};", literal(*value))));
            text
        });
        let about = "Sets the values that never change, and parameters and inputs to those of the diagram.";
        functions.append(in_parts(about, &format!("{name}_continuous_constants"), array, constants.collect()));
        let indicators: Vec<u32> = (0..writer.indicators).map(|number| writer.cells + number).collect();
        let files = writer.files(name, functions);
        let indices = |quantities: &Cells| -> ElementIndices {
            let elements = |cells: &Vec<u32>| cells.iter().map(|cell| self.numbers.get(cell).copied()).collect();
            quantities.iter().map(|(key, cells)| (*key, elements(cells))).collect()
        };
        Continuous {
            files,
            cells: (self.numbers.len() + indicators.len()).max(1) as u32,
            time: self.time.map(|cell| self.number(cell)),
            params: indices(&self.params),
            states: indices(&self.states),
            rates: indices(&self.rates),
            outputs: indices(&self.outputs),
            indicators,
            dependencies: self.dependencies(code),
        }
    }

    /// Finds the cells that outputs and rates depend on.
    fn dependencies(&self, code: &StepCode) -> Option<BTreeMap<u32, BTreeSet<u32>>> {
        let knowns = self.params.values().chain(self.states.values()).map(Vec::len).sum::<usize>();
        if knowns.saturating_mul(self.numbers.len()) > MOST_DEPENDENCIES {
            return None;
        }
        let mut sets: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for &cell in self.params.values().chain(self.states.values()).flatten() {
            sets.insert(cell, BTreeSet::from([self.number(cell)]));
        }
        for ins in self.once.iter().chain(&self.step) {
            let mut of_elements = vec![BTreeSet::new(); ins.written() as usize];
            let is_by_element =
                matches!(ins.opcode, Opcode::Copy | Opcode::Unary(_) | Opcode::Binary(_) | Opcode::Select);
            for (operand, elements) in ins.reads() {
                for element in 0..elements {
                    let Some(set) = sets.get(&operand.cell(&code.tables, element)) else { continue };
                    match is_by_element {
                        true => of_elements[element as usize].extend(set),
                        false => of_elements.iter_mut().for_each(|of| of.extend(set)),
                    }
                }
            }
            sets.extend((ins.dst..).zip(of_elements));
        }
        let unknowns = self.outputs.values().chain(self.rates.values()).flatten();
        Some(unknowns.map(|cell| (self.number(*cell), sets.get(cell).cloned().unwrap_or_default())).collect())
    }
}

/// Returns the instructions that the wanted cells need, and adds the cells that those read; `None` if one cannot be
/// written.
fn needed(
    code: &StepCode,
    list: &[Instruction],
    constants: &BTreeMap<u32, f64>,
    wanted: &mut BTreeSet<u32>,
) -> Option<Vec<Instruction>> {
    let mut kept = Vec::new();
    for ins in list.iter().rev() {
        if !code.writes(ins).any(|cell| wanted.contains(&cell)) {
            continue;
        }
        let ins = &decided(code, *ins, constants);
        let is_plain = match ins.opcode {
            Opcode::Random { .. } => false,
            opcode => opcode.is_pure() || opcode == Opcode::StageTime(0.0),
        };
        if !is_plain {
            return None;
        }
        code.each_read(ins, |cell, _| {
            wanted.insert(cell);
        });
        kept.push(*ins);
    }
    kept.reverse();
    Some(kept)
}

/// Returns a copy in place of a choice that is always the same one: in the major step, a decision is not held.
fn decided(code: &StepCode, ins: Instruction, constants: &BTreeMap<u32, f64>) -> Instruction {
    if ins.opcode != Opcode::Select {
        return ins;
    }
    let on: Option<Vec<bool>> = (0..ins.elements)
        .map(|element| constants.get(&ins.args[0].cell(&code.tables, element)).map(|value| *value != 0.0))
        .collect();
    let Some(on) = on else { return ins };
    let taken = match (on.contains(&true), on.contains(&false)) {
        (true, false) => ins.args[1],
        (false, true) => ins.args[2],
        _ => return ins,
    };
    Instruction { opcode: Opcode::Copy, args: [taken, Operand::Broadcast(0), Operand::Broadcast(0)], ..ins }
}

/// The result of a fold that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FoldResult {
    Value,
    Tangent,
}

/// Writes instructions on the elements of arrays: `v` of values, `d` of their derivatives.
struct CellWriter<'a> {
    found: &'a Found,
    code: &'a StepCode,
    calls: Calls,
    tables: access::Tables,
    indicators: u32,
    /// Whether it writes instructions that depend on parameters and inputs alone.
    is_once: bool,
    cells: u32,
}

impl CellWriter<'_> {
    /// Writes a function for each list, and one that calls them if there are several.
    fn functions(
        &mut self,
        about: &str,
        name: &str,
        arguments: &str,
        lists: &[Vec<Instruction>],
        write: fn(&mut Self, &Instruction, &mut Text),
    ) -> Text {
        let mut text = |list: &Vec<Instruction>| {
            let mut text = Text::new(1);
            list.iter().for_each(|ins| write(self, ins, &mut text));
            text
        };
        let bodies = lists.iter().map(&mut text).collect();
        in_parts(about, name, arguments, bodies)
    }

    /// An element of an operand in an array; the element is `i` if there are several.
    fn operand(&mut self, array: &str, operand: Operand, elements: u32) -> String {
        let number = |cell: u32| self.found.number(cell);
        match (operand, elements) {
            (Operand::Broadcast(cell), _) | (Operand::Contiguous(cell), 1) => match self.found.constants.get(&cell) {
                Some(value) if array == "v" => literal(*value),
                Some(_) => "0.0".to_owned(),
                None => format!("{array}[{}]", number(cell)),
            },
            (Operand::Contiguous(cell), _) => format!("{array}[{}]", access::index(number(cell), 1, "i")),
            (Operand::Gather(at), 1) => self.operand(array, Operand::Broadcast(self.code.tables[at as usize]), 1),
            (Operand::Gather(at), _) => format!("{array}[{}[i]]", self.table(at, elements)),
        }
    }

    /// The table of the cells of a gathered operand.
    fn table(&mut self, at: u32, elements: u32) -> String {
        let cells = &self.code.tables[at as usize..(at + elements) as usize];
        let numbers = cells.iter().map(|cell| format!("{}U", self.found.number(*cell)));
        self.tables.of("uint32_t", numbers.collect())
    }

    fn operands(&mut self, array: &str, ins: &Instruction) -> Vec<String> {
        let reads: Vec<(Operand, u32)> = ins.reads().collect();
        reads.into_iter().map(|(operand, elements)| self.operand(array, operand, elements)).collect()
    }

    /// An element of a picked operand, at an index that the values have.
    fn picked(&mut self, array: &str, ins: &Instruction, count: u32) -> String {
        let index = self.operand("v", ins.args[1], ins.elements);
        self.calls.insert("index");
        let index = format!("simulate_index({index}, {}U)", count - 1);
        match ins.args[0] {
            Operand::Broadcast(_) => self.operand(array, ins.args[0], 1),
            Operand::Contiguous(cell) => format!("{array}[{}]", access::index(self.found.number(cell), 1, &index)),
            Operand::Gather(at) => format!("{array}[{}[{index}]]", self.table(at, count)),
        }
    }

    /// Writes an assignment to the result of an instruction, in a loop if it has several elements.
    fn assign(&self, array: &str, ins: &Instruction, value: &str, text: &mut Text) {
        let first = self.found.number(ins.dst);
        if ins.elements == 1 {
            text.line(&format!("{array}[{first}] = {value};"));
            return;
        }
        text.line(&format!("for (uint32_t i = 0U; i < {}U; i++) {{", ins.elements));
        text.line(&format!("{array}[{}] = {value};", access::index(first, 1, "i")));
        text.line("}");
    }

    fn value(&mut self, ins: &Instruction, text: &mut Text) {
        if let Opcode::Fold(op) = ins.opcode {
            return self.fold(ins, op, FoldResult::Value, text);
        }
        let expr = if let Opcode::Pick { count } = ins.opcode {
            Expr::atom(self.picked("v", ins, count))
        } else {
            let args: Vec<Expr> = self.operands("v", ins).into_iter().map(Expr::atom).collect();
            match ins.opcode {
                Opcode::Unary(op) => unary(op, &args[0], &mut self.calls),
                Opcode::Binary(op) => binary(op, &args[0], &args[1], &mut self.calls),
                Opcode::Select => select(&args[0], &args[1], &args[2]),
                _ => args[0].clone(),
            }
        };
        self.assign("v", ins, expr.text(), text);
        self.indicate(ins, text);
    }

    /// Writes the difference whose sign decides a comparison.
    fn indicate(&mut self, ins: &Instruction, text: &mut Text) {
        let is_constant = |operand: Operand| {
            (0..ins.elements)
                .all(|element| self.found.constants.contains_key(&operand.cell(&self.code.tables, element)))
        };
        let args = match ins.opcode {
            Opcode::Binary(Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge) => &ins.args[..2],
            Opcode::Unary(Unary::Sign) => &ins.args[..1],
            _ => return,
        };
        // A comparison of values that depend on parameters alone has no events.
        if self.is_once || args.iter().all(|operand| is_constant(*operand)) {
            return;
        }
        let args = self.operands("v", ins);
        let first = self.cells + self.indicators;
        self.indicators += ins.elements;
        let value = args.join(" - ");
        if ins.elements == 1 {
            return text.line(&format!("v[{first}] = {value};"));
        }
        text.line(&format!("for (uint32_t i = 0U; i < {}U; i++) {{", ins.elements));
        text.line(&format!("v[{}] = {value};", access::index(first, 1, "i")));
        text.line("}");
    }

    fn tangent(&mut self, ins: &Instruction, text: &mut Text) {
        if let Opcode::Fold(op) = ins.opcode {
            return self.fold(ins, op, FoldResult::Tangent, text);
        }
        let value = match ins.opcode {
            Opcode::Pick { count } => self.picked("d", ins, count),
            _ => {
                let (values, slopes) = (self.operands("v", ins), self.operands("d", ins));
                match ins.opcode {
                    Opcode::Unary(op) => unary_tangent(op, &values[0], &slopes[0], &mut self.calls),
                    Opcode::Binary(op) => {
                        binary_tangent(op, [&values[0], &values[1]], [&slopes[0], &slopes[1]], &mut self.calls)
                    }
                    Opcode::Select => format!("({} != 0.0) ? {} : {}", values[0], slopes[1], slopes[2]),
                    _ => slopes[0].clone(),
                }
            }
        };
        self.assign("d", ins, &value, text);
    }

    /// Writes a fold, elements reduced from first to last, or its derivative.
    fn fold(&mut self, ins: &Instruction, op: Binary, result: FoldResult, text: &mut Text) {
        let is_tangent = result == FoldResult::Tangent;
        let dst = self.found.number(ins.dst);
        // A neutral start value, which is there only for convenience, has no tangent, but may be equal to the first
        // element.
        let start = self.found.constants.get(&ins.args[0].cell(&self.code.tables, 0));
        let is_neutral = start.zip(op.neutral()).is_some_and(|(start, neutral)| start.to_bits() == neutral.to_bits());
        let (before, first) = match is_tangent && is_neutral {
            true => (Operand::Broadcast(ins.args[1].cell(&self.code.tables, 0)), 1),
            false => (ins.args[0], 0),
        };
        let (start, element) = (self.operand("v", before, 1), self.operand("v", ins.args[1], ins.elements));
        let (of_start, of_element) = (self.operand("d", before, 1), self.operand("d", ins.args[1], ins.elements));
        text.line("{");
        text.line(&format!("double total = {start};"));
        if is_tangent {
            text.line(&format!("double slope = {of_start};"));
        }
        text.line(&format!("for (uint32_t i = {first}U; i < {}U; i++) {{", ins.elements));
        if is_tangent {
            let slope = binary_tangent(op, ["total", &element], ["slope", &of_element], &mut self.calls);
            text.line(&format!("slope = {slope};"));
        }
        let next = binary(op, &Expr::atom("total"), &Expr::atom(element), &mut self.calls);
        text.line(&format!("total = {};", next.text()));
        text.line("}");
        let (array, result) = if is_tangent { ("d", "slope") } else { ("v", "total") };
        text.line(&format!("{array}[{dst}] = {result};"));
        text.line("}");
    }

    fn files(self, name: &str, functions: Text) -> [File; 2] {
        let macros = name.to_uppercase();
        let note = format!("/* Written by simulate {} from the diagram.", env!("CARGO_PKG_VERSION"));
        let head = format!(
            "{note}\n\n   Outputs and rates as functions of time, states, inputs and parameters: all are elements of an \
             array v. */\n#ifndef {macros}_CONTINUOUS_H\n#define {macros}_CONTINUOUS_H\n\n\
             void {name}_continuous_constants(double v[]);\nvoid {name}_continuous_once(double v[]);\n\
             void {name}_continuous_evaluate(double v[]);\n\
             void {name}_continuous_tangent(const double v[], double d[]);\n\n#endif\n"
        );
        let mathematics = mathematics(&self.calls);
        let declarations: String = mathematics.declarations.lines().map(|line| format!("static {line}\n")).collect();
        let mut tables = Text::new(0);
        for (name, kind, elements) in &self.tables.made {
            tables.line(&format!("static const {kind} {name}[{}] = {{{}}};", elements.len(), elements.join(", ")));
        }
        let source = format!(
            "{note} */\n#include \"{name}_continuous.h\"\n\n{INCLUDES}\n{GUARDS}\n{PART}\n{declarations}\n{}\n{}\n{}",
            with_static(&mathematics.definitions),
            tables.into_string(),
            functions.into_string()
        );
        let file = |end: &str, text: String| File { name: format!("{name}_continuous.{end}"), text };
        [file("h", head), file("c", source)]
    }
}

/// Writes a function for each body, and one that calls them if there are several.
fn in_parts(about: &str, name: &str, arguments: &str, bodies: Vec<Text>) -> Text {
    let mut functions = Text::new(0);
    let passed = if arguments.contains("d[]") { "v, d" } else { "v" };
    let mut whole = Text::new(1);
    let is_one = bodies.len() == 1;
    for (body, part) in bodies.into_iter().zip(1..) {
        if is_one {
            whole.append(body);
            continue;
        }
        let head = format!("FMU_PART void {name}_{part}({arguments})");
        functions.append(function(&format!("Part {part}."), &head, body));
        whole.line(&format!("{name}_{part}({passed});"));
    }
    functions.append(function(about, &format!("void {name}({arguments})"), whole));
    functions
}

/// A function with a comment, its head and its body.
fn function(about: &str, head: &str, body: Text) -> Text {
    let mut text = Text::new(0);
    text.line(&format!("/* {about} */"));
    text.line(head);
    text.push_open();
    for (argument, start) in [("v", "v["), ("d", "d[")] {
        if head.contains(&format!("{argument}[]")) && !body.uses(start) && !body.uses("(v") {
            text.append({
                let mut line = Text::new(1);
                line.line(&format!("(void){argument};"));
                line
            });
        }
    }
    text.append(body);
    text.line("}");
    text.line("");
    text
}
