//! Thermal identification: resistances and capacities of a room from noisy temperatures.

use std::path::Path;

use simulate::Components;
use simulate::calibration::{Calibration, CalibrationParam, Experiment, FitOptions, MeasuredCurve, MeasuredRow};
use simulate::engine::{Cancel, Engines, RunSetup};
use simulate::model::{Document, SignalKey};
use simulate::optimize::End;

use super::noise;

/// Resistances in K/W, capacities in J/K: the air to the wall, the wall to the outside.
const PARAMS: [&str; 4] =
    ["R1.Value=1e-4:1:log", "R2.Value=1e-4:1:log", "C1.Value=1e4:1e8:log", "C2.Value=1e4:1e8:log"];
const TRUTH: [f64; 4] = [0.01, 0.02, 1e6, 5e6];
const HEAT: f64 = 1000.0;
/// Seconds between two measurements, and the step of the simulation.
const PERIOD: f64 = 600.0;
const COUNT: usize = 288;

/// Air and wall above the temperature outside, with a heater that is switched on at time 0. The starts in the file are
/// wrong by factors of 3 to 10.
fn model() -> String {
    let mut blocks = String::new();
    for (id, name, value) in [(1, "R1", 0.1), (2, "R2", 0.1), (3, "C1", 3e5), (4, "C2", 3e7)] {
        blocks += &format!(
            r#"<block id="{id}" group="Var" name="Static" label="{name}"><option name="Value"><value>{value}</value></option>
            </block><connection from="{id}" output="Output" to="0" input="{name}"/>"#
        );
    }
    for (id, name) in [(5, "air"), (6, "wall")] {
        blocks += &format!(
            r#"<exit id="{id}" name="{name}"/><connection from="0" output="{name}" to="{id}" input="Input"/>"#
        );
    }
    format!(
        r#"<simulation steps="{COUNT}" delta="{PERIOD}" root="room" solver="rodas34" rtol="1e-8"><model name="room">
        <block id="0" group="User" name="ODE"><option name="Equations"><value>_q = (air - wall)/R1; air' = ({HEAT} - _q)/C1;
        wall' = (_q - wall/R2)/C2</value></option><option name="Inputs"><value>R1 R2 C1 C2</value></option></block>
        {blocks}</model></simulation>"#
    )
}

/// The exact temperatures at a time, by the exponential of the matrix A: with m half its trace and d² = m² − det A it is
/// e^(m·t)·(cosh(d·t)·I + sinh(d·t)/d·(A − m·I)).
fn exact(time: f64) -> [f64; 2] {
    let [r1, r2, c1, c2] = TRUTH;
    let a = [[-1.0 / (r1 * c1), 1.0 / (r1 * c1)], [1.0 / (r1 * c2), -(1.0 / r1 + 1.0 / r2) / c2]];
    let m = (a[0][0] + a[1][1]) / 2.0;
    let d = (m * m - a[0][0] * a[1][1] + a[0][1] * a[1][0]).sqrt();
    let settled = [HEAT * (r1 + r2), HEAT * r2];
    let (cosh, sinh) = ((d * time).cosh(), (d * time).sinh() / d);
    let row = |i: usize| {
        let shifted = |j: usize| a[i][j] - if i == j { m } else { 0.0 };
        settled[i] - (m * time).exp() * (cosh * settled[i] + sinh * (shifted(0) * settled[0] + shifted(1) * settled[1]))
    };
    [row(0), row(1)]
}

/// With noise of 0.1 K the true values lie in their intervals of 99 %; without noise they are found to six digits.
#[test]
fn resistances_and_capacities_of_a_room_lie_in_their_intervals() {
    let components = Components::standard();
    let loaded = components.formats.parse(Path::new("m.simx"), model().as_bytes(), &Default::default());
    let document = Document::new(loaded.expect("a simulation").simulation, components.registry);
    let setup = RunSetup::of(&document);
    let engine = components.engines.get(Engines::DEFAULT).expect("an engine");
    let params = PARAMS.map(|text| CalibrationParam::parse(text).expect("a parameter"));
    let noise = noise(2 * COUNT);
    let fit = |deviation: f64, options: &FitOptions| {
        let curve = |index: usize, name: &str| {
            let row = |step: usize| MeasuredRow {
                time: PERIOD * step as f64,
                value: exact(PERIOD * step as f64)[index] + deviation * noise[index * COUNT + step],
                weight: 1.0,
            };
            let signal = SignalKey::parse(name, setup.simulation(), setup.registry()).expect("a signal");
            MeasuredCurve { name: name.to_owned(), signal, element: 0, rows: (0..COUNT).map(row).collect() }
        };
        let curves = vec![curve(0, "#0.air"), curve(1, "#0.wall")];
        let experiment = Experiment { name: "heating".to_owned(), setup: setup.clone(), curves };
        let calibration = Calibration::new(vec![experiment], &params, engine).expect("a calibration");
        calibration.fit(options, &Cancel::new(), &mut |_| {}).expect("a fit")
    };
    let found = fit(0.0, &FitOptions::default());
    for (param, truth) in found.params.iter().zip(TRUTH) {
        assert!((param.value / truth - 1.0).abs() < 1e-6, "{param:?}");
    }
    let found = fit(0.1, &FitOptions { level: 0.99, ..FitOptions::default() });
    assert_eq!(found.end, End::Converged);
    for (param, truth) in found.params.iter().zip(TRUTH) {
        let (low, high) = param.interval.expect("an interval");
        assert!(low < truth && truth < high && high - low < 0.1 * truth, "{param:?}");
    }
    for curve in &found.curves {
        assert!((curve.deviation / 0.1 - 1.0).abs() < 0.1, "{curve:?}");
    }
}
