//! Carries tangents through the step of a solver that asks for rates.

use std::sync::Arc;

use crate::block::StateKind;
use crate::engine::program::record::Record;
use crate::engine::solve::{Integrator, Leaves, StepChanges, StepSource, System, VariedSystem};
use crate::engine::step_code::driven::RateList;
use crate::engine::step_code::{Driven, Machine, RateTangents};
use crate::engine::{OutputId, Program, Unit};

impl Machine {
    /// Carries the tangents through the step that an integrator has made, from the states `begin` to the states `end`.
    pub(in crate::engine::step_code) fn vary(
        &mut self,
        integrator: &mut Integrator,
        driven: &Driven,
        (begin, end): (&[f64], &[f64]),
    ) {
        let Some(tangents) = &driven.tangents else { return };
        let row = |first: &u32| *first as usize..*first as usize + tangents.directions;
        let mut s: Vec<f64> = tangents.begin.iter().flat_map(|first| self.cells[row(first)].to_vec()).collect();
        let program = Arc::clone(&self.program);
        let mut system = VariedRates { inner: RateList { machine: self, driven }, tangents, program };
        let ran = integrator.vary(&mut system, (begin, end), &mut s);
        self.fault = self.fault.take().or(ran.err());
        self.cells[tangents.end as usize..][..s.len()].copy_from_slice(&s);
    }
}

/// The rates of a machine and their tangents.
struct VariedRates<'a> {
    inner: RateList<'a>,
    tangents: &'a RateTangents,
    program: Arc<Program>,
}

impl System for VariedRates<'_> {
    fn rates(&mut self, time: f64, x: &[f64], rates: &mut [f64]) {
        self.inner.rates(time, x, rates);
    }

    fn tangents(&mut self, time: f64, x: &[f64], tangents: &mut Vec<f64>) -> bool {
        self.inner.tangents(time, x, tangents)
    }

    fn is_cancelled(&self) -> bool {
        self.inner.is_cancelled()
    }

    fn records(&mut self) -> &mut [Record] {
        self.inner.records()
    }

    fn leaves(&self) -> Leaves<'_> {
        self.inner.leaves()
    }

    fn set_next(&mut self, next: &[f64]) {
        self.inner.set_next(next);
    }

    fn history_mut(&mut self) -> &mut [f64] {
        self.inner.history_mut()
    }

    fn set_held(&mut self, output: OutputId, values: &[f64]) {
        self.inner.set_held(output, values);
    }
}

impl VariedSystem for VariedRates<'_> {
    fn directions(&self) -> usize {
        self.tangents.directions
    }

    fn vary(&mut self, time: f64, x: &[f64], tangents: &[f64], rates: &mut [f64]) {
        let RateTangents { list, directions, states, rates: rows, .. } = self.tangents;
        let RateList { machine, driven } = &mut self.inner;
        machine.cells[driven.time as usize] = time;
        driven.x.load(x, &mut machine.cells);
        machine.cells[*states as usize..][..tangents.len()].copy_from_slice(tangents);
        machine.variations += 1;
        if let Some(variation_code) = machine.variation_code.take() {
            variation_code.run(machine, rates);
            machine.variation_code = Some(variation_code);
        } else {
            list.iter().for_each(|ins| machine.execute(ins));
            for (to, &first) in rates.chunks_exact_mut(*directions).zip(rows) {
                to.copy_from_slice(&machine.cells[first as usize..][..*directions]);
            }
        }
    }

    fn with_changes(&mut self, direction: usize, f: &mut dyn FnMut(Leaves, &dyn StepChanges)) {
        let RateTangents { directions, discrete, next, seeds, rings, .. } = self.tangents;
        let machine = &*self.inner.machine;
        let cells = |rows: &[u32]| rows.iter().map(|&first| machine.cells[first as usize + direction]).collect();
        let mut params = vec![0.0; self.program.params.len()];
        seeds.iter().filter(|(_, of)| *of as usize == direction).for_each(|&(param, _)| params[param] = 1.0);
        let mut history = vec![0.0; machine.context.history.len()];
        for &(first, size, of_tangents) in rings {
            for element in 0..size as usize {
                history[first as usize + element] =
                    machine.context.history[of_tangents as usize + element * directions + direction];
            }
        }
        let widest = self.program.states.iter().map(|slot| slot.width).max().unwrap_or_default();
        let changes = Changes {
            program: &self.program,
            indices: &machine.context.history,
            params,
            discrete: cells(discrete),
            next: cells(next),
            history,
            zeros: vec![0.0; widest as usize],
        };
        f(self.inner.leaves(), &changes);
    }
}

/// The tangents, in one direction, of what is constant while a solver works.
struct Changes<'a> {
    program: &'a Program,
    /// The history, with the indices of the slots that the rings write next.
    indices: &'a [f64],
    params: Vec<f64>,
    discrete: Vec<f64>,
    next: Vec<f64>,
    history: Vec<f64>,
    zeros: Vec<f64>,
}

impl StepChanges for Changes<'_> {
    fn elements(&self, unit: &Unit, source: StepSource) -> &[f64] {
        let slot = |state: usize| self.program.state(unit, state);
        match source {
            StepSource::Param { number, width } => {
                let skipped: usize = self.program.kernel(unit).params[..number].iter().map(|(_, width)| width).sum();
                &self.params[unit.first_param as usize + skipped..][..width]
            }
            StepSource::Discrete(state) => &self.discrete[slot(state).elements()],
            StepSource::Held(state) => &self.next[slot(state).elements()],
            StepSource::Recorded(record) => &self.zeros[..slot(record).width as usize],
            StepSource::Past { history, back } => {
                let slot = slot(history);
                let StateKind::History { length } = slot.kind else { return &[] };
                let (first, width) = (slot.offset as usize, slot.width as usize);
                let next = self.indices[first + length * width] as usize;
                // The conversion saturates.
                let back = (back as usize).clamp(1, length);
                &self.history[first + (next + length - back) % length * width..][..width]
            }
        }
    }
}
