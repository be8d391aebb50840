//! Feedback loops of a program, and the response of one that is opened.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::{Context, OutputId, Program, UnitId};
use super::linear::{Linear, LinearizeRequest, SignalElement};
use super::{AnalysisError, Channel, Matrix};
use crate::engine::program::graph::Graph;
use crate::model::SignalKey;

/// The most loops that are listed.
const MAX_LOOPS: usize = 32;

/// Returns the signals at which the feedback loops of a program are opened best, outer loops first: where a reference or
/// a disturbance enters the loop, the signal behind it is the error. Loops that contain blocks with state count, too.
pub fn feedback_loops(program: &Program) -> Vec<SignalKey> {
    let signals = signals_of(program);
    let mut found: Vec<SignalKey> = Vec::new();
    let mut pending = vec![program.units.keys().collect::<BTreeSet<UnitId>>()];
    let mut number = 0;
    while let Some(members) = pending.get(number).cloned() {
        number += 1;
        for of in loops_within(program, &members) {
            let Some(opening) = opening(program, &signals, &of) else { continue };
            found.extend(signals.get(&opening).cloned());
            // Loops inside this one do not lead through the signal.
            pending.push(of.into_iter().filter(|unit| *unit != opening).collect());
            if found.len() >= MAX_LOOPS {
                return found;
            }
        }
    }
    found
}

fn sources(program: &Program, unit: UnitId) -> impl Iterator<Item = UnitId> + '_ {
    program.sources_of(&program.units[unit]).iter().flatten().map(|output| program.output_unit(*output))
}

fn loops_within(program: &Program, members: &BTreeSet<UnitId>) -> Vec<BTreeSet<UnitId>> {
    let sources_within = |unit: UnitId, edges: &mut Vec<UnitId>| {
        if members.contains(&unit) {
            edges.extend(sources(program, unit).filter(|source| members.contains(source)));
        }
    };
    let graph = Graph::new(program.units.keys(), sources_within);
    graph.loops().into_iter().map(|of| of.into_iter().collect()).collect()
}

/// The signals of units with one output, which an analysis can open.
type Signals = BTreeMap<UnitId, SignalKey>;

fn signals_of(program: &Program) -> Signals {
    let is_only = |output: OutputId| program.outputs_of(&program.units[program.output_unit(output)]).count() == 1;
    let signals = program.signals().filter(|(_, output)| is_only(*output));
    signals.map(|(signal, output)| (program.output_unit(output), signal)).collect()
}

/// Returns the unit of a loop behind which it is opened: the first with an input from outside, in the order of the file,
/// since that is where the reference enters; else the first with several inputs, else the first.
fn opening(program: &Program, signals: &Signals, of: &BTreeSet<UnitId>) -> Option<UnitId> {
    let from_outside = |unit: UnitId| sources(program, unit).any(|source| !of.contains(&source));
    let from_inside = |unit: UnitId| sources(program, unit).filter(|source| of.contains(source)).count();
    let seen = || of.iter().copied().filter(|unit| signals.contains_key(unit));
    let first = |is_it: &dyn Fn(UnitId) -> bool| seen().find(|unit| is_it(*unit));
    first(&from_outside).or_else(|| first(&|unit| from_inside(unit) > 1)).or_else(|| seen().next())
}

impl Linear {
    /// Returns the response of a loop that is opened at a signal, from the signal behind the opening round to it, so that
    /// the loop is closed with negative feedback: `L` of `1 + L`. None where no loop leads through the signal.
    ///
    /// # Errors
    /// Those of [`Linear::new`].
    pub fn open_loop(
        program: &Arc<Program>,
        context: &Context,
        at: &SignalElement,
        pade_order: usize,
    ) -> Result<Option<Channel>, AnalysisError> {
        let wanted =
            LinearizeRequest { inputs: vec![at.clone()], outputs: vec![at.clone()], cuts_inputs: true, pade_order };
        let linear = Linear::new(program, context, &wanted)?;
        // Without zeros the input does not reach the output.
        let is_loop = |channel: &Channel| channel.zeros.is_some() || channel.exact.is_some();
        Ok(linear.channel(0, 0).filter(is_loop).map(Channel::negated))
    }
}

impl Channel {
    /// The channel with the opposite sign.
    pub fn negated(mut self) -> Channel {
        let opposite = |of: &Matrix, row: usize| {
            Matrix::from(
                of.rows,
                of.columns,
                |at, column| if at == row { -of.at(at, column) } else { of.at(at, column) },
            )
        };
        (self.c, self.d) = (opposite(&self.c, 0), -self.d);
        if let Some(exact) = &mut self.exact {
            // Its first row is the output, the others are the inputs of the delays.
            (exact.c, exact.d) = (opposite(&exact.c, 0), opposite(&exact.d, 0));
        }
        self
    }
}
