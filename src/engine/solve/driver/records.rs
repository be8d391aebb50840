//! Records signals for the delays that read their past, step by step of the solver.

use super::super::evaluate::Point;
use super::super::memory::Memory;
use super::variable::VariableStep;
use crate::engine::program::record::POINTS;

/// Working memory.
#[derive(Debug, Default)]
pub(super) struct RecordWork {
    x: Vec<f64>,
    /// The signals at each point of a step, all of the first point before those of the second.
    values: Vec<f64>,
    /// One signal at all points.
    points: Vec<f64>,
}

impl VariableStep<'_> {
    /// Appends the last step to the records.
    pub(super) fn record(&mut self, memory: &Memory) {
        if self.integrator.program.record_count == 0 {
            return;
        }
        let (begin, end) = (memory.begin(), memory.end());
        let mut work = std::mem::take(&mut self.integrator.work.records);
        let RecordWork { x, values, points } = &mut work;
        values.clear();
        x.resize(memory.state().len(), 0.0);
        for point in 0..POINTS {
            let part = point as f64 / (POINTS - 1) as f64;
            let time = if part < 1.0 { begin + part * (end - begin) } else { end };
            self.state_at(memory, time, x);
            self.integrator.evaluator.recorded(self.system.leaves(), Point { time, x }, values);
        }
        let at_point = values.len() / POINTS;
        let mut first = 0;
        for signal in self.integrator.evaluator.recorded_signals() {
            points.clear();
            (0..POINTS).for_each(|point| points.extend(&values[point * at_point + first..][..signal.width]));
            first += signal.width;
            let record = &mut self.system.records()[signal.record];
            record.push((begin, end), points);
            record.forget(begin - signal.longest);
        }
        self.integrator.work.records = work;
    }

    /// Notes where the signals jump at a time in seconds at which the solver starts again; the records beyond it are
    /// forgotten.
    pub(super) fn mark_jumps(&mut self, time: f64, x: &[f64]) {
        if self.integrator.program.record_count == 0 {
            return;
        }
        self.system.records().iter_mut().for_each(|record| record.cut(time));
        let mut values = std::mem::take(&mut self.integrator.work.records.values);
        values.clear();
        self.integrator.evaluator.recorded(self.system.leaves(), Point { time, x }, &mut values);
        let mut rest = &values[..];
        for signal in self.integrator.evaluator.recorded_signals() {
            let (value, others) = rest.split_at(signal.width);
            rest = others;
            self.system.records()[signal.record].mark(time, value);
        }
        self.integrator.work.records.values = values;
    }
}
