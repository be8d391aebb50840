//! Errors that the user has to correct before a simulation can be compiled: the diagnostics of widths, tapes and
//! iterations.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::solve::is_solvable;
use super::super::{EntityRef, PrimaryMap, Program, SubsystemMap, Unit, UnitId};
use super::flatten::{FlatUnit, Flattened};
use super::widths::{Kernels, MAX_WIDTH, WidthError};
use crate::block::limits::{MAX_DERIVATIVES, MAX_UNKNOWNS, count_text};
use crate::block::{BuildError, StateKind};
use crate::engine::program::symbols::{InstanceBlock, SymbolTable};
use crate::model::{Diagnostic, Simulation};

/// Returns the errors of a flattened simulation, each once.
pub(super) fn errors(simulation: &Simulation, flattened: &Flattened, kernels: &Kernels) -> Vec<Diagnostic> {
    let reporter = Reporter { simulation, flattened, symbols: &flattened.instances.symbols, kernels };
    let mut found: Vec<Diagnostic> =
        kernels.errors.iter().map(|(unit, error)| reporter.width_error(*unit, error)).collect();
    found.extend(reporter.uneven_iterations());
    found.extend(reporter.continuous_in_iterations());
    dedup(found)
}

/// Refuses a program whose steps would solve too large a system of equations, at the block with the largest part of it.
pub(super) fn refuse_large_systems(program: &Program) -> Result<(), Vec<Diagnostic>> {
    let too_large = |unit: UnitId, message: String, help: &str| {
        let problem = Diagnostic::error("too-large", message).help(help);
        Err(vec![problem.on_block(program.model_of(unit), program.block_of(unit).block)])
    };
    // Up to this number of states, even a matrix without zeros fits.
    let is_large = program.solver.is_implicit() && program.continuous_count > MAX_UNKNOWNS;
    if is_large && !is_solvable(program, MAX_DERIVATIVES) {
        let states = |unit: &Unit| {
            let own = program.states_of(unit).iter().filter(|slot| slot.kind == StateKind::Continuous);
            own.map(|slot| slot.width).sum::<u32>()
        };
        let units = program.units.iter();
        let Some((largest, _)) = units.max_by_key(|(_, unit)| states(unit)) else { return Ok(()) };
        let (name, count) = (program.solver.name(), count_text(program.continuous_count));
        let message = format!(
            "too large: the {count} continuous states depend on one another in more ways than the solver {name} can solve for"
        );
        return too_large(largest, message, "use an explicit solver, such as dopri45");
    }
    match program.loops.iter().find(|of| of.width > MAX_UNKNOWNS) {
        Some(of) => {
            let (count, limit) = (count_text(of.width), count_text(MAX_UNKNOWNS));
            let message = format!("too large: an algebraic loop has {count} values to solve for; the limit is {limit}");
            too_large(of.unit, message, "insert a delay, or make the vectors narrower")
        }
        None => Ok(()),
    }
}

/// Reports a mistake once that a model has in each of its instances.
pub(super) fn dedup(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = BTreeSet::new();
    found.retain(|diagnostic| seen.insert((diagnostic.message.clone(), diagnostic.location.to_string())));
    found
}

struct Reporter<'a> {
    simulation: &'a Simulation,
    flattened: &'a Flattened,
    symbols: &'a SymbolTable,
    kernels: &'a Kernels,
}

impl Reporter<'_> {
    fn width_error(&self, number: UnitId, error: &WidthError) -> Diagnostic {
        let unit = &self.flattened.units[number];
        let source = |input: Option<usize>| {
            let from = input.and_then(|input| unit.sources.get(input).copied().flatten());
            from.map_or(String::new(), |(from, _)| format!(" from {}", self.title(&self.flattened.units[from])))
        };
        let problem = match error {
            WidthError::Build(BuildError::Width { left, right, left_input, right_input }) => {
                let (left_source, right_source) = (source(*left_input), source(*right_input));
                let message = format!("a signal of width {left}{left_source} meets one of width {right}{right_source}");
                Diagnostic::error("width", message).help("both signals need the same width, or one must be a scalar")
            }
            WidthError::Build(BuildError::InputWidth { input, width, got }) => {
                let from = source(Some(*input));
                let (elements, help) = match width {
                    1 => ("element", "select one element of the signal with Routing/Demux"),
                    _ => ("elements", "join signals with Routing/Mux, or take a part of one with Routing/Selector"),
                };
                let message = match number.index() < self.flattened.instances.visible_count {
                    true => format!("the input {} takes {width} {elements}, not the {got}{from}", input + 1),
                    false => format!("the enable condition of a model is a scalar, not the {got}{from}"),
                };
                Diagnostic::error("width", message).help(help)
            }
            WidthError::Build(BuildError::NotABus { input }) => {
                let message = format!("the signal{} is not a bus: its elements have no names", source(Some(*input)));
                let help = "make a bus with Routing/Bus Creator, or name the elements in the block's Input Names";
                Diagnostic::error("not-a-bus", message).help(help)
            }
            WidthError::Build(BuildError::UnknownElement { param, name, known }) => {
                let message = format!("there is no element “{name}”; the bus has {known}");
                Diagnostic::error("unknown-bus-element", message).help("write one of the names of the bus").about(param)
            }
            WidthError::Build(BuildError::Buses { left, right, left_input, right_input }) => {
                let (left_source, right_source) = (source(Some(*left_input)), source(Some(*right_input)));
                let message = format!("a bus of {left}{left_source} meets one of {right}{right_source}");
                Diagnostic::error("bus-mismatch", message).help("both buses need the same elements in the same order")
            }
            WidthError::Build(error @ BuildError::Setting { param, .. }) => {
                Diagnostic::error("bad-option", error.to_string()).about(param)
            }
            WidthError::Build(BuildError::TooLarge(problem)) => {
                let message = format!("too large: {problem}");
                Diagnostic::error("too-large", message).help("make the vectors narrower, or the lengths shorter")
            }
            WidthError::TooWide(width) => {
                let message =
                    format!("the inputs have {width} elements together, more than the {MAX_WIDTH} that a block takes");
                Diagnostic::error("too-large", message).help("use shorter vectors, or several blocks")
            }
            WidthError::Nested => {
                let message = "the bus contains itself: it comes back to its own input round a loop";
                Diagnostic::error("width", message)
                    .help("take the elements that the loop needs with Routing/Bus Selector")
            }
            WidthError::Growing => {
                let message = "the signal's width grows without end on its way round a loop";
                Diagnostic::error("width", message).help("a vector that is joined to itself in a loop has no width")
            }
        };
        self.at(problem, unit.origin)
    }

    /// For-each model blocks that split vectors of several widths.
    fn uneven_iterations(&self) -> Vec<Diagnostic> {
        let blocks = self.symbols.model_blocks.iter().filter(|block| block.iterations.is_some());
        let uneven = blocks.filter_map(|block| {
            let widths = self.flattened.split_widths(block, self.kernels);
            if widths.len() < 2 {
                return None;
            }
            let widths: Vec<String> = widths.iter().map(u32::to_string).collect();
            let message =
                format!("the model runs for each element, but the vectors have {} elements", widths.join(" and "));
            let help = "the entries with role=\"each\" receive vectors of one width, or scalars";
            Some(self.at(Diagnostic::error("width", message).help(help), block.parent))
        });
        uneven.collect()
    }

    /// Blocks whose states the solver integrates, where they may run several times in a step.
    fn continuous_in_iterations(&self) -> Vec<Diagnostic> {
        let subsystems = &self.flattened.instances.subsystems;
        // For each subsystem the innermost iterated model around it.
        let mut iterated: SubsystemMap<Option<&Arc<str>>> = PrimaryMap::with_capacity(subsystems.len());
        for subsystem in subsystems.values() {
            let block = &self.symbols.model_blocks[subsystem.model_block as usize];
            let own = subsystem.is_iterated.then(|| &self.symbols.model_inside(block).model);
            iterated.push(own.or_else(|| subsystem.parent.and_then(|parent| iterated[parent])));
        }
        let units = self.flattened.units.iter();
        let continuous = units.filter_map(|(number, unit)| {
            let iterated = unit.subsystem.and_then(|subsystem| iterated[subsystem])?;
            let mut states = self.kernels.kernel(number)?.states.iter();
            states.find(|state| state.kind == StateKind::Continuous)?;
            let title = self.title(unit);
            let message = format!("{title} is integrated over time, and cannot run several times in a step");
            let help = format!("use a discrete block, or take it out of the iterated model “{iterated}”");
            let problem = Diagnostic::error("continuous-in-loop", message).help(help);
            Some(self.at(problem, unit.origin))
        });
        continuous.collect()
    }

    fn at(&self, problem: Diagnostic, block: InstanceBlock) -> Diagnostic {
        problem.on_block(&self.symbols.model(block.instance).model, self.symbols.block(block).id)
    }

    fn title(&self, unit: &FlatUnit) -> String {
        let model = &self.symbols.model(unit.origin.instance).model;
        let id = self.symbols.block(unit.origin).id;
        match self.simulation.model(model).and_then(|model| model.block(id)) {
            Some(block) => format!("{} {id} of “{model}”", block.title()),
            None => id.to_string(),
        }
    }
}
