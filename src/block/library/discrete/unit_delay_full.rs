use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Unit Delay Enabled Resettable",
    doc: "Delays its input by one sample, with optional enable, reset and initial-value inputs",
    formula: "y = x, y₀ while reset; x⁺ = u while enabled and not reset, else y; y₀ is the parameter or an input",
    aliases: &[
        "unit delay enabled",
        "unit delay resettable",
        "unit delay external ic",
        "unit delay enabled external ic",
        "unit delay with preview",
        "unit delay enabled resettable external ic",
        "unit delay resettable external ic",
    ],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.85), (0.35, 0.85), (0.35, 0.15), (0.6, 0.15)],
        &[(0.6, 0.4), (0.9, 0.4)],
        &[(0.7, 0.6), (0.9, 0.6)],
    ])),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::flag("Enable Input", true).doc("Whether there is an enable input"),
        ParamDef::flag("Reset Input", true).doc("Whether there is an input that resets the block while it is nonzero"),
        ParamDef::flag("Initial Input", false)
            .doc("Whether the initial value is an input, read at the first sample and at a reset"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The output y₀ at the first sample and during a reset"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let u = b.input(0);
        let mut next = 1;
        let mut further = |flag: &str| {
            let input = b.settings().flag(flag).then(|| b.input(next));
            next += usize::from(input.is_some());
            input
        };
        let (enable, reset, initial) = (further("Enable Input"), further("Reset Input"), further("Initial Input"));
        let option = b.param("Initial Value");
        let mut parts = vec![u, option];
        parts.extend(enable.into_iter().chain(reset).chain(initial));
        let state = b.state(b.common_width(&parts), option);
        let mut y = state.value;
        if let Some(initial) = initial {
            y = b.select(b.is_first(), initial, y);
        }
        if let Some(reset) = reset {
            y = b.select(reset, initial.unwrap_or(option), y);
        }
        let kept = enable.map_or(u, |enable| b.select(enable, u, y));
        state.next(reset.map_or(kept, |reset| b.select(reset, y, kept)));
        b.output(0, y);
        b.early(0, option);
    },
    examples: &[Example {
        doc: "Held while not enabled, then reset",
        options: &[("Initial Value", &["7"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 2.0, 3.0, 4.0], &[1.0, 0.0, 1.0, 1.0], &[0.0, 0.0, 0.0, 1.0]],
        outputs: &[&[7.0, 1.0, 1.0, 7.0]],
    }],
};

fn inputs(settings: &Settings) -> Vec<String> {
    let flags = [("Enable Input", "Enable"), ("Reset Input", "Reset"), ("Initial Input", "Initial")];
    let further = flags.into_iter().filter(|(flag, _)| settings.flag(flag)).map(|(_, name)| name);
    std::iter::once("Input").chain(further).map(str::to_owned).collect()
}
