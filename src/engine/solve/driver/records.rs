//! Records signals for the delays that read their past, step by step of the solver.

use super::super::super::record::POINTS;
use super::super::evaluate::Point;
use super::super::memory::Memory;
use super::variable::VariableStep;

impl VariableStep<'_> {
    /// Appends the last step to the records.
    pub(super) fn record(&mut self, memory: &Memory) {
        if self.integrator.program.record_count == 0 {
            return;
        }
        let (begin, end) = (memory.begin(), memory.end());
        let mut x = memory.state().to_vec();
        let values: [Vec<f64>; POINTS] = std::array::from_fn(|point| {
            let part = point as f64 / (POINTS - 1) as f64;
            let time = if part < 1.0 { begin + part * (end - begin) } else { end };
            self.state_at(memory, time, &mut x);
            self.recorded(time, &x)
        });
        let mut first = 0;
        let mut points = Vec::new();
        let Self { integrator, system, .. } = self;
        for signal in integrator.evaluator.recorded_signals() {
            let range = first..first + signal.width;
            first = range.end;
            points.clear();
            values.iter().for_each(|values| points.extend_from_slice(&values[range.clone()]));
            let record = &mut system.records()[signal.record];
            record.push((begin, end), &points);
            record.forget(begin - signal.longest);
        }
    }

    /// Notes where the signals jump at a time in seconds at which the solver starts again; what was recorded beyond it is
    /// forgotten.
    pub(super) fn mark_jumps(&mut self, time: f64, x: &[f64]) {
        if self.integrator.program.record_count == 0 {
            return;
        }
        self.system.records().iter_mut().for_each(|record| record.cut(time));
        let values = self.recorded(time, x);
        let mut rest = &values[..];
        let Self { integrator, system, .. } = self;
        for signal in integrator.evaluator.recorded_signals() {
            let (value, others) = rest.split_at(signal.width);
            rest = others;
            system.records()[signal.record].mark(time, value);
        }
    }

    /// Returns the values of all recorded signals at a time in seconds.
    fn recorded(&mut self, time: f64, x: &[f64]) -> Vec<f64> {
        let mut values = Vec::new();
        self.integrator.evaluator.recorded(self.system.leaves(), Point { time, x }, &mut values);
        values
    }
}
