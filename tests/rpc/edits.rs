//! Edits: one change or none, refused with the reason, and one undo away.

use serde_json::{Value, json};

use super::{call, done, refused, session_with};

fn text_of(session: &mut simulate::rpc::Session) -> Value {
    done(session, "read", json!({"limit": 100_000}))["text"].clone()
}

#[test]
fn an_edit_is_applied_as_a_whole_and_undone_in_one_step() {
    let (_folder, mut session) = session_with(&["dc_motor.simx"]);
    done(&mut session, "overview", json!({"file": "dc_motor.simx"}));
    let before = text_of(&mut session);
    let operations = json!([
        {"op": "add", "type": "Gain", "label": "Twice", "parameters": {"Gain": 2}},
        {"op": "connect", "from": "Motor.speed", "to": "Twice"},
        {"op": "add", "type": "output", "label": "twice"},
        {"op": "connect", "from": "Twice", "to": "twice"},
        {"op": "set", "model": "PID", "block": "P", "parameters": {"Gain": 120}},
        {"op": "variable", "name": "K", "value": "2 * 3"},
    ]);
    let answer = done(&mut session, "edit", json!({"operations": operations}));
    assert_eq!(answer["change"], "Add 2 blocks, connect 2 inputs, set block, set variable (from outside)");
    assert_eq!((&answer["errors"], &answer["added"][1]["title"]), (&json!(0), &json!("twice")));
    let run = done(&mut session, "run", json!({"signals": ["speed", "twice"], "points": 3, "digits": 17}));
    for (one, two) in run["signals"][0]["values"]
        .as_array()
        .expect("values")
        .iter()
        .zip(run["signals"][1]["values"].as_array().expect("values"))
    {
        assert_eq!(one.as_f64().expect("a number") * 2.0, two.as_f64().expect("a number"));
    }
    done(&mut session, "undo", json!({}));
    assert_eq!(text_of(&mut session), before);
    done(&mut session, "redo", json!({}));
    assert_ne!(text_of(&mut session), before);
}

/// Whatever is wrong in one operation, the document stays as it was, and the message says which and why.
#[test]
fn a_wrong_operation_changes_nothing() {
    let cases = [
        (
            json!({"op": "conect", "from": "a", "to": "b"}),
            "operation 2: there is no operation “conect”; did you mean “connect” or “disconnect”?",
        ),
        (
            json!({"op": "add", "type": "Gian"}),
            "operation 2: there is no block “Gian” in the library; did you mean “Gain”",
        ),
        (
            json!({"op": "add", "type": "Gain", "parameters": {"Gian": 2}}),
            "operation 2: “Gain” has no parameter “Gian”; did you mean “Gain”?",
        ),
        (json!({"op": "add", "type": "Gain", "colour": "red"}), "operation 2: add: unknown field `colour`"),
        (json!({"op": "add", "type": "input"}), "operation 2: an input needs a “label”"),
        (json!({"op": "add", "type": "model Moter"}), "operation 2: there is no model “Moter”; did you mean “Motor”?"),
        (
            json!({"op": "connect", "from": "Eror", "to": "PID"}),
            "operation 2: there is no block “Eror” in “Speed loop”; did you mean “Error”?",
        ),
        (
            json!({"op": "connect", "from": "Error", "to": "Speed"}),
            "operation 2: “Speed” has 2 inputs: write “Speed.Input 1” or “Speed.Input 2”",
        ),
        (
            json!({"op": "connect", "from": "Error", "to": "Speed.3"}),
            "operation 2: “Speed” has no input “3”; its inputs are “Input 1”, “Input 2”",
        ),
        (json!({"op": "connect", "from": "Speed", "to": "PID"}), "operation 2: “Speed” has no output"),
        (
            json!({"op": "set", "block": "Error", "parameters": {"Signs": {"a": 1}}}),
            "operation 2: “Signs” must be a number, a text, true, false, or a list of these",
        ),
        (
            json!({"op": "set", "model": "PID", "block": "Gain", "parameters": {"Gain": 1}}),
            "operation 2: there is no block “Gain” in “PID”",
        ),
        (json!({"op": "variable", "name": "1x", "value": 1}), "operation 2: "),
        (
            json!({"op": "settings", "values": {"delta": 0}}),
            "operation 2: delta must be a finite number of seconds above 0",
        ),
        (json!({"op": "settings", "values": {"steps": -1}}), "operation 2: “steps” must be a whole number"),
        (json!({"op": "remove_model", "name": "Motor"}), "operation 2: “Motor” is used in “Speed loop”"),
        (json!({"op": "fix", "code": "unknown-block"}), "operation 2: there is no diagnostic “unknown-block” here"),
        // The value is checked when all operations are known.
        (json!({"op": "set", "model": "PID", "block": "P", "parameters": {"Gain": "1 +"}}), "P.Gain in “PID”: "),
        (json!({"op": "set", "model": "PID", "block": "P", "parameters": {"Gain": "unknown"}}), "P.Gain in “PID”: "),
    ];
    let (_folder, mut session) = session_with(&["dc_motor.simx"]);
    done(&mut session, "overview", json!({"file": "dc_motor.simx"}));
    let before = text_of(&mut session);
    for (operation, message) in cases {
        let good = json!({"op": "add", "type": "Gain", "label": "New"});
        let said = refused(&mut session, "edit", json!({"operations": [good, operation]}));
        assert!(said.starts_with(message), "{operation}: {said}");
        assert_eq!(text_of(&mut session), before, "{operation}");
    }
    assert_eq!(refused(&mut session, "edit", json!({"operations": []})), "“operations” is empty");
    assert_eq!(refused(&mut session, "undo", json!({})), "there is nothing to be undone");
}

/// A change that gives an error the simulation did not have is refused, unless the client wants it.
#[test]
fn a_change_with_a_new_error_is_refused() {
    let (_folder, mut session) = session_with(&["dc_motor.simx"]);
    let operations = json!([{"op": "set", "block": "Error", "parameters": {"Signs": "+"}}]);
    let edit = |allow: bool| json!({"file": "dc_motor.simx", "operations": operations, "allow_errors": allow});
    let error = call(&mut session, "edit", edit(false)).expect_err("an error");
    assert_eq!(
        error.message,
        "nothing was changed, since the simulation would have a new error: the block has no input “Input 2” (its inputs are: Input 1)"
    );
    assert_eq!(error.diagnostics[0]["code"], "unknown-input");
    let answer = done(&mut session, "edit", edit(true));
    assert_eq!((&answer["errors"], &answer["new_problems"][0]["code"]), (&json!(1), &json!("unknown-input")));
    let found = done(&mut session, "check", json!({}));
    assert_eq!((&found["runs"], &found["problems"][0]["fixes"][0]), (&json!(false), &json!("Remove wire")), "{found}");
    let fixed = done(
        &mut session,
        "edit",
        json!({"operations": [{"op": "fix", "code": "unknown-input", "fix": "Remove wire"}]}),
    );
    assert_eq!(fixed["errors"], 0);
}

#[test]
fn an_algebraic_loop_is_refused_with_its_hops() {
    let (_folder, mut session) = session_with(&[]);
    done(&mut session, "create", json!({"file": "loop.simx"}));
    let operations = json!([
        {"op": "add", "type": "Sum", "label": "Sum"},
        {"op": "add", "type": "Gain", "label": "Back"},
        {"op": "connect", "from": "Sum", "to": "Back"},
        {"op": "connect", "from": "Back", "to": "Sum.2"},
    ]);
    let said = refused(&mut session, "edit", json!({"operations": operations}));
    assert!(said.contains("algebraic loop"), "{said}");
}

/// Blocks that are grouped and expanded compute the same bits.
#[test]
fn a_group_keeps_every_bit() {
    let (_folder, mut session) = session_with(&["predator_prey.simx"]);
    let run = json!({"file": "predator_prey.simx", "signals": ["prey", "predators"], "points": 0});
    done(&mut session, "run", run.clone());
    let group = json!([{"op": "group", "blocks": ["Encounters", "Eaten", "Raised"], "name": "Meeting"}]);
    let answer = done(&mut session, "edit", json!({"operations": group}));
    assert_eq!(
        (&answer["change"], &answer["added"][0]["title"]),
        (&json!("Create subsystem (from outside)"), &json!("Meeting"))
    );
    done(&mut session, "run", run.clone());
    done(&mut session, "edit", json!({"operations": [{"op": "expand", "block": "Meeting"}]}));
    done(&mut session, "run", run);
    for other in ["run 2", "run 3"] {
        let compared = done(&mut session, "compare", json!({"run": other, "with": "run 1"}));
        assert_eq!(compared["same_bits"], true, "{compared}");
    }
}

#[test]
fn text_replaces_the_models_that_it_has_and_no_others() {
    let (_folder, mut session) = session_with(&["dc_motor.simx"]);
    let motor = done(&mut session, "read", json!({"file": "dc_motor.simx", "model": "Motor"}));
    let place = |session: &mut simulate::rpc::Session| {
        let simulation = session.host.simulation(None).expect("a simulation");
        let model = simulation.document().simulation().model("PID").expect("a model").clone();
        let block = model.blocks.values().find(|block| block.title() == "P").expect("a block");
        (block.id, block.position())
    };
    let before = place(&mut session);
    assert!(before.1.is_some());
    let text = "model PID\nerror: input, Initial Value = 0\nextra: Gain\nP: Gain, Gain = 7\ncontrol: output\nerror -> P -> control\n";
    let answer = done(&mut session, "write", json!({"text": text}));
    assert_eq!(answer["errors"], 0);
    assert_eq!(place(&mut session), before, "a block keeps its id and its place");
    assert_eq!(done(&mut session, "read", json!({"model": "Motor"})), motor);
    let read = done(&mut session, "read", json!({"model": "PID", "block": "P"}));
    assert!(read["text"].as_str().expect("a text").contains("Gain = 7\n"), "{read}");
    done(&mut session, "undo", json!({}));
    let read = done(&mut session, "read", json!({"model": "PID", "block": "P"}));
    assert!(read["text"].as_str().expect("a text").contains("Gain = 100\n"), "{read}");
}

#[test]
fn text_with_a_mistake_changes_nothing_and_says_where_it_is() {
    let (_folder, mut session) = session_with(&["dc_motor.simx"]);
    done(&mut session, "overview", json!({"file": "dc_motor.simx"}));
    let before = text_of(&mut session);
    let cases = [
        ("model PID\nP: Gain, Gain = 7\nP -> \n", "nothing was changed: line 3:"),
        ("model PID\nP: Gain, Gain = 7\nP -> Q\n", "nothing was changed: line 3:6: there is no block “Q” in “PID”"),
        (
            "model PID\nP: Gian, Gain = 7\nQ: output\nP -> Q\n",
            "nothing was changed: there is no block Gian in the library",
        ),
        (
            "model PID\nerror: input\ncontrol: output\nP: Gain, Gain = x1\nerror -> P -> control\n",
            "nothing was changed, since the simulation would have a new error: ",
        ),
    ];
    for (text, message) in cases {
        let said = refused(&mut session, "write", json!({"text": text}));
        assert!(said.starts_with(message), "{text}: {said}");
        assert_eq!(text_of(&mut session), before);
    }
}
