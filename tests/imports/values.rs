//! The values of names: callbacks, scripts and arrays beside the model, options.

use super::{block, imported, imported_with, line, model, out, run};
use simulate::import::{ImportOptions, import};

fn gain() -> String {
    let root = block("Constant", "c", "Value \"p.a\"") + &block("Gain", "g", "Gain \"k(2)*b\"") + &out("y", 1);
    model("ode4", 0.1, 1.0, &(root + &line("c", "g", 1) + &line("g", "y", 1)))
}

#[test]
fn names_without_a_value_are_listed_and_stop_the_run() {
    let imported = imported(&gain());
    let names: Vec<&str> = imported.report.missing.iter().map(|missing| &*missing.name).collect();
    assert_eq!(names, ["b", "k", "p.a"]);
    assert_eq!(imported.report.missing[2].used_by, "c");
    let found = simulate::engine::diagnose(&imported.simulation, &simulate::Registry::standard());
    assert_eq!(found.iter().filter(|found| found.code == "missing-value").count(), 3);
}

#[test]
fn callbacks_assign_and_options_go_before_them() {
    let text = gain().replacen(
        "  Version 7.4\n",
        "  Version 7.4\n  InitFcn \"p.a = 3; % a field\\nk = [1 10];\\nb = k(1) + 1;\"\n",
        1,
    );
    let run_of = |set: &[&str]| {
        let options =
            ImportOptions { set: set.iter().map(|text| (*text).to_owned()).collect(), ..ImportOptions::default() };
        let imported = imported_with(&text, &options);
        assert!(imported.report.missing.is_empty(), "{:?}", imported.report.missing);
        run(&imported, &["y"]).last("y").expect("y").to_vec()
    };
    assert_eq!(run_of(&[]), [60.0]);
    assert_eq!(run_of(&["b=1"]), [30.0]);
    assert_eq!(run_of(&["p.a=[1 2]*[1;1]"]), [60.0]);
}

#[test]
fn scripts_and_tables_fill_what_is_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.mdl");
    std::fs::write(folder.path().join("setup.m"), "% values\np = struct('a', 2);\nk = [0, 4];\nfigure; plot(k)\n")
        .expect("a script");
    std::fs::write(folder.path().join("b.csv"), "b,5\n").expect("a table");
    let options = ImportOptions { values: vec![folder.path().join("b.csv")], ..ImportOptions::default() };
    let imported = import(&path, gain().as_bytes(), &options).expect("a model");
    assert!(imported.report.missing.is_empty(), "{:?}", imported.report.missing);
    assert!(imported.report.notes.iter().any(|note| note.contains("setup.m")), "{:?}", imported.report.notes);
    assert_eq!(run(&imported, &["y"]).last("y").expect("y"), [40.0]);
}

#[test]
fn what_is_set_in_a_branch_is_unknown() {
    let text = gain().replacen(
        "  Version 7.4\n",
        "  Version 7.4\n  InitFcn \"p.a = 3;\\nk = [1 2];\\nif p.a > 2\\n b = 1;\\nend\"\n",
        1,
    );
    let names: Vec<String> = imported(&text).report.missing.into_iter().map(|missing| missing.name).collect();
    assert_eq!(names, ["b"]);
}

#[test]
fn a_wrong_option_says_so() {
    let refused = |set: &str| {
        let options = ImportOptions { set: vec![set.to_owned()], ..ImportOptions::default() };
        import(std::path::Path::new("m.mdl"), gain().as_bytes(), &options).expect_err(set).to_string()
    };
    assert_eq!(refused("b"), "--set b: write it as name=value");
    assert!(refused("b='text'").contains("the value is a text"), "{}", refused("b='text'"));
}

#[test]
fn code_is_a_function_here_with_its_parameters() {
    let chart = "Stateflow {\n  chart {\n    id 2\n    name \"f\"\n  }\n  state {\n    id 3\n    chart 2\n    eml {\n      script \
                 \"function y = f(u, gain)\\n% doubled\\nif u > 1\\n  y = gain*u;\\nelse\\n  y = -u;\\nend\"\n    }\n  }\n  data {\n    id 4\n    \
                 name \"gain\"\n    linkNode [2 0 0]\n    scope PARAMETER_DATA\n  }\n}\n";
    let inside = block("Inport", "u", "") + &block("Outport", "y", "") + &block("S-Function", " SFunction ", "");
    let system = format!("System {{\nName \"f\"\n{inside}}}");
    let function = format!(
        "Block {{\nBlockType SubSystem\nName \"f\"\nSFBlockType \"MATLAB Function\"\nPorts [1, 1]\n{system}\n}}\n"
    );
    let root =
        block("Constant", "c", "Value \"3\"") + &function + &out("z", 1) + &line("c", "f", 1) + &line("f", "z", 1);
    let text = model("ode4", 0.1, 1.0, &root) + chart;
    let options = ImportOptions { set: vec!["gain=4".to_owned()], ..ImportOptions::default() };
    let imported = imported_with(&text, &options);
    assert_eq!(run(&imported, &["z"]).last("z").expect("z"), [12.0]);
}

#[test]
fn code_that_is_refused_says_where() {
    let chart = "Stateflow {\n  chart {\n    id 2\n    name \"f\"\n  }\n  state {\n    chart 2\n    eml {\n      script \
                 \"function y = f(u)\\ny = 1;\\ny = undefined_thing(u);\"\n    }\n  }\n}\n";
    let inside = block("Inport", "u", "") + &block("Outport", "y", "");
    let system = format!("System {{\nName \"f\"\n{inside}}}");
    let function =
        format!("Block {{\nBlockType SubSystem\nName \"f\"\nSFBlockType \"MATLAB Function\"\n{system}\n}}\n");
    let root = block("Constant", "c", "") + &function + &line("c", "f", 1);
    let imported = imported(&(model("ode4", 0.1, 1.0, &root) + chart));
    let lines = super::lines(&imported, simulate::import::Class::Placeholder);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].contains("line 3") && lines[0].contains("undefined_thing"), "{lines:?}");
    let block = imported
        .simulation
        .root_model()
        .expect("the root")
        .blocks
        .values()
        .find(|block| block.is_placeholder())
        .cloned();
    let code = block.as_ref().and_then(|block| block.view("source:chart"));
    assert!(code.is_some_and(|code| code.contains("undefined_thing")), "the code is kept");
}
