//! Variables: their use in parameters, and the values that an instance of a model sets.

use simulate::block::Registry;
use simulate::block::language::Names;
use simulate::format::{LoadOptions, Loader, simx::Simx};
use simulate::model::{Change, Document, Edit, Scope, Simulation, Variable, check};

use crate::sketch::Run;

fn read(text: &str) -> Simulation {
    let loaded = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it reads");
    assert_eq!(loaded.diagnostics, []);
    loaded.simulation
}

/// Two instances of a gain of `k * scale`: one with the default `k`, one with another `k`.
const MASKED: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<simulation steps="1" delta="1" root="Main">
	<variable name="scale" value="10" unit="V" doc="For all"/>
	<!-- between -->
	<variable name="v" value="[1 scale]"/>
	<model name="Main">
		<variable name="two" value="1 + 1"/>
		<block id="0" group="Var" name="Static"><option name="Value"><value>v</value><value>3</value></option></block>
		<model id="1" model="Amplifier"/>
		<model id="2" model="Amplifier"><option name="k"><value>-two</value></option></model>
		<exit id="3" name="a"/>
		<exit id="4" name="b"/>
		<connection from="0" output="Output" to="1" input="u"/>
		<connection from="0" output="Output" to="2" input="u"/>
		<connection from="1" output="y" to="3" input="Input"/>
		<connection from="2" output="y" to="4" input="Input"/>
	</model>
	<model name="Amplifier">
		<entry id="0" name="u"/>
		<variable name="k" value="scale / 4"><!-- kept --></variable>
		<variable name="gain" value="k*scale"/>
		<block id="1" group="Math" name="Gain"><option name="Gain"><value>gain</value></option></block>
		<exit id="2" name="y"/>
		<connection from="0" output="Output" to="1" input="Input"/>
		<connection from="1" output="Output" to="2" input="Input"/>
	</model>
</simulation>
"#;

#[test]
fn an_instance_of_a_model_sets_values_of_its_variables() {
    for engine in ["simple", "flat", "compiled"] {
        let mut run = Run::new(&read(MASKED), engine);
        run.steps(1);
        assert_eq!(run.exit("a"), [25.0, 250.0, 75.0], "{engine}");
        assert_eq!(run.exit("b"), [-20.0, -200.0, -60.0], "{engine}");
    }
}

#[test]
fn variables_are_written_where_they_stood() {
    let simulation = read(MASKED);
    assert_eq!(String::from_utf8(Simx.write(&simulation).expect("it writes")).expect("text"), MASKED);
    assert_eq!((simulation.variables["scale"].unit(), simulation.variables["scale"].doc()), ("V", "For all"));
}

#[test]
fn a_change_of_a_variable_is_one_step_to_undo() {
    let mut document = Document::new(read(MASKED), Registry::standard());
    let set = |name: &str, value: Option<&str>| {
        let variable = value.map(Variable::new);
        Change::one("Set a variable", Edit::SetVariable { model: Some("Main".into()), name: name.into(), variable })
    };
    document.apply(&set("two", Some("7"))).expect("it can be set");
    let mut run = Run::new(document.simulation(), "simple");
    assert_eq!(run.steps(1).exit("b"), [-70.0, -700.0, -210.0]);
    document.undo();
    assert_eq!(**document.simulation(), read(MASKED));
    for name in ["", "2x", "a b", "sin", "pi"] {
        assert!(document.apply(&set(name, Some("1"))).is_err(), "{name}");
    }
    document.apply(&set("two", None)).expect("it can be removed");
    let messages: Vec<String> =
        check(document.simulation(), &Registry::standard()).into_iter().map(|found| found.message).collect();
    assert_eq!(messages, ["k: unknown variable \"two\"; known are: scale, v"]);
}

#[test]
fn what_goes_round_has_no_value() {
    let mut simulation = Simulation::new("Main");
    for (name, value) in [("a", "b + 1"), ("b", "2*c"), ("c", "a"), ("d", "a")] {
        simulation.set_variable(name, Variable::new(value));
    }
    let scope = Scope::of_simulation(&simulation);
    let problem = scope.value("d").expect_err("it goes round");
    assert!(problem.to_string().contains("a → b → c → a is a cyclic definition"), "{problem}");
    assert_eq!(check(&simulation, &Registry::standard()).len(), 4);
}

/// Up to thirteen names are all named, of more the first and the last.
#[test]
fn a_long_round_is_shortened_in_the_middle() {
    let message = |count: usize| {
        let mut simulation = Simulation::new("Main");
        for number in 0..count {
            simulation.set_variable(&format!("v{number}"), Variable::new(&format!("v{} + 1", (number + 1) % count)));
        }
        Scope::of_simulation(&simulation).value("v0").expect_err("it goes round").to_string()
    };
    let all: Vec<String> = (0..12).chain([0]).map(|number| format!("v{number}")).collect();
    assert!(message(12).ends_with(&format!("{} is a cyclic definition", all.join(" → "))), "{}", message(12));
    let some =
        "v0 → v1 → v2 → v3 → v4 → v5 → … 3 more … → v9 → v10 → v11 → v12 → v13 → v14 → v0 is a cyclic definition";
    assert!(message(15).ends_with(some), "{}", message(15));
}

/// Of the names that are known twelve are named, and how many more there are.
#[test]
fn an_unknown_name_is_answered_with_the_known_ones() {
    let message = |count: usize| {
        let mut simulation = Simulation::new("Main");
        (0..count).for_each(|number| simulation.set_variable(&format!("v{number:02}"), Variable::new("1")));
        let scope = Scope::of_simulation(&simulation);
        simulate::block::language::numbers("2*w", &scope).expect_err("nobody knows w").to_string()
    };
    let twelve = (0..12).map(|number| format!("v{number:02}")).collect::<Vec<_>>().join(", ");
    assert_eq!(message(0), "unknown variable \"w\"");
    assert_eq!(message(12), format!("unknown variable \"w\"; known are: {twelve}"));
    assert_eq!(message(13), format!("unknown variable \"w\"; known are: {twelve} and 1 more"));
    assert_eq!(message(20), format!("unknown variable \"w\"; known are: {twelve} and 8 more"));
}

/// Matrices of equal height stand side by side, those of equal width below each other; all else is one row.
#[test]
fn matrices_are_joined_row_by_row() {
    use simulate::block::language::{NoNames, matrix};
    let joined = |text: &str| matrix(text, &NoNames).map(|found| (found.rows, found.values)).expect(text);
    assert_eq!(joined("[[1; 2; 3] [4 5; 6 7; 8 9]]"), (3, vec![1.0, 4.0, 5.0, 2.0, 6.0, 7.0, 3.0, 8.0, 9.0]));
    assert_eq!(joined("[[1 2; 3 4]; [5 6]]"), (3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    assert_eq!(joined("[[1; 2] 3]"), (1, vec![1.0, 2.0, 3.0]));
}
