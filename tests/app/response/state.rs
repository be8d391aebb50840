//! Requirements in the document, as typed texts and as drawings, without a window.

use simulate::app::doc::requirements::RequirementList;
use simulate::app::panels::param_list::ParamChoice;
use simulate::app::panels::response::{
    BoundHandle, ForbiddenRegion, RequirementKind, ResponseChoices, ResponseProblem, ResponseSignal, ResponseState,
    marks_of,
};
use simulate::model::{BlockId, Edit, SignalKey, Simulation};
use simulate::requirement::{Condition, Figure, Requirement, StepLevels};

const OPEN: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

fn condition(text: &str) -> Condition {
    Requirement::parse(text).expect("a requirement").any.remove(0)
}

#[test]
fn conditions_are_written_as_they_are_read() {
    let texts = [
        "speed < 120",
        "speed >= -0.5 from 5",
        "speed <= 120 to 20",
        "speed > 0.001 from 0 to 20",
        "eventually speed >= 100 to 30",
        "overshoot of y <= 5",
        "settling-time of Plant/Motor#3.Output <= 2",
        "y follows step.csv:v within 0.05",
    ];
    for text in texts {
        let read = condition(text);
        assert_eq!(condition(&read.to_string()), read, "{text}");
        assert_eq!(read.to_string(), text);
    }
}

fn read(text: &str) -> RequirementList {
    let mut simulation = Simulation::default();
    simulation.attributes.set("view:requirements", text);
    RequirementList::read(&simulation)
}

fn written(list: &RequirementList) -> String {
    match &list.change("Test").edits[..] {
        [Edit::SetSimulationAttribute { value, .. }] => value.as_deref().unwrap_or_default().to_owned(),
        edits => panic!("{edits:?}"),
    }
}

#[test]
fn the_list_is_written_as_it_was_and_what_is_not_understood_is_kept() {
    let texts = [
        "",
        "{#4.Input} <= 1.2 from 0 to 5|off overshoot of {#4.Input} <= 5|minimize settling-time of {#4.Input}|no checks",
        "eventually {#1.Output} > 3000 to 30 or {#2.Output} < 35 to 4",
        "{#1/#2.a%7Cb of c} >= 0|{#4.Input} follows a%2Cb.csv:v within 0.1",
        "off {#4.Input} < 1|something of a newer version {#4.Input}",
    ];
    for text in texts {
        assert_eq!(written(&read(text)), text);
    }
    let list = read(texts[3]);
    assert_eq!(list.entries[0].any[0].signal(), "#1/#2.a|b of c", "names may have signs and words of the language");
    assert!(matches!(&list.entries[1].any[0], Condition::Follows { source, .. } if source == "a,b.csv:v"));
    assert_eq!(read(texts[2]).entries[0].any.len(), 2);
    assert_eq!(read(texts[4]).entries.len(), 1);
    let without = read(texts[1]).without(0);
    assert_eq!(written(&without.changed(0, |entry| entry.is_on = true)), {
        "overshoot of {#4.Input} <= 5|minimize settling-time of {#4.Input}|no checks"
    });
}

fn state(requirements: &str) -> ResponseState {
    let signal = |id: i128, name: &str| {
        let key = SignalKey::new(&[], BlockId(id), "Output");
        let others = vec![format!("{name}.Output")];
        ResponseSignal { address: key.to_string(), key, name: name.to_owned(), others, is_held: false }
    };
    let param = |path: &str, value: f64, limits: (f64, f64)| ParamChoice {
        name: path.to_owned(),
        path: path.to_owned(),
        value,
        limits,
        is_selected: false,
    };
    let params = vec![param("Gain", 2.0, OPEN), param("Width", -10.0, (-20.0, 100.0)), param("Zero", 0.0, OPEN)];
    let choices = ResponseChoices::new(vec![signal(1, "y"), signal(2, "rate of climb")], params);
    ResponseState { list: read(requirements), choices, ..ResponseState::default() }
}

#[test]
fn each_thing_that_is_missing_is_asked_for_in_turn() {
    let mut state = state("");
    assert_eq!(state.chosen(0), Err(ResponseProblem::NoRequirement));
    assert_eq!(state.chosen(1), Err(ResponseProblem::NoParam), "a check block is a requirement");
    state.list = read("{#1.Output} < 3");
    assert_eq!(state.chosen(0), Err(ResponseProblem::NoParam));
    for path in ["Gain", "Width", "Zero"] {
        state.params.row_mut(path).is_chosen = true;
    }
    let question = state.chosen(0).expect("nothing is missing");
    let bounds: Vec<(f64, f64)> = question.params.iter().map(|param| (param.low, param.high)).collect();
    // A tenth and ten times the value, within the limits of the block.
    assert_eq!(bounds, [(0.2, 20.0), (-20.0, -1.0), (-1.0, 1.0)]);
    assert_eq!(question.requirements[0].text, "y < 3");
    state.tolerances.row_mut("Gain").is_chosen = true;
    assert_eq!(state.chosen(0), Err(ResponseProblem::Both("Gain".to_owned())));
    state.params.row_mut("Gain").is_chosen = false;
    let question = state.chosen(0).expect("nothing is missing");
    assert_eq!((question.uncertain[0].low, question.uncertain[0].high), (1.8, 2.2));
    state.params.row_mut("Width").is_log = true;
    let error = state.chosen(0).expect_err("a logarithm").to_string();
    assert!(error.starts_with("Width: "), "{error}");
    state.list = read("{#7.Output} < 3");
    assert_eq!(state.chosen(0), Err(ResponseProblem::NoSignal("#7.Output < 3".to_owned())));
}

#[test]
fn typed_texts_name_signals() {
    let state = state("");
    let typed = |text: &str| state.choices.typed(text).map(|entry| state.choices.text_of(&entry));
    assert_eq!(typed("y < 3"), Ok("y < 3".to_owned()));
    assert_eq!(typed("y.Output < 3 to 4"), Ok("y < 3 to 4".to_owned()));
    assert_eq!(typed("#1.Output < 3 or y > 9"), Ok("y < 3 or y > 9".to_owned()));
    assert_eq!(typed("z < 3"), Err("No signal is called “z”".to_owned()));
    assert!(typed("y is small").is_err());
}

#[test]
fn bounds_are_areas_with_lines_to_drag() {
    let marks = marks_of(&condition("y <= 2 from 1 to 4"), None, 10.0);
    assert_eq!(marks.regions, [ForbiddenRegion { times: (1.0, 4.0), values: (2.0, f64::INFINITY) }]);
    let handles: Vec<BoundHandle> = marks.edges.iter().filter_map(|edge| edge.handle).collect();
    assert_eq!(handles, [BoundHandle::Bound { zero: 0.0, unit: 1.0 }, BoundHandle::From, BoundHandle::To]);
    let marks = marks_of(&condition("y > -1"), None, 10.0);
    assert_eq!(marks.regions, [ForbiddenRegion { times: OPEN, values: (f64::NEG_INFINITY, -1.0) }]);
    assert!(marks_of(&condition("eventually y >= 1"), None, 10.0).regions.is_empty(), "it is no area to keep out of");
    let mut dragged = condition("y <= 2 from 1 to 4");
    BoundHandle::From.set(&mut dragged, 9.0);
    assert_eq!(dragged.to_string(), "y <= 2 from 4 to 4", "a window does not end before it begins");
}

#[test]
fn figures_of_a_step_response_are_drawn_at_its_levels() {
    // From 1 to 3: overshoot of 10 % is 3.2, the band of 2 % is 0.04, 90 % are 2.8.
    let levels = Some(StepLevels { begin: 1.0, rest: 3.0, rises_at: 0.5 });
    let marks = |text: &str| marks_of(&condition(text), levels, 10.0);
    let overshoot = marks("overshoot of y <= 10");
    assert_eq!(overshoot.regions, [ForbiddenRegion { times: OPEN, values: (3.2, f64::INFINITY) }]);
    let handle = overshoot.edges[0].handle.expect("a handle");
    assert_eq!(handle.number_at(3.4, 0.001), 20.0);
    let settling = marks("settling-time of y <= 4");
    let later = (4.0, f64::INFINITY);
    assert_eq!(settling.regions[0], ForbiddenRegion { times: later, values: (3.04, f64::INFINITY) });
    assert_eq!(settling.regions[1], ForbiddenRegion { times: later, values: (f64::NEG_INFINITY, 2.96) });
    let rise = marks("rise-time of y <= 2");
    assert_eq!(rise.regions, [ForbiddenRegion { times: (2.5, f64::INFINITY), values: (f64::NEG_INFINITY, 2.8) }]);
    assert_eq!(rise.edges[0].handle.map(|handle| handle.number_at(3.5, 0.01)), Some(3.0));
    assert!(marks_of(&condition("overshoot of y <= 10"), None, 10.0).edges.is_empty(), "there is no step");
    let down =
        marks_of(&condition("overshoot of y <= 10"), Some(StepLevels { begin: 3.0, rest: 1.0, rises_at: 0.0 }), 10.0);
    assert_eq!(down.regions, [ForbiddenRegion { times: OPEN, values: (f64::NEG_INFINITY, 0.8) }]);
}

#[test]
fn dragged_numbers_are_as_long_as_a_pixel_needs() {
    let plain = BoundHandle::Bound { zero: 0.0, unit: 1.0 };
    assert_eq!(plain.number_at(1.234_567, 0.02), 1.24);
    assert_eq!(plain.number_at(1.309_3, 0.0089), 1.31);
    assert_eq!(plain.number_at(-1234.567, 3.0), -1235.0);
    assert_eq!(plain.number_at(-1234.567, 30.0), -1250.0);
    assert_eq!(BoundHandle::To.number_at(-3.0, 0.1), 0.0, "a run has no time before 0");
}

#[test]
fn each_kind_makes_a_condition_of_itself() {
    let state = state("");
    let defaults = state.defaults(10.0, Some(&[(0.0, 0.0), (5.0, 1.4), (10.0, 1.0)]));
    for row in &simulate::app::panels::response::KINDS {
        let made = row.kind.condition("y", &defaults);
        assert_eq!(RequirementKind::of(&made), row.kind, "{}", row.name);
        assert_eq!(condition(&made.to_string()), made);
    }
    let settling = RequirementKind::Figure(Figure::SettlingTime).condition("y", &defaults);
    assert_eq!(settling.to_string(), "settling-time of y <= 5");
    assert_eq!(RequirementKind::Upper.condition("y", &defaults).to_string(), "y <= 1.4");
}
