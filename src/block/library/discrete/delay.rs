use crate::block::library::linear::{RESETS, reset};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Delay",
    doc: "Delays its input by a fixed number of samples",
    formula: "y[n] = u[n−d]; y₀ in the first d samples and after a reset",
    aliases: &["z^-n", "integer delay", "n samples", "resettable delay", "shift register", "buffer"],
    look: Look::rect(Face::Text("z⁻ᵈ")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::integer("Length", 2, 0, 10_000_000).doc("The number of samples d"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The output y₀ until the first input arrives"),
        ParamDef::choice("Initial Source", &["option", "input"])
            .doc("Whether y₀ is the parameter, or an input read at the start and at each reset"),
        ParamDef::choice("Reset", &RESETS)
            .doc("Which edge of the input Reset clears the delay; level: while the input is nonzero"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let (u, length) = (b.input(0), b.settings().integer("Length"));
        let reset = reset(b, 1);
        let option = b.param("Initial Value");
        let source =
            (b.settings().choice("Initial Source") == "input").then(|| b.input(1 + usize::from(reset.is_some())));
        if length == 0 {
            return b.output(0, u);
        }
        let mut parts = vec![u, option];
        parts.extend(reset.into_iter().chain(source));
        let width = b.common_width(&parts);
        let history = b.history(width, length as usize, option);
        history.push(u);
        let mut y = history.past(b.constant(length as f64));
        if reset.is_none() && source.is_none() {
            return b.output(0, y);
        }
        // The number of samples since the start or the last reset.
        let begins = reset.map_or(b.is_first(), |reset| reset.or(b.is_first()));
        let count = b.state(begins.width(), b.constant(0.0));
        let since = b.select(begins, 0.0, count.value + 1.0);
        count.next(since);
        let initial = source.map_or(option, |source| {
            let kept = b.state(width, b.constant(0.0));
            let now = b.select(begins, source, kept.value);
            kept.next(now);
            now
        });
        y = b.select(since.lt(length as f64), initial, y);
        b.output(0, y);
        b.early(0, option);
    },
    examples: &[
        Example {
            doc: "A delay of two samples",
            options: &[("Initial Value", &["-1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 2.0, 3.0, 4.0]],
            outputs: &[&[-1.0, -1.0, 1.0, 2.0]],
        },
        Example {
            doc: "Cleared at a reset",
            options: &[("Length", &["1"]), ("Reset", &["rising"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 2.0, 3.0, 4.0], &[0.0, 0.0, 1.0, 1.0]],
            outputs: &[&[0.0, 1.0, 0.0, 3.0]],
        },
        Example {
            doc: "Initial value from an input",
            options: &[("Initial Source", &["input"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 2.0, 3.0, 4.0], &[8.0, 9.0, 9.0, 9.0]],
            outputs: &[&[8.0, 8.0, 1.0, 2.0]],
        },
    ],
};

fn inputs(settings: &Settings) -> Vec<String> {
    let reset = (settings.choice("Reset") != "none").then_some("Reset");
    let initial = (settings.choice("Initial Source") == "input").then_some("Initial");
    std::iter::once("Input").chain(reset).chain(initial).map(str::to_owned).collect()
}
