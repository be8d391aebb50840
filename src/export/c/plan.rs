//! The functions of the code: which instructions each executes, the inputs and outputs, and the variables.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::arrange::Results;
use super::files::Options;
use super::jacobian::Jacobian;
use super::layout::{Layout, Reads};
use super::names::{Names, UnitName, identifier, unit_names};
use super::shared::{Shared, Sharing};
use super::usage::{Item, Region, Usage};
use super::variables::{Section, Source, Variables, minor_distance, variables};
use crate::block::{Bus, Reaction, ReportDef, SampleTime, SignalType};
use crate::engine::{CellRange, Instruction, Opcode, Operand, Program, ReportRef, StepCode, UnitId, UnitMap};
use crate::model::Simulation;

/// The most instructions of a function; larger ones are divided.
const LARGEST: usize = 2000;

/// The most continuous states of which a step has the rates in variables of its own; those of larger models are members
/// of the instance, as stacks are small.
const MOST_LOCAL_RATES: usize = 64;

/// An input of the code: an entry of the exported model.
#[derive(Clone, Debug)]
pub struct Input {
    pub name: String,
    pub width: u32,
    /// Its initial value.
    pub values: Vec<f64>,
}

/// An output of the code: an exit of the exported model.
#[derive(Clone, Debug)]
pub struct Output {
    /// As in the diagram.
    pub title: String,
    /// As in the code.
    pub name: String,
    pub width: u32,
    /// The names of its elements, if it is a bus.
    pub bus: Option<Arc<Bus>>,
    /// The cells that it is copied to; none if it is never set.
    pub cells: CellRange,
}

impl Output {
    /// The number and the names of its elements.
    pub fn signal_type(&self) -> SignalType {
        SignalType { width: self.width as usize, bus: self.bus.clone() }
    }
}

/// All that the files are written from.
pub struct Parts<'a> {
    pub program: &'a Program,
    pub code: &'a StepCode,
    pub units: UnitMap<UnitName>,
    pub variables: Variables,
    pub layout: Arc<Layout>,
    pub usage: Usage<'a>,
    pub owners: BTreeMap<u32, Vec<UnitId>>,
    pub inputs: Vec<Input>,
    pub outputs: Vec<Output>,
    /// The initial values of the parameters by variable.
    pub params: BTreeMap<u32, Vec<f64>>,
    /// Computes the values that depend on parameters alone.
    pub derived: Vec<Instruction>,
    /// Sets the states to their initial values.
    pub reset: Vec<Vec<Item>>,
    /// The step, divided into functions.
    pub steps: Vec<Vec<Item>>,
    /// Computes the rates of change, divided into functions; empty if a solver needs none within the step.
    pub rates: Vec<Vec<Item>>,
    /// Whether the model has continuous states to be integrated.
    pub has_rates: bool,
    /// The sample times of which the instance counts the steps until the next hit.
    pub hits: Vec<SampleTime>,
    /// Whether the rates of all stages are variables of functions, and not members of the instance.
    pub has_local_rates: bool,
    /// The derivatives of the rates, for a solver that is implicit.
    pub jacobian: Option<Jacobian>,
    /// The functions of models that are used several times.
    pub shared: Shared,
    pub simulation: &'a Simulation,
}

/// The sample times of a step that are not those of all steps.
fn hits(code: &StepCode) -> Vec<SampleTime> {
    let bodies = code.branches.iter().flat_map(|branch| branch.body.iter().chain(&branch.otherwise));
    let driven = code.driven.iter().flat_map(|driven| &driven.list);
    let mut hits = Vec::new();
    for ins in code.step.iter().chain(bodies).chain(driven) {
        if let Opcode::Hit(sample) = ins.opcode
            && (2..=u64::from(u32::MAX)).contains(&sample.period)
            && sample.offset <= u64::from(u32::MAX)
            && !hits.contains(&sample)
        {
            hits.push(sample);
        }
    }
    hits
}

impl<'a> Parts<'a> {
    pub fn new(
        program: &'a Arc<Program>,
        simulation: &'a Simulation,
        (code, results): (&'a Arc<StepCode>, Results),
        options: &Options,
        is_observed: bool,
    ) -> Parts<'a> {
        let units = unit_names(program, simulation);
        let input_units = input_units(program);
        let changing = changing_cells(program, code, &input_units);
        let (fresh, derived): (Vec<Instruction>, Vec<Instruction>) =
            code.once.iter().partition(|ins| changing.contains(&ins.dst));
        let mut constants = code.constants.clone();
        if options.inlines_parameters {
            let cells = StepCode::evaluated(code, program, options.params);
            let written = derived.iter().flat_map(|ins| ins.dst..ins.dst + ins.written());
            let params = code.params.0.iter().flat_map(|piece| piece.cell..piece.cell + piece.count);
            let known = written.chain(params).filter(|cell| !changing.contains(cell));
            constants.extend(known.map(|cell| (cell, cells[cell as usize])));
        }
        let derived = if options.inlines_parameters { Vec::new() } else { derived };
        let mut reset = code.init.clone();
        if reads_any(code, &reset, &fresh) {
            reset.splice(0..0, fresh.iter().copied());
        }
        let resets = divided(reset.iter().copied().map(Item::Instruction).collect(), code, &Layout::default());
        let outputs = outputs(program, &results);
        let has_rates = code.driven.is_some();
        let driven = code.driven.as_ref().filter(|driven| !driven.rates.0.is_empty());
        let step: Vec<Instruction> = fresh.iter().chain(&code.step).copied().collect();
        let rates = driven.map(|driven| driven.list.clone()).unwrap_or_default();
        let reported = reports(code, program).map(|(cell, _)| cell);
        let reads = Reads::new(code, [&derived, &reset, &step, &rates].into_iter().flatten(), reported);
        let mut layout = Layout::new(code, &reads);
        let steps = vec![step_items(code, &step, &mut layout, &reads)];
        let rates: Vec<Vec<Item>> = driven.map(|_| layout.list(code, &rates, &reads)).into_iter().collect();
        let layout = Arc::new(layout);
        let mut shared = Shared::default();
        let used = |steps: &[Vec<Item>], rates: &[Vec<Item>], shared: &Shared| {
            usage((code, program), &layout, &derived, &resets, (steps, rates), &results, shared)
        };
        let (steps, rates) = {
            let usage = used(&steps, &rates, &shared);
            let sharing = Sharing::new(program, simulation, code, &usage, &constants);
            let mut divide = |lists: Vec<Vec<Item>>| {
                let shared = lists.into_iter().map(|items| sharing.share(items, &mut shared));
                shared.flat_map(|items| divided(items, code, &layout)).collect::<Vec<_>>()
            };
            (divide(steps), divide(rates))
        };
        let usage = used(&steps, &rates, &shared);
        let has_local_rates = has_rates
            && !is_observed
            && program.solver.tableau().is_some_and(|tableau| tableau.parts.len() > 1)
            && steps.len() == 1
            && program.continuous_count <= MOST_LOCAL_RATES;
        let variables = {
            let fresh = &fresh[..];
            let lists: [&[Instruction]; 5] =
                [&derived, fresh, &reset, &code.step, code.driven.as_ref().map_or(&[], |d| &d.list)];
            let source = Source {
                program,
                code,
                units: &units,
                usage: &usage,
                lists: &lists,
                inputs: &input_units,
                constants: &constants,
                derived: &derived,
                results: &results,
                outputs: &outputs,
                is_observed,
                has_local_rates,
                results_of_calls: &shared.calls.iter().flat_map(|call| call.outputs.iter().copied()).collect(),
            };
            variables(&source, &layout)
        };
        let mut parts = Parts {
            owners: owners(program, code),
            inputs: Vec::new(),
            outputs,
            params: BTreeMap::new(),
            program,
            code,
            units,
            variables,
            layout,
            usage,
            derived,
            reset: resets,
            steps,
            rates,
            has_rates,
            hits: if is_observed { Vec::new() } else { hits(code) },
            has_local_rates,
            jacobian: Jacobian::new(program, code),
            shared,
            simulation,
        };
        parts.defaults(options.params);
        parts
    }

    /// Determines the initial values of inputs and parameters.
    fn defaults(&mut self, params: &[f64]) {
        let mut values: BTreeMap<u32, f64> = BTreeMap::new();
        for piece in &self.code.params.0 {
            for number in 0..piece.count {
                values.insert(piece.cell + number, params[(piece.offset + number) as usize]);
            }
        }
        for (number, variable) in self.variables.all.iter().enumerate() {
            let cells = variable.first..variable.first + variable.width;
            let found = || cells.clone().map(|cell| values.get(&cell).copied().unwrap_or(0.0)).collect::<Vec<f64>>();
            match variable.section {
                Section::Inputs => {
                    self.inputs.push(Input { name: variable.name.clone(), width: variable.width, values: found() });
                }
                Section::Parameters => {
                    self.params.insert(number as u32, found());
                }
                _ => {}
            }
        }
    }

    /// The number of elements of continuous states.
    pub fn continuous(&self) -> u32 {
        self.variables.continuous
    }

    /// For each offset of a continuous state in the context, its index in the code.
    pub fn state_index(&self, offset: u32) -> u32 {
        let pieces = &self.code.continuous.0;
        let piece = pieces.iter().find(|piece| (piece.offset..piece.offset + piece.count).contains(&offset));
        piece.map_or(0, |piece| piece.cell + (offset - piece.offset) - self.variables.first_continuous)
    }
}

/// The units that are inputs of the code: entries of the root.
pub fn input_units(program: &Program) -> Vec<UnitId> {
    let is_input = |unit: &UnitId| {
        let kernel = program.kernel(&program.units[*unit]);
        program.block_of(*unit).path.is_empty()
            && program.definition_of(*unit).is_some_and(|def| def.name == "Entry" && def.group.is_empty())
            && kernel.inputs.is_empty()
            && kernel.params.len() == 1
    };
    program.units.keys().filter(is_input).collect()
}

/// The cells that depend on inputs, among those of parameters and of values that depend on them.
pub fn changing_cells(program: &Program, code: &StepCode, inputs: &[UnitId]) -> BTreeSet<u32> {
    let mut changing = BTreeSet::new();
    let offsets: BTreeSet<u32> = inputs
        .iter()
        .flat_map(|&unit| {
            let unit = &program.units[unit];
            let width: usize = program.kernel(unit).params.iter().map(|(_, width)| width).sum();
            unit.first_param..unit.first_param + width as u32
        })
        .collect();
    for piece in &code.params.0 {
        changing.extend(
            (0..piece.count).filter(|number| offsets.contains(&(piece.offset + number))).map(|n| piece.cell + n),
        );
    }
    for ins in &code.once {
        let mut is_changing = false;
        code.each_read(ins, |cell, _| is_changing |= changing.contains(&cell));
        if is_changing {
            changing.extend(ins.dst..ins.dst + ins.written());
        }
    }
    changing
}

/// Whether a list reads anything that another writes.
fn reads_any(code: &StepCode, list: &[Instruction], of: &[Instruction]) -> bool {
    let written: BTreeSet<u32> = of.iter().flat_map(|ins| ins.dst..ins.dst + ins.written()).collect();
    let mut is_read = false;
    list.iter().for_each(|ins| code.each_read(ins, |cell, _| is_read |= written.contains(&cell)));
    is_read
}

fn outputs(program: &Program, results: &Results) -> Vec<Output> {
    let mut names = Names::new();
    let exits = program.exits().into_iter().zip(&results.outputs).map(|((title, _, number), &cells)| {
        let output = &program.outputs[number];
        let (name, bus) = (names.unique(&identifier(&title)), program.output_type(number).bus);
        Output { name, title: title.to_string(), width: output.width, bus, cells }
    });
    exits.collect()
}

/// The items of a step, in order.
fn step_items(code: &StepCode, step: &[Instruction], layout: &mut Layout, reads: &Reads) -> Vec<Item> {
    let is_solve = |ins: &Instruction| matches!(ins.opcode, Opcode::Solve { .. });
    let mut items = Vec::new();
    for (number, part) in step.split(is_solve).enumerate() {
        items.extend((number > 0).then_some(Item::Integrate));
        items.extend(layout.list(code, part, reads));
    }
    items.push(Item::Report);
    items
}

/// Divides a step into functions of a limited size.
pub fn divided(items: Vec<Item>, code: &StepCode, layout: &Layout) -> Vec<Vec<Item>> {
    fn size(list: &[Instruction], code: &StepCode) -> usize {
        let one = |ins: &Instruction| match ins.opcode {
            Opcode::Branch(number) => {
                let branch = &code.branches[number as usize];
                1 + size(&branch.body, code) + size(&branch.otherwise, code)
            }
            _ => 1,
        };
        list.iter().map(one).sum()
    }
    // Each group of 4 gathered elements takes a line.
    let gathered = |ins: &Instruction| {
        let operands = ins.reads().filter(|(operand, _)| matches!(operand, Operand::Gather(_)));
        operands.map(|(_, elements)| elements as usize / 4).sum::<usize>()
    };
    let size_of = |item: &Item| match item {
        Item::Instruction(ins) => size(&[*ins], code) + gathered(ins),
        Item::Loop(number) => layout.loops[*number as usize].list.len(),
        Item::Call(_) | Item::Integrate | Item::Report => 1,
    };
    let total: usize = items.iter().map(size_of).sum();
    if total <= LARGEST + LARGEST / 2 {
        return vec![items];
    }
    let mut functions = vec![Vec::new()];
    let mut filled = 0;
    for item in items {
        let size = size_of(&item);
        if filled + size > LARGEST && filled > 0 {
            functions.push(Vec::new());
            filled = 0;
        }
        filled += size;
        functions.last_mut().into_iter().for_each(|function: &mut Vec<Item>| function.push(item));
    }
    functions
}

fn usage<'a>(
    (code, program): (&'a StepCode, &Program),
    layout: &Arc<Layout>,
    derived: &[Instruction],
    resets: &[Vec<Item>],
    (steps, rates): (&[Vec<Item>], &[Vec<Item>]),
    results: &Results,
    shared: &Shared,
) -> Usage<'a> {
    let mut usage = Usage::new(code, layout);
    let region = usage.region(None);
    usage.list(derived, region);
    for items in resets.iter().chain(steps) {
        let region = usage.region(None);
        items.iter().for_each(|item| note(&mut usage, item, region, (code, program), shared));
    }
    for items in rates {
        let region = usage.region(None);
        items.iter().for_each(|item| note(&mut usage, item, region, (code, program), shared));
    }
    // Whoever calls the code reads them.
    let outside = usage.region(None);
    results.ranges().flat_map(CellRange::cells).for_each(|cell| usage.read_alone(cell, outside));
    usage
}

fn note(usage: &mut Usage, item: &Item, region: Region, (code, program): (&StepCode, &Program), shared: &Shared) {
    match item {
        Item::Instruction(ins) => usage.ins(ins, region),
        Item::Call(number) => {
            let call = &shared.calls[*number as usize];
            call.inputs.iter().for_each(|cell| usage.read_alone(*cell, region));
            call.outputs.iter().for_each(|cell| usage.write(*cell, region));
        }
        Item::Loop(number) => usage.turns(*number, region),
        Item::Integrate => {}
        Item::Report => {
            for (cell, _) in reports(code, program) {
                usage.read_alone(cell, region);
            }
        }
    }
}

/// The reports that end or pause a run: each with its cell and its unit.
pub fn reports<'a>(code: &'a StepCode, program: &'a Program) -> impl Iterator<Item = (u32, (UnitId, &'a ReportDef))> {
    let cells = code.reports.iter().flat_map(|cells| cells.reports.iter().zip(cells.first..));
    let all = cells.map(|(&ReportRef { unit, report }, cell)| {
        (cell, (unit, &program.kernel(&program.units[unit]).reports[report as usize]))
    });
    all.filter(|(_, (_, report))| report.reaction != Reaction::Warn)
}

/// For each cell of an output or a state, the units that it belongs to: those that compute it, not those that pass it on.
fn owners(program: &Program, code: &StepCode) -> BTreeMap<u32, Vec<UnitId>> {
    let mut found: BTreeMap<u32, Vec<UnitId>> = BTreeMap::new();
    let mut passed: BTreeMap<u32, UnitId> = BTreeMap::new();
    let states: BTreeMap<u32, u32> = [&code.discrete, &code.continuous]
        .into_iter()
        .zip([0, 1 << 31])
        .flat_map(|(moves, mark)| {
            moves
                .0
                .iter()
                .flat_map(move |piece| (0..piece.count).map(move |n| (piece.offset + n + mark, piece.cell + n)))
        })
        .collect();
    for (number, unit) in program.units.iter() {
        let kernel = program.kernel(unit);
        for output in program.outputs_of(unit) {
            let first = code.outputs[output];
            for cell in first..first + program.outputs[output].width {
                if kernel.is_pass_through() {
                    passed.entry(cell).or_insert(number);
                } else {
                    let units = found.entry(cell).or_default();
                    if !units.contains(&number) {
                        units.push(number);
                    }
                }
            }
        }
        for slot in program.states_of(unit) {
            let mark = match slot.kind {
                crate::block::StateKind::Discrete => 0,
                crate::block::StateKind::Continuous => 1 << 31,
                crate::block::StateKind::History { .. } | crate::block::StateKind::Record => continue,
            };
            for offset in slot.offset..slot.offset + slot.width {
                if let Some(&cell) = states.get(&(offset + mark)) {
                    let units = found.entry(cell).or_default();
                    if !units.contains(&number) {
                        units.push(number);
                    }
                }
            }
        }
    }
    for (cell, unit) in passed {
        found.entry(cell).or_insert_with(|| vec![unit]);
    }
    if let Some(distance) = minor_distance(code) {
        let first = code.continuous.0.iter().map(|piece| piece.cell).min().unwrap_or(0);
        let minor: Vec<_> =
            found.range(first..first + distance).map(|(cell, units)| (cell + distance, units.clone())).collect();
        found.extend(minor);
    }
    found
}
