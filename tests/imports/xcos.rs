//! Diagrams of Xcos: blocks, links through splits, clocks, super-blocks.

use std::path::Path;

use simulate::import::{Class, ImportOptions, Imported, import};

use super::run;

/// A block with the texts of its dialog and its ports: kinds with their ids.
fn block(function: &str, id: &str, texts: &[&str], ports: &[(&str, &str)]) -> String {
    let data: String = texts
        .iter()
        .enumerate()
        .map(|(line, text)| format!("<data line=\"{line}\" column=\"0\" value=\"{text}\"/>"))
        .collect();
    let exprs = format!("<ScilabString as=\"exprs\" height=\"{}\" width=\"1\">{data}</ScilabString>", texts.len());
    let port = |(number, (kind, port)): (usize, &(&str, &str))| {
        format!("<{kind} id=\"{port}\" parent=\"{id}\" ordering=\"{}\"/>", number + 1)
    };
    let ports: String = ports.iter().enumerate().map(port).collect();
    format!(
        "<BasicBlock id=\"{id}\" interfaceFunctionName=\"{function}\">{exprs}<mxGeometry as=\"geometry\" x=\"10\" y=\"20\" \
         width=\"40\" height=\"40\"/></BasicBlock>{ports}"
    )
}

const IN: &str = "ExplicitInputPort";
const OUT: &str = "ExplicitOutputPort";

fn link(kind: &str, from: &str, to: &str) -> String {
    format!("<{kind} id=\"{from}{to}\" source=\"{from}\" target=\"{to}\"/>")
}

fn wire(from: &str, to: &str) -> String {
    link("ExplicitLink", from, to)
}

fn imported(context: &str, root: &str) -> Imported {
    let context = format!("<Array as=\"context\"><add value=\"{context}\"/></Array>");
    let text = format!(
        "<?xml version=\"1.0\"?><XcosDiagram finalIntegrationTime=\"2\">{context}<mxGraphModel as=\"model\"><root>{root}</root>\
         </mxGraphModel></XcosDiagram>"
    );
    import(Path::new("m.xcos"), text.as_bytes(), &ImportOptions::default()).expect("a diagram")
}

#[test]
fn a_split_is_a_branch_and_the_context_has_values() {
    let split = "<SplitBlock id=\"s\"/><ExplicitInputPort id=\"si\" parent=\"s\" ordering=\"1\"/>\
                 <ExplicitOutputPort id=\"s1\" parent=\"s\" ordering=\"1\"/><ExplicitOutputPort id=\"s2\" parent=\"s\" ordering=\"2\"/>";
    let root = block("CONST_m", "c", &["k + 1"], &[(OUT, "co")])
        + &block("GAINBLK_f", "g", &["2"], &[(IN, "gi"), (OUT, "go")])
        + split;
    let root = root + &block("SUMMATION", "d", &["1", "[1;-1]", "0"], &[(IN, "d1"), (IN, "d2"), (OUT, "do")]);
    let root =
        root + &block("OUT_f", "o", &["1"], &[(IN, "oi")]) + &wire("co", "si") + &wire("s1", "gi") + &wire("go", "d1");
    let root = root + &wire("s2", "d2") + &wire("do", "oi");
    // 2·(k + 1) − (k + 1) with k = 3.
    let imported = imported("k = 3; // a value", &root);
    let exit = imported.simulation.root_model().expect("the root").exits().next().expect("an exit").1.to_string();
    assert_eq!(run(&imported, &[&exit]).last(&exit).expect("its values"), [4.0]);
}

#[test]
fn a_clock_is_a_sample_time_and_a_polynomial_a_list() {
    let clock = block("SampleCLK", "k", &["0.5", "0"], &[("CommandPort", "kc")]);
    let root = block("CONST_m", "c", &["1"], &[(OUT, "co")]) + &clock;
    let root = root + &block("DLR", "f", &["1", "(z-T)"], &[(IN, "fi"), (OUT, "fo"), ("ControlPort", "fc")]);
    let root = root
        + &block("OUT_f", "o", &["1"], &[(IN, "oi")])
        + &wire("co", "fi")
        + &wire("fo", "oi")
        + &link("CommandControlLink", "kc", "fc");
    let imported = imported("T = 1", &root);
    assert_eq!(imported.simulation.delta, 0.5);
    let model = imported.simulation.root_model().expect("the root");
    let filter =
        model.blocks.values().find(|block| block.kind.title() == "Discrete Transfer Function").expect("the filter");
    assert_eq!(filter.option_texts("Denominator"), Some(vec!["1", "-1"]));
    assert_eq!(filter.option_texts("Sample Time"), Some(vec!["0.5"]));
    let exit = model.exits().next().expect("an exit").1.to_string();
    // 1/(z − 1) counts the samples: 0 at 0 s, then 1 more each.
    let run = run(&imported, &[&exit]);
    let values = run.values(&exit).expect("its values");
    assert_eq!(&values[..4], [0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn what_events_of_another_kind_activate_is_a_placeholder() {
    let root = block("IFTHEL_f", "i", &["1", "1"], &[(IN, "ii"), ("CommandPort", "ic")]);
    let root = root + &block("DOLLAR_f", "d", &["0", "0"], &[(IN, "di"), (OUT, "do"), ("ControlPort", "dc")]);
    let root = root + &link("CommandControlLink", "ic", "dc");
    let imported = imported("", &root);
    let notes: Vec<String> = super::lines(&imported, Class::Placeholder);
    assert_eq!(notes.len(), 2);
    assert!(
        notes.iter().any(|note| note.ends_with("it is activated by output 1 of IFTHEL_f, which is no clock")),
        "{notes:?}"
    );
}

#[test]
fn an_archive_has_its_parameters_beside_the_diagram() {
    let bytes = include_bytes!("models/small.zcos");
    let imported = import(Path::new("small.zcos"), bytes, &ImportOptions::default()).expect("a diagram");
    let exit = imported.simulation.root_model().expect("the root").exits().next().expect("an exit").1.to_string();
    assert_eq!(run(&imported, &[&exit]).last(&exit).expect("its values"), [7.0]);
}
