//! Requirements of runs: what they say of curves that are known, and searches whose results follow from formulas.

use std::f64::consts::PI;

use simulate::Components;
use simulate::engine::{Cancel, Engines, RunSetup};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader};
use simulate::model::Document;
use simulate::optimize::{BlackBoxOptions, End, Method};
use simulate::requirement::{
    Figure, GradientError, Objective, Question, Requirement, RequirementTextError, SearchMethod, SearchOptions, Study,
    StudyError, parse_figure,
};
use simulate::trial::{FreeParam, TrialError};

mod black_box;

/// A simulation of blocks and connections of steps of 0.1 s.
fn setup(steps: u64, inside: &str) -> RunSetup {
    let text = format!(
        r#"<?xml version="1.0"?><simulation steps="{steps}" delta="0.1" root="Main" solver="rk4"><model name="Main">{inside}</model></simulation>"#
    );
    let components = Components::standard();
    let loaded = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it loads");
    RunSetup::of(&Document::new(loaded.simulation, components.registry))
}

fn requirements(texts: &[&str]) -> Vec<Requirement> {
    texts.iter().map(|text| Requirement::parse(text).expect("a requirement")).collect()
}

fn params(texts: &[&str]) -> Vec<FreeParam> {
    texts.iter().map(|text| FreeParam::parse(text).expect("a parameter")).collect()
}

fn study(setup: &RunSetup, question: &Question) -> Result<Study, StudyError> {
    let components = Components::standard();
    Study::new(setup, question, components.engines.get(Engines::DEFAULT).expect("the engine"))
}

/// Two lines from 0, `v` and `w`.
const RAMPS: &str = r#"
    <block name="Line" group="Var" id="0"/>
    <block name="Line" group="Var" id="1"/>
    <exit name="v" id="2"/><exit name="w" id="3"/>
    <connection from="0" output="Output" to="2" input="Input"/>
    <connection from="1" output="Output" to="3" input="Input"/>"#;

/// The margin of a requirement on the ramps, and the time of its violation.
fn of_ramps(text: &str, values: [f64; 2]) -> (f64, Option<f64>) {
    let question = Question {
        params: params(&["#0.Slope=0:1000", "#1.Slope=0:1000"]),
        requirements: requirements(&[text]),
        ..Question::default()
    };
    let study = study(&setup(301, RAMPS), &question).expect("a study");
    let found = study.evaluate(&values, &Cancel::new()).expect("not cancelled");
    assert_eq!(found.failure, None);
    let met = found.met[0];
    (met.margin, met.violated_at.map(|step| study.time(step)))
}

#[track_caller]
fn close(found: (f64, Option<f64>), margin: f64, time: Option<f64>) {
    assert!((found.0 - margin).abs() < 1e-9, "margin {}, not {margin}", found.0);
    assert_eq!(found.1.is_some(), time.is_some(), "{found:?}");
    if let (Some(found), Some(time)) = (found.1, time) {
        assert!((found - time).abs() < 1e-9, "at {found} s, not {time} s");
    }
}

/// The kinds of requirements on the automatic transmission (B. Hoxha, H. Abbas, G. Fainekos, “Benchmarks for temporal logic
/// requirements for automotive systems”, 2014): bounds in a window, something that happens in the end, and implications.
#[test]
fn margins_are_those_of_the_curve() {
    close(of_ramps("v < 120 to 20", [2.0, 0.0]), 80.0, None);
    close(of_ramps("always v < 120 to 20", [7.5, 0.0]), -30.0, Some(16.0));
    close(of_ramps("v >= 3 from 10", [0.25, 0.0]), -0.5, Some(10.0));
    close(of_ramps("w <= 50 from 0.05 to 0.95", [0.0, 50.0]), 5.0, None);
    close(of_ramps("eventually v >= 10 to 5", [4.0, 0.0]), 10.0, None);
    // That something does not happen is known at the end.
    close(of_ramps("eventually v >= 10 to 5", [1.0, 0.0]), -5.0, Some(30.0));
    // Slow for 30 s implies v < 35 for 4 s.
    let implied = "eventually w > 3000 to 30 or v < 35 to 4";
    // As a part of its bound, 2700 is nearer to 3000 than 40 to 35.
    close(of_ramps(implied, [10.0, 90.0]), -300.0, Some(30.0));
    close(of_ramps(implied, [10.0, 200.0]), 3000.0, None);
    close(of_ramps(implied, [5.0, 0.0]), 15.0, None);
    // A bound itself is a violation where it is excluded.
    close(of_ramps("v < 30", [1.0, 0.0]), 0.0, Some(30.0));
    close(of_ramps("v <= 30", [1.0, 0.0]), 0.0, None);
}

#[test]
fn figures_are_those_of_the_curve() {
    close(of_ramps("maximum of v < 40", [1.0, 0.0]), 10.0, None);
    close(of_ramps("final of w > 40", [0.0, 1.0]), -10.0, Some(30.0));
    close(of_ramps("mean of v < 15.5", [1.0, 0.0]), 0.5, None);
    close(of_ramps("peak-to-peak of v < 31", [1.0, 0.0]), 1.0, None);
    // The area of a triangle.
    close(of_ramps("absolute-area of v <= 451", [1.0, 0.0]), 1.0, None);
}

#[test]
fn texts_that_are_no_requirement_are_refused() {
    for text in ["", "v", "v < ", "< 3", "v < 3 from", "v < 3 until 4", "v follows a.csv", "overshoot of v < 5 to 3"] {
        assert!(matches!(Requirement::parse(text), Err(RequirementTextError::Malformed(_))), "{text}");
    }
    assert!(matches!(Requirement::parse("speed of v < 5"), Err(RequirementTextError::Figure(..))));
    assert!(matches!(Requirement::parse("v < 5 from 3 to 2"), Err(RequirementTextError::Window(_))));
    assert!(matches!(parse_figure("v"), Err(RequirementTextError::Objective(_))));
    assert_eq!(parse_figure("settling-time of Plant/y"), Ok((Figure::SettlingTime, "Plant/y".to_owned())));
}

/// A step into a second-order lag, whose damping is to be chosen.
const LAG: &str = r#"
    <block name="Static" group="Var" id="0"><option name="Value"><value>1</value></option></block>
    <block name="PT2" group="Continuous" id="1"><option name="Damping"><value>0.2</value></option></block>
    <exit name="y" id="2"/>
    <connection from="0" output="Output" to="1" input="Input"/>
    <connection from="1" output="Output" to="2" input="Input"/>"#;

/// The rise time grows with the damping, and the overshoot is exp(−πD/√(1 − D²)): the fastest lag that overshoots by 5 % has
/// D = −ln 0.05 / √(π² + ln² 0.05).
#[test]
fn the_fastest_response_is_found_where_its_requirement_ends() {
    let log = 0.05_f64.ln();
    let exact = -log / (PI * PI + log * log).sqrt();
    for method in [Method::CmaEs, Method::Bobyqa] {
        let question = Question {
            params: params(&["#1.Damping=0.05:2"]),
            requirements: requirements(&["overshoot of y <= 5"]),
            objective: Some(Objective { figure: Figure::RiseTime, signal: "y".to_owned(), is_maximized: false }),
            ..Question::default()
        };
        let study = study(&setup(400, LAG), &question).expect("a study");
        let black_box = BlackBoxOptions { method, max_evaluations: 400, ..BlackBoxOptions::default() };
        let options = SearchOptions { black_box, ..SearchOptions::default() };
        let mut last = Vec::new();
        let found = study.optimize(&options, &Cancel::new(), &mut |progress| last = progress.values).expect("a search");
        assert!(found.after.is_met() && !found.before.is_met());
        // The curve has a value each 0.1 s, which misses its peak by up to 0.1 % of the step.
        assert!((found.values[0] - exact).abs() < 5e-3, "{method:?}: {} instead of {exact}", found.values[0]);
        assert_eq!(last, found.values, "the progress ends with the result");
    }
}

/// With a gain of 0.8 to 1.2 after it, the largest gain that keeps the output below 1 is 1/1.2, and its least output 0.8/1.2.
#[test]
fn tolerances_count_with_their_worst_case() {
    let inside = r#"
        <block name="Static" group="Var" id="0"><option name="Value"><value>0.1</value></option></block>
        <block name="Gain" group="Math" id="1"/>
        <exit name="y" id="2"/>
        <connection from="0" output="Output" to="1" input="Input"/>
        <connection from="1" output="Output" to="2" input="Input"/>"#;
    let question = Question {
        params: params(&["#0.Value=0:5"]),
        uncertain: params(&["#1.Gain=0.8:1.2"]),
        requirements: requirements(&["y <= 1"]),
        objective: Some(Objective { figure: Figure::Final, signal: "y".to_owned(), is_maximized: true }),
        ..Question::default()
    };
    let study = study(&setup(3, inside), &question).expect("a study");
    let found = study.optimize(&SearchOptions::default(), &Cancel::new(), &mut |_| {}).expect("a search");
    assert!((found.values[0] - 1.0 / 1.2).abs() < 1e-6, "{}", found.values[0]);
    let least = found.after.objective.expect("an objective");
    assert!((least - 0.8 / 1.2).abs() < 1e-6, "{least}");
    assert!(found.after.met[0].margin >= 0.0 && found.after.met[0].margin < 1e-6);
}

#[test]
fn a_reference_curve_is_followed() {
    let inside = LAG.replace("PT2", "PT1").replace("Damping", "Gain").replace("0.2", "0.3");
    let curve = (0..60).map(|index| (0.05 * f64::from(index), 1.0 - (-0.05 * f64::from(index) / 0.5).exp()));
    let references = [("step.csv:y".to_owned(), curve.collect())].into();
    let question = Question {
        params: params(&["#1.Gain=0.1:3", "#1.Time Constant=0.1:3"]),
        requirements: requirements(&["y follows step.csv:y within 0.01"]),
        references,
        ..Question::default()
    };
    let study = study(&setup(40, &inside), &question).expect("a study");
    let found = study.optimize(&SearchOptions::default(), &Cancel::new(), &mut |_| {}).expect("a search");
    assert!(found.after.is_met() && found.has_gradient, "{found:?}");
    assert!(found.evaluations < 60, "{}", found.evaluations);
    let [gain, time] = found.values[..] else { panic!("two values") };
    // The end says the gain, and 1 % of it at the steepest place says the time constant: its effect is t/T·exp(−t/T) ≤ 1/e.
    assert!((gain - 1.0).abs() < 0.02 && (time - 0.5).abs() < 0.03, "{gain}, {time}");
}

/// A sine into a resonance: a gain of 1/(2D√(1 − D²)) at most, 5.025 for D = 0.1, at the frequency √(1 − 2D²).
const RESONANCE: &str = r#"
    <block name="Sine" group="Var" id="0"><option name="Frequency"><value>0.3</value></option></block>
    <block name="PT2" group="Continuous" id="1"><option name="Damping"><value>0.1</value></option></block>
    <block name="Upper Bound" group="Check" id="2"><option name="Bound"><value>4.5</value></option><option name="Action"><value>stop</value></option></block>
    <connection from="0" output="Output" to="1" input="Input"/>
    <connection from="1" output="Output" to="2" input="Input"/>"#;

#[test]
fn a_violation_is_found_and_made_simple() {
    let question =
        Question { params: params(&["#0.Frequency=0.1:10", "#0.Phase=-3:3"]), has_checks: true, ..Question::default() };
    let found = study(&setup(800, RESONANCE), &question).expect("a study");
    let violated = found.falsify(&SearchOptions::default(), &Cancel::new(), &mut |_| {});
    let [violation] = &violated.violations[..] else { panic!("{violated:?}") };
    assert!(violation.margin < 0.0 && violation.margin > 4.5 - 5.2, "{}", violation.margin);
    // The phase does not matter, and a frequency of few digits is near enough.
    let [frequency, phase] = violation.values[..] else { panic!("two values") };
    assert!(phase == 0.0 && (0.9..=1.1).contains(&frequency), "{frequency}, {phase}");
    assert!((frequency * 100.0).fract() == 0.0, "{frequency}");
    assert!(violation.check.is_some());
    let again = found.evaluate(&violation.values, &Cancel::new()).expect("not cancelled");
    assert_eq!(again.met[0].violated_at, Some(violation.step));
}

#[test]
fn what_cannot_be_violated_is_not() {
    let safe = RESONANCE.replace("4.5", "5.6");
    let question = Question { params: params(&["#0.Frequency=0.1:10:log"]), has_checks: true, ..Question::default() };
    let study = study(&setup(800, &safe), &question).expect("a study");
    let found = study.falsify(&SearchOptions::default(), &Cancel::new(), &mut |_| {});
    assert_eq!(found.violations, []);
    // The resonance comes closest.
    let (margin, values) = &found.least[0];
    assert!((margin - (5.6 - 5.025)).abs() < 0.02, "{margin}");
    assert!((values[0] - 0.98_f64.sqrt()).abs() < 0.02, "{values:?}");
}

#[test]
fn empty_brackets_are_all_elements_of_an_option() {
    let inside = r#"
        <block name="Static" group="Var" id="0"><option name="Value"><value>1</value><value>2</value><value>3</value><value>4</value></option></block>
        <block name="Upper Bound" group="Check" id="2"><option name="Bound"><value>7</value></option></block>
        <connection from="0" output="Output" to="2" input="Input"/>"#;
    let question = Question { params: params(&["#0.Value[]=0:10"]), has_checks: true, ..Question::default() };
    let found = study(&setup(2, inside), &question).expect("a study");
    assert_eq!(found.params().collect::<Vec<_>>(), ["#0.Value[0]", "#0.Value[1]", "#0.Value[2]", "#0.Value[3]"]);
    let violated = found.falsify(&SearchOptions::default(), &Cancel::new(), &mut |_| {});
    let [violation] = &violated.violations[..] else { panic!("{violated:?}") };
    let changed: Vec<f64> = violation
        .values
        .iter()
        .zip([1.0, 2.0, 3.0, 4.0])
        .filter(|(one, file)| **one != *file)
        .map(|(one, _)| *one)
        .collect();
    let [one] = changed[..] else { panic!("{:?}", violation.values) };
    assert!(one > 7.0 && (one * 10.0).fract() == 0.0, "{one}");
}

#[test]
fn a_search_that_is_cancelled_has_the_best_so_far() {
    let question = Question {
        params: params(&["#1.Damping=0.05:2"]),
        requirements: requirements(&["overshoot of y <= 5"]),
        objective: Some(Objective { figure: Figure::RiseTime, signal: "y".to_owned(), is_maximized: false }),
        ..Question::default()
    };
    let study = study(&setup(400, LAG), &question).expect("a study");
    let cancel = Cancel::new();
    let found = study.optimize(&SearchOptions::default(), &cancel, &mut |_| cancel.cancel()).expect("a search");
    assert_eq!(found.end, End::Cancelled);
    assert_eq!(found.values.len(), 1);
    assert_eq!(found.after.failure, None);
}

#[test]
fn questions_that_are_incomplete_are_refused() {
    let refused = |question: Question| match study(&setup(10, LAG), &question) {
        Ok(_) => panic!("it has to be refused"),
        Err(error) => error,
    };
    let asked = |texts: &[&str]| Question {
        params: params(texts),
        requirements: requirements(&["y < 2"]),
        ..Question::default()
    };
    assert!(matches!(refused(asked(&[])), StudyError::NoParam));
    assert!(matches!(refused(asked(&["#1.Damping"])), StudyError::Bounds(_)));
    assert!(matches!(
        refused(asked(&["#1.Damping=0.1:2", "#1.Damping=0.1:3"])),
        StudyError::Trial(TrialError::Twice(_))
    ));
    assert!(matches!(refused(asked(&["#1.Damping=0.5:2"])), StudyError::Trial(TrialError::Start { .. })));
    assert!(matches!(refused(asked(&["#1.Damping=0:2:log"])), StudyError::LogBound(_)));
    assert!(matches!(refused(asked(&["#7.Damping=0.5:2"])), StudyError::Trial(_)));
    let without = Question { params: params(&["#1.Damping=0.1:2"]), has_checks: true, ..Question::default() };
    assert!(matches!(refused(without), StudyError::NoRequirement));
    let unknown = Question { requirements: requirements(&["speed < 2"]), ..asked(&["#1.Damping=0.1:2"]) };
    assert!(matches!(refused(unknown), StudyError::Signal(_)));
    let no_curve = Question { requirements: requirements(&["y follows a:b within 1"]), ..asked(&["#1.Damping=0.1:2"]) };
    assert!(matches!(refused(no_curve), StudyError::NoReference(_)));
}

/// The derivatives lead to the same values as the search without them: the largest gain whose output stays below 1.
#[test]
fn derivatives_are_followed_in_all_scenarios() {
    let inside = r#"
        <block name="Static" group="Var" id="0"><option name="Value"><value>2</value></option></block>
        <block name="Gain" group="Math" id="1"/>
        <block name="Range" group="Check" id="3"><option name="Low"><value>-1</value></option></block>
        <exit name="y" id="2"/>
        <connection from="0" output="Output" to="1" input="Input"/>
        <connection from="1" output="Output" to="2" input="Input"/>
        <connection from="1" output="Output" to="3" input="Input"/>"#;
    let question = Question {
        params: params(&["#0.Value=0:5"]),
        uncertain: params(&["#1.Gain=0.8:1.25"]),
        has_checks: true,
        ..Question::default()
    };
    let study = study(&setup(3, inside), &question).expect("a study");
    let options = SearchOptions { method: SearchMethod::Gradient, ..SearchOptions::default() };
    let found = study.optimize(&options, &Cancel::new(), &mut |_| {}).expect("a search");
    assert!(found.after.is_met() && found.has_gradient, "{found:?}");
    // Coming from above, it ends where the requirement begins to hold.
    assert!(found.values[0] <= 0.8 && found.values[0] > 0.8 - 1e-4, "{}", found.values[0]);
}

#[test]
fn derivatives_that_cannot_be_followed_say_why() {
    let refused = |question: Question| {
        let study = study(&setup(20, LAG), &question).expect("a study");
        let options = SearchOptions { method: SearchMethod::Gradient, ..SearchOptions::default() };
        study.optimize(&options, &Cancel::new(), &mut |_| {}).expect_err("it has to be refused")
    };
    let asked = |text: &str| Question {
        params: params(&["#1.Damping=0.05:2"]),
        requirements: requirements(&[text]),
        ..Question::default()
    };
    for text in ["overshoot of y < 5", "eventually y > 2", "y < 1 or y > 2"] {
        assert_eq!(refused(asked(text)), GradientError::Requirement(text.to_owned()));
    }
    let objective = Some(Objective { figure: Figure::Rms, signal: "y".to_owned(), is_maximized: false });
    assert_eq!(refused(Question { objective, ..asked("y < 1") }), GradientError::Objective);
}
