use crate::block::{BlockDef, Builder, Example, Expr, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "Variable Pulse",
    doc: "Generates pulses whose duty cycle and period are inputs",
    formula: "the phase grows by h/T each step; where it reaches 1, a period begins and duty d and period T are sampled; y = 1 while phase < d, else 0",
    aliases: &["variable pulse generator", "variable frequency pwm", "pulse width modulation", "vco"],
    look: Look::rect(Face::Strokes(&[&[
        (0.08, 0.8),
        (0.08, 0.2),
        (0.2, 0.2),
        (0.2, 0.8),
        (0.5, 0.8),
        (0.5, 0.2),
        (0.62, 0.2),
        (0.62, 0.8),
        (0.72, 0.8),
        (0.72, 0.2),
        (0.84, 0.2),
        (0.84, 0.8),
        (0.92, 0.8),
    ]])),
    inputs: Ports::Fixed(&["Duty", "Period"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| {
        let (duty, period) = (b.scalar_input(0), b.scalar_input(1));
        let is_on = if b.locates() { located(b, duty, period) } else { stepped(b, duty, period) };
        b.output(0, is_on);
    },
    examples: &[Example {
        doc: "A period of 1 s, then 0.5 s",
        options: &[],
        delta: 0.25,
        widths: &[],
        inputs: &[&[0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.5, 0.0], &[1.0, 1.0, 1.0, 1.0, 0.5, 0.0, 0.5, 0.0]],
        outputs: &[&[1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0]],
    }],
};

/// Writes the generator for steps of fixed length, at which its edges lie.
fn stepped<'b>(b: &'b Builder<'b>, duty: Expr<'b>, period: Expr<'b>) -> Expr<'b> {
    let (kept_duty, kept_period) = (b.state(1, b.constant(0.0)), b.state(1, b.constant(1.0)));
    let phase = b.state(1, b.constant(0.0));
    let moved = phase.value + b.elapsed() / kept_period.value;
    let is_new = b.is_first().or((moved + 1e-9).ge(1.0));
    let now = b.select(b.is_first(), 0.0, b.select(is_new, (moved - (moved + 1e-9).floor()).max(0.0), moved));
    let duty = b.select(is_new, duty, kept_duty.value);
    phase.next(now);
    kept_duty.next(duty);
    kept_period.next(b.select(is_new, period, kept_period.value));
    b.at_step((now + 1e-9).lt(duty))
}

/// Writes the generator for solvers of variable step, which act at the edges themselves.
fn located<'b>(b: &'b Builder<'b>, duty: Expr<'b>, period: Expr<'b>) -> Expr<'b> {
    let now = b.time_of_decision();
    let [begin, kept_duty, kept_period] = [f64::NAN, 0.0, 1.0].map(|initial| b.mode(1, b.constant(initial)));
    let end = begin.value + kept_period.value;
    let has_begun = begin.value.equals(begin.value);
    let is_new = b.deciding().and((!has_begun).or(now.ge(end)));
    // A disabled block may have missed periods; whole ones are skipped.
    let next_begin = b.select(has_begun, end + ((now - end) / kept_period.value).floor() * kept_period.value, b.time());
    let (begin_now, duty_now, period_now) = (
        b.select(is_new, next_begin, begin.value),
        b.select(is_new, duty, kept_duty.value),
        b.select(is_new, period, kept_period.value),
    );
    begin.next(begin_now);
    kept_duty.next(duty_now);
    kept_period.next(period_now);
    let is_on = now.lt(begin_now + duty_now * period_now);
    b.edge(begin_now + b.select(is_on, duty_now, 1.0) * period_now);
    b.settled(is_on)
}
