use crate::block::library::linear::{RESETS, reset};
use crate::block::{BlockDef, Builder, Example, Expr, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Statistics",
    name: "Histogram",
    doc: "Counts how many elements of its input fall into each of several bins of equal width",
    formula: "y_k = number of u with e_k ≤ u < e_k₊₁, of the last bin also u = e_N; e_k = low + k·(high − low)/N; not-a-number \
              falls into no bin",
    aliases: &["bins", "distribution", "hist", "frequency count", "probability density", "frequency distribution"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.9), (0.1, 0.7), (0.26, 0.7), (0.26, 0.9)],
        &[(0.26, 0.7), (0.26, 0.4), (0.42, 0.4), (0.42, 0.9)],
        &[(0.42, 0.4), (0.42, 0.15), (0.58, 0.15), (0.58, 0.9)],
        &[(0.58, 0.5), (0.74, 0.5), (0.74, 0.9)],
        &[(0.74, 0.75), (0.9, 0.75), (0.9, 0.9)],
        &[(0.1, 0.9), (0.9, 0.9)],
    ])),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Lower Limit", &[0.0]).fixed().doc("The lower edge of the first bin"),
        ParamDef::number("Upper Limit", &[1.0]).fixed().doc("The upper edge of the last bin"),
        ParamDef::integer("Bins", 10, 1, 1000).doc("The number of bins N"),
        ParamDef::choice("Outside", &["ignore", "end bins"])
            .doc("Whether values outside the limits are not counted, or counted in the first and last bin"),
        ParamDef::flag("Running", true)
            .doc("Whether all samples so far are counted, or the elements of the current one"),
        ParamDef::choice("Normalization", &["count", "probability", "density"]).doc(
            "The counts; these divided by the number of counted values; or that divided by the width of a bin, so that \
             the area is 1",
        ),
        ParamDef::choice("Reset", &RESETS).doc(
            "Which edge of the input Reset begins anew with the current sample; level: while the input is nonzero",
        ),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build,
    examples: &[
        Example {
            doc: "Four bins over the samples so far; −1 is outside, 1 belongs to the last bin",
            options: &[("Bins", &["4"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.25, -1.0, 1.0]],
            outputs: &[&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]],
        },
        Example {
            doc: "The elements of each vector, with all values outside in the end bins",
            options: &[
                ("Bins", &["2"]),
                ("Running", &["0"]),
                ("Outside", &["end bins"]),
                ("Normalization", &["probability"]),
            ],
            delta: 1.0,
            widths: &[4],
            inputs: &[&[-5.0, 0.1, 0.7, 0.2, 9.0, 8.0, 0.5, 0.0]],
            outputs: &[&[0.75, 0.25, 0.25, 0.75]],
        },
    ],
};

fn inputs(settings: &Settings) -> Vec<String> {
    crate::block::library::running::inputs(settings)
}

fn build(b: &Builder) {
    let settings = b.settings();
    let (low, high) = (settings.number("Lower Limit"), settings.number("Upper Limit"));
    let bins = settings.integer("Bins") as usize;
    let width = (high - low) / bins as f64;
    if !(width > 0.0 && width.is_finite()) {
        b.refuse("Upper Limit", "it must be above the lower limit, and both must be finite");
        return b.output(0, b.input(0));
    }
    let edge = |number: usize| if number == bins { high } else { low + number as f64 * width };
    let (lower, mut upper): (Vec<f64>, Vec<f64>) = (0..bins).map(|bin| (edge(bin), edge(bin + 1))).unzip();
    // The upper limit belongs to the last bin.
    upper[bins - 1] = high.next_up();
    let mut u = b.input(0);
    if settings.choice("Outside") == "end bins" {
        u = u.clamp(low, high);
    }
    let mut counts = if u.width() == 1 {
        u.ge(b.vector(&lower)).and(u.lt(b.vector(&upper)))
    } else {
        let count = |bin: usize| u.ge(lower[bin]).and(u.lt(upper[bin])).sum();
        b.join(&(0..bins).map(count).collect::<Vec<Expr>>())
    };
    let is_reset = reset(b, 1);
    if settings.flag("Running") {
        let before = b.state(bins, b.constant(0.0));
        counts = counts + is_reset.map_or(before.value, |is_reset| b.select(is_reset, 0.0, before.value));
        before.next(counts);
    }
    b.output(
        0,
        match settings.choice("Normalization") {
            "probability" => counts / counts.sum(),
            "density" => counts / (counts.sum() * width),
            _ => counts,
        },
    );
}
