//! Subsystems: ports, masks, control, tags, and where everything stands.

use super::{block, check, imported, imported_with, line, line_from, lines, model, out, run};
use simulate::import::{Class, ImportOptions};
use simulate::model::Commented;

/// A subsystem: its parameters, and its blocks and lines.
fn subsystem(name: &str, params: &str, inside: &str) -> String {
    let system = format!("System {{\nName \"{name}\"\n{inside}}}");
    format!("Block {{\nBlockType SubSystem\nName \"{name}\"\nPosition [100, 50, 160, 110]\n{params}\n{system}\n}}\n")
}

fn inport(name: &str, port: usize) -> String {
    block("Inport", name, &format!("Port \"{port}\""))
}

#[test]
fn ports_follow_their_numbers_and_not_the_order_of_the_file() {
    let inside = inport("b", 2) + &inport("a", 1) + &block("Sum", "d", "Inputs \"+-\"") + &out("r", 1);
    let inside = inside + &line("a", "d", 1) + &line("b", "d", 2) + &line("d", "r", 1);
    let root = block("Constant", "first", "Value \"9\"")
        + &block("Constant", "second", "Value \"2\"")
        + &subsystem("S", "", &inside);
    let root = root + &out("y", 1) + &line("first", "S", 1) + &line("second", "S", 2) + &line("S", "y", 1);
    check(&model("ode4", 0.1, 1.0, &root), "y", 0.0, |_| 7.0);
}

#[test]
fn an_input_and_an_output_of_one_name_are_no_feedback() {
    let inside = inport("x", 1) + &block("Gain", "g", "Gain \"2\"") + &out("x", 1) + &line("x", "g", 1);
    // Lines name blocks, of which the file has two of this name: the last one counts, and the output stays open.
    let imported = imported(&model("ode4", 0.1, 1.0, &subsystem("S", "", &inside)));
    let inner = imported.simulation.model("S").expect("the model");
    let (entry, exit) =
        (inner.entries().next().expect("an entry").1.clone(), inner.exits().next().expect("an exit").1.clone());
    assert_ne!(entry, exit);
}

#[test]
fn the_parameters_of_a_mask_become_variables_of_its_model() {
    let mask = "MaskVariables \"k=@1;b=@2;\"\nMaskValueString \"a*2|3\"\nMaskPromptString \"The gain|The bias\"\n\
                MaskInitialization \"c = k + b;\"";
    let deep =
        inport("u", 1) + &block("Gain", "g", "Gain \"k\"") + &out("v", 1) + &line("u", "g", 1) + &line("g", "v", 1);
    let inside = inport("u", 1) + &subsystem("Deep", "", &deep) + &block("Bias", "o", "Bias \"c\"") + &out("v", 1);
    let inside = inside + &line("u", "Deep", 1) + &line("Deep", "o", 1) + &line("o", "v", 1);
    let root = block("Constant", "one", "")
        + &subsystem("S", mask, &inside)
        + &out("y", 1)
        + &line("one", "S", 1)
        + &line("S", "y", 1);
    let text = model("ode4", 0.1, 1.0, &root);
    let options = |value: &str| ImportOptions { set: vec![format!("a={value}")], ..ImportOptions::default() };
    // k = 2a, c = k + 3, y = k + c.
    let imported = imported_with(&text, &options("5"));
    assert_eq!(run(&imported, &["y"]).last("y").expect("y"), [23.0]);
    let inner = imported.simulation.model("S").expect("the model");
    assert_eq!(inner.variables["k"].attributes.get("label"), Some("The gain"));
    let root = imported.simulation.root_model().expect("the root");
    let block = root.blocks.values().find(|block| block.kind.is_instance_of("S")).expect("the instance");
    assert_eq!(block.option_texts("k"), Some(vec!["a*2"]), "the name stays");
    assert_eq!(&*imported.simulation.variables["a"].value, "5");
}

#[test]
fn an_enabled_subsystem_holds_its_output() {
    let inside = block("EnablePort", "Enable", "StatesWhenEnabling \"held\"")
        + &inport("u", 1)
        + &out("v", 1)
        + &line("u", "v", 1);
    let enable = "Line {\nSrcBlock \"on\"\nSrcPort 1\nDstBlock \"S\"\nDstPort enable\n}\n";
    let root = block("Clock", "t", "")
        + &block("Step", "on", "Time \"0.5\"\nBefore \"1\"\nAfter \"0\"")
        + &subsystem("S", "", &inside);
    let root = root + &out("y", 1) + &line("t", "S", 1) + enable + &line("S", "y", 1);
    check(&model("ode4", 0.1, 1.0, &root), "y", 1e-12, |t| t.min(0.4));
}

#[test]
fn the_branches_of_an_if_act_on_their_subsystems() {
    let action = |value: &str| {
        block("ActionPort", "Action", "")
            + &block("Constant", "c", &format!("Value \"{value}\""))
            + &out("v", 1)
            + &line("c", "v", 1)
    };
    let to = |port: usize, system: &str| {
        format!("Line {{\nSrcBlock \"if\"\nSrcPort {port}\nDstBlock \"{system}\"\nDstPort ifaction\n}}\n")
    };
    let root = block("Clock", "t", "")
        + &block("If", "if", "IfExpression \"u1 > 0.45\"")
        + &subsystem("Then", "", &action("7"));
    let root =
        root + &subsystem("Else", "", &action("-7")) + &block("Merge", "m", "") + &out("y", 1) + &line("t", "if", 1);
    let root =
        root + &to(1, "Then") + &to(2, "Else") + &line("Then", "m", 1) + &line("Else", "m", 2) + &line("m", "y", 1);
    check(&model("ode4", 0.1, 1.0, &root), "y", 0.0, |t| if t > 0.45 { 7.0 } else { -7.0 });
}

#[test]
fn a_global_tag_is_carried_to_where_it_is_received() {
    let sender = block("Constant", "c", "Value \"3\"")
        + &block("Goto", "g", "GotoTag \"T\"\nTagVisibility \"global\"")
        + &line("c", "g", 1);
    let receiver = block("From", "f", "GotoTag \"T\"") + &out("v", 1) + &line("f", "v", 1);
    let root = subsystem("Outer", "", &subsystem("Sender", "", &sender))
        + &subsystem("Receiver", "", &receiver)
        + &out("y", 1)
        + &line("Receiver", "y", 1);
    check(&model("ode4", 0.1, 1.0, &root), "y", 0.0, |_| 3.0);
}

#[test]
fn buses_keep_the_names_of_their_signals() {
    let named = |from: &str, name: &str, port: usize| {
        format!("Line {{\nName \"{name}\"\nSrcBlock \"{from}\"\nSrcPort 1\nDstBlock \"b\"\nDstPort {port}\n}}\n")
    };
    let root = block("Constant", "a", "Value \"1\"")
        + &block("Constant", "c", "Value \"2\"")
        + &block("BusCreator", "b", "Inputs \"2\"");
    let root = root
        + &block("BusSelector", "s", "OutputSignals \"speed,pos\"")
        + &out("y", 1)
        + &out("z", 2)
        + &named("a", "pos", 1)
        + &named("c", "speed", 2);
    let root = root + &line("b", "s", 1) + &line("s", "y", 1) + &line_from("s", 2, "z", 1);
    let imported = imported(&model("ode4", 0.1, 1.0, &root));
    let run = run(&imported, &["y", "z"]);
    assert_eq!((run.last("y").expect("y"), run.last("z").expect("z")), (&[2.0][..], &[1.0][..]));
}

#[test]
fn a_commented_block_is_left_out_and_one_that_is_passed_through() {
    let root =
        block("Constant", "c", "Value \"4\"") + &block("Gain", "g", "Gain \"2\"\nCommented \"through\"") + &out("y", 1);
    let root =
        root + &line("c", "g", 1) + &line("g", "y", 1) + &block("Scope", "s", "Commented \"on\"") + &line("c", "s", 1);
    let text = model("ode4", 0.1, 1.0, &root);
    check(&text, "y", 0.0, |_| 4.0);
    let imported = imported(&text);
    let root = imported.simulation.root_model().expect("the root");
    let scope = root.blocks.values().find(|block| block.title() == "s").expect("the scope");
    assert_eq!(Commented::of(scope), Some(Commented::Out));
}

#[test]
fn the_picture_is_kept() {
    let mirrored = "Orientation \"left\"\nShowName off";
    let root = format!(
        "{}{}Line {{\nName \"speed\"\nSrcBlock \"a\"\nSrcPort 1\nPoints [20, 0; 0, 100]\nDstBlock \"b\"\nDstPort 1\n}}\n\
         Annotation {{\nName \"<b>A</b> note\"\nPosition [10, 200]\n}}\n",
        block("Constant", "a", ""),
        block("Gain", "b", mirrored).replace("[10, 10, 40, 40]", "[110, 110, 140, 140]"),
    );
    let imported = imported(&model("ode4", 0.1, 1.0, &root));
    let root = imported.simulation.root_model().expect("the root");
    let find = |title: &str| root.blocks.values().find(|block| block.title() == title).expect(title);
    let (a, b) = (find("a"), find("b"));
    assert_eq!((b.view("view:flip"), b.view("view:title")), (Some("1"), Some("hidden")));
    // The centres are twice as far from each other as in the file.
    let (from, to) = (a.position().expect("a"), b.position().expect("b"));
    assert!((to.x - from.x - 200.0).abs() <= 20.0 && (to.y - from.y - 200.0).abs() <= 20.0, "{from:?} {to:?}");
    let wire = root.connections.values().next().expect("the wire");
    assert_eq!(wire.attributes.get("label"), Some("speed"));
    // From the port at (40, 25), two bends: at (60, 25) and (60, 125).
    assert_eq!(wire.attributes.get("view:bends"), Some("120,50 120,250"));
    assert!(root.blocks.values().any(|block| block.option_texts("Text") == Some(vec!["A note"])));
}

#[test]
fn a_library_beside_the_model_gives_its_blocks() {
    let inside =
        inport("u", 1) + &block("Gain", "g", "Gain \"k\"") + &out("v", 1) + &line("u", "g", 1) + &line("g", "v", 1);
    let mask = "MaskVariables \"k=@1;\"\nMaskValueString \"1\"\nMaskPromptString \"Gain\"";
    let library = model("ode4", 0.1, 1.0, &subsystem("My block", mask, &inside)).replacen("Model {", "Library {", 1);
    let link = "SourceBlock \"mylib/My\\nblock\"\nPorts [1, 1]\nk \"5\"";
    let root = block("Constant", "c", "Value \"2\"")
        + &block("Reference", "r", link)
        + &out("y", 1)
        + &line("c", "r", 1)
        + &line("r", "y", 1);
    let text = model("ode4", 0.1, 1.0, &root);
    let missing = imported(&text);
    assert_eq!(
        lines(&missing, Class::Placeholder),
        ["r: the library mylib is not beside the model; give its folder with --library"]
    );
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("parts")).expect("a folder");
    std::fs::write(folder.path().join("parts/mylib.mdl"), library).expect("the library");
    let options = ImportOptions { libraries: vec![folder.path().to_owned()], ..ImportOptions::default() };
    let imported = imported_with(&text, &options);
    assert_eq!(run(&imported, &["y"]).last("y").expect("y"), [10.0]);
}

#[test]
fn a_model_that_contains_itself_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = model("ode4", 0.1, 1.0, &block("ModelReference", "r", "ModelNameDialog \"m.mdl\""));
    std::fs::write(folder.path().join("m.mdl"), &text).expect("the model");
    let imported = simulate::import::import(&folder.path().join("m.mdl"), text.as_bytes(), &ImportOptions::default())
        .expect("a model");
    assert_eq!(lines(&imported, Class::Placeholder), ["r: m contains itself"]);
}

#[test]
fn ports_of_elements_of_a_bus_are_one_port() {
    let element = |kind: &str, name: &str, port: &str, element: &str| {
        let more = format!("Port \"1\"\nIsBusElementPort \"on\"\nPortName \"{port}\"\nElement \"{element}\"");
        block(kind, name, &more)
    };
    // In: x and pose.y of a bus; out: sum, and a bus with the parts d and e.
    let inside = element("Inport", "In Bus Element", "state", "x")
        + &element("Inport", "In Bus Element1", "state", "pose.y")
        + &block("Sum", "s", "")
        + &block("Sum", "d", "Inputs \"+-\"")
        + &element("Outport", "Out Bus Element", "result", "sum")
        + &element("Outport", "Out Bus Element1", "result", "parts.d")
        + &element("Outport", "Out Bus Element2", "result", "parts.e")
        + &line("In Bus Element", "s", 1)
        + &line("In Bus Element1", "s", 2)
        + &line("In Bus Element", "d", 1)
        + &line("In Bus Element1", "d", 2)
        + &line("s", "Out Bus Element", 1)
        + &line("d", "Out Bus Element1", 1)
        + &line("In Bus Element", "Out Bus Element2", 1);
    let creator = |name: &str, inputs: &str| block("BusCreator", name, &format!("Inputs \"{inputs}\""));
    let root = block("Constant", "x", "Value \"5\"")
        + &block("Constant", "y", "Value \"2\"")
        + &creator("pose", "'y'")
        + &creator("state", "'x','pose'")
        + &subsystem("S", "", &inside)
        + &block("BusSelector", "select", "OutputSignals \"parts.d,sum,parts.e\"\nPorts [1, 3]")
        + &out("difference", 1)
        + &out("total", 2)
        + &out("same", 3);
    let root = root
        + &line("y", "pose", 1)
        + &line("x", "state", 1)
        + &line("pose", "state", 2)
        + &line("state", "S", 1)
        + &line("S", "select", 1)
        + &line_from("select", 1, "difference", 1)
        + &line_from("select", 2, "total", 1)
        + &line_from("select", 3, "same", 1);
    let imported = imported(&model("ode4", 0.1, 1.0, &root));
    assert_eq!(lines(&imported, Class::Placeholder), [""; 0]);
    let run = run(&imported, &["difference", "total", "same"]);
    let last = |signal: &str| run.last(signal).expect(signal).to_vec();
    assert_eq!((last("difference"), last("total"), last("same")), (vec![3.0], vec![7.0], vec![5.0]));
    let inner = imported.simulation.model("S").expect("the model");
    assert_eq!(inner.entries().map(|(_, name)| name.to_string()).collect::<Vec<_>>(), ["state"]);
    assert_eq!(inner.exits().map(|(_, name)| name.to_string()).collect::<Vec<_>>(), ["result"]);
}

#[test]
fn a_for_each_subsystem_runs_once_for_each_element() {
    // Each element has an accumulator of its own, and the second input is divided as well.
    let inside = inport("u", 1)
        + &inport("w", 2)
        + &block("ForEach", "For Each", "InputPartition \"{'on','on'}\"\nInputPartitionWidth \"{'1','1'}\"")
        + &block("Sum", "s", "")
        + &block("Product", "p", "")
        + &block("UnitDelay", "d", "SampleTime \"0.1\"")
        + &out("r", 1)
        + &line("u", "p", 1)
        + &line("w", "p", 2)
        + &line("p", "s", 1)
        + &line("d", "s", 2)
        + &line("s", "d", 1)
        + &line("s", "r", 1);
    let root = block("Constant", "a", "Value \"[1 2 3]\"")
        + &block("Constant", "b", "Value \"[10 20 30]\"")
        + &subsystem("S", "", &inside)
        + &out("y", 1)
        + &line("a", "S", 1)
        + &line("b", "S", 2)
        + &line("S", "y", 1);
    let imported = imported(&model("FixedStepDiscrete", 0.1, 0.2, &root));
    assert_eq!(lines(&imported, Class::Placeholder), [""; 0]);
    // Two steps, at 0 and 0.1.
    assert_eq!(run(&imported, &["y"]).last("y").expect("y"), [20.0, 80.0, 180.0]);
}
