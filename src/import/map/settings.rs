//! Start and stop time, solver, step and tolerances.

use std::rc::Rc;

use super::super::source::Source;
use super::block::short;
use super::state::Mapper;

/// Steps of a run whose solver chooses its own.
const STEPS: f64 = 1000.0;
const MAX_STEPS: f64 = 1e12;

/// Fixed-step solvers: theirs, ours, and whether they are the same.
const FIXED: [(&str, &str, bool); 10] = [
    ("ode1", "euler", true),
    ("ode2", "heun", true),
    ("ode3", "rk4", false),
    ("ode4", "rk4", true),
    ("ode5", "dopri5", true),
    ("ode8", "dopri8", true),
    ("ode14x", "rodas4", false),
    ("ode1be", "backward-euler", true),
    ("fixedstepdiscrete", "rk4", true),
    ("fixedstepauto", "rk4", false),
];

/// Solvers of variable step.
const VARIABLE: [(&str, &str, bool); 17] = [
    ("ode45", "dopri45", true),
    ("variablestepdiscrete", "dopri45", true),
    ("variablestepauto", "dopri45", true),
    ("ode23", "dopri45", false),
    ("ode113", "dopri45", false),
    ("ode15s", "rodas34", false),
    ("ode23s", "rodas34", false),
    ("ode23t", "rodas34", false),
    ("ode23tb", "rodas34", false),
    ("lsodar", "dopri45", false),
    ("cvode bdf newton", "rodas34", false),
    ("cvode bdf functional", "dopri45", false),
    ("cvode adams newton", "dopri45", false),
    ("cvode adams functional", "dopri45", false),
    ("dormand-prince 4(5)", "dopri45", true),
    ("runge-kutta 4(5)", "dopri45", false),
    ("ida", "rodas34", false),
];

impl Mapper {
    pub(super) fn settings(&mut self, source: &Rc<Source>) {
        let text = |name: &str| source.settings.get(name).unwrap_or_default().trim().to_owned();
        let start = self.setting("StartTime", &text("StartTime")).unwrap_or(0.0);
        let stop = match &*text("StopTime").to_lowercase() {
            "inf" => f64::INFINITY,
            "" => start + 10.0,
            _ => self.setting("StopTime", &text("StopTime")).unwrap_or(start + 10.0),
        };
        if start != 0.0 {
            self.report.notes.push(format!("the run begins at 0 s instead of {start} s; it is as long"));
        }
        let length = (stop - start).max(0.0);
        let name = if text("SolverName").is_empty() { text("Solver") } else { text("SolverName") };
        let name = if name.is_empty() { "ode45".to_owned() } else { name };
        let key = name.to_lowercase();
        let fixed = FIXED.iter().find(|(known, ..)| *known == key);
        let variable = VARIABLE.iter().find(|(known, ..)| *known == key);
        // Purely discrete models need no solver, whatever the file says.
        let (ours, is_same) = fixed.or(variable).map_or(("dopri45", false), |(_, ours, is_same)| (*ours, *is_same));
        if !is_same && self.has_continuous {
            self.report
                .notes
                .push(format!("the solver {name} is replaced by {ours}: results agree within the tolerance"));
        }
        self.simulation.attributes.set("solver", ours);
        // The other program solves algebraic loops.
        self.simulation.attributes.set("loops", "solve");
        let delta = match fixed.is_some() {
            true => self.fixed_step(&text("FixedStep"), length),
            false => self.output_step(length),
        };
        if fixed.is_none() {
            for (ours, theirs) in [("rtol", "RelTol"), ("atol", "AbsTol"), ("max-step", "MaxStep")] {
                let value = text(theirs);
                let value = if value == "auto" || value.is_empty() { None } else { self.setting(theirs, &value) };
                if let Some(value) = value.filter(|value| *value > 0.0 && value.is_finite()) {
                    self.simulation.attributes.set(ours, &crate::block::number_text(value));
                } else if ours == "rtol" {
                    self.simulation.attributes.set("rtol", "0.001");
                }
            }
        }
        self.simulation.delta = delta;
        let steps = length / delta;
        let rounded = steps.round();
        let steps = if (steps - rounded).abs() < 1e-9 * rounded.max(1.0) { rounded } else { steps.ceil() };
        self.simulation.steps = if steps.is_finite() && steps < MAX_STEPS { (steps as u64).max(1) } else { 0 };
        if self.simulation.steps == 0 {
            self.report.notes.push("the run has no end; stop it by hand".to_owned());
        }
    }

    /// The value of a setting; a note if it is not known.
    fn setting(&mut self, name: &str, text: &str) -> Option<f64> {
        if text.is_empty() {
            return None;
        }
        let made = self.expression(text, name);
        let value = made.ok().and_then(|made| made.value).and_then(|value| value.values.first().copied());
        if value.is_none() {
            self.report.notes.push(format!("{name} = {} is not known; the default is used", short(text)));
        }
        value.filter(|value| !value.is_nan())
    }

    fn fixed_step(&mut self, text: &str, length: f64) -> f64 {
        let given = if text == "auto" || text == "-1" { None } else { self.setting("FixedStep", text) };
        if let Some(step) = given.filter(|step| *step > 0.0 && step.is_finite()) {
            return step;
        }
        let span = if length.is_finite() && length > 0.0 { length } else { 10.0 };
        match common(&self.sample_times) {
            Some(step) => step,
            None => span / 50.0,
        }
    }

    /// The interval of samples of a solver that chooses its steps: it divides all sample times.
    fn output_step(&self, length: f64) -> f64 {
        let span = if length.is_finite() && length > 0.0 { length } else { 10.0 };
        let Some(step) = common(&self.sample_times) else { return span / STEPS };
        // As many as there would be without.
        let parts = if self.has_continuous { (step * STEPS / span).floor().max(1.0) } else { 1.0 };
        step / parts
    }
}

/// The greatest number of which all are multiples.
fn common(times: &[f64]) -> Option<f64> {
    const SMALLEST: f64 = 1e-9;
    let divisor = |a: f64, b: f64| {
        let (mut a, mut b) = (a.max(b), a.min(b));
        while b > SMALLEST.max(a * 1e-9) {
            let rest = a - b * (a / b).round();
            (a, b) = (b, rest.abs());
        }
        a
    };
    let step = times.iter().copied().filter(|time| *time > 0.0 && time.is_finite()).reduce(divisor)?;
    // The shortest text of nearly the same value.
    let short = format!("{step:.9}").parse().unwrap_or(step);
    Some(if short > 0.0 { short } else { step })
}
