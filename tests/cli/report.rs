//! `simulate report`.

use std::collections::BTreeSet;
use std::fs;

use sha2::{Digest as _, Sha256};

use super::{folder, simulate};

/// Two models, an integrator of 2 with a scope, and names that HTML would take for its own.
const FILE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<simulation steps="5" delta="0.5" root="M" title="A &lt;b&gt; &amp; c" about="Integrates k">
	<variable name="k" value="2" unit="N" doc="The &lt;force&gt;"/>
	<model name="M">
		<model id="0" model="Inner &quot;x&quot;" view:x="0" view:y="0" xmlns:view="urn:simulate:view"/>
		<exit id="1" name="position"/>
		<connection from="0" output="y" to="1" input="Input"/>
	</model>
	<model name="Inner &quot;x&quot;" doc="Sums up">
		<block id="0" group="Var" name="Static"><option name="Value"><value>k</value></option></block>
		<block id="1" group="Math" name="Integrate" label="Sum of all"/>
		<exit id="2" name="y"/>
		<connection from="0" output="Output" to="1" input="Input"/>
		<connection from="1" output="Output" to="2" input="Input"/>
	</model>
</simulation>
"#;

fn values<'a>(text: &'a str, before: &str) -> Vec<&'a str> {
    text.split(before).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn a_page_has_all_models_parameters_curves_and_the_origin() {
    let folder = folder(&[("a.simx", FILE)]);
    let outcome = simulate(folder.path(), &["report", "a.simx", "--out", "a.html", "--engine", "flat"]);
    assert_eq!((outcome.code, &*outcome.out, &*outcome.err), (0, "a.html\n", ""));
    let html = fs::read_to_string(folder.path().join("a.html")).unwrap();
    for text in [
        "<h1>A &lt;b&gt; &amp; c</h1>",
        "<p class=\"about\">Integrates k</p>",
        "<h2>M (root model)</h2>",
        "<h2>Inner &quot;x&quot;</h2>",
        "<p>Sums up</p>",
        "<td>k</td><td>2 N</td><td>The &lt;force&gt;</td>",
        "<td>Var/Static</td><td>Value</td><td>k</td>",
        ">Sum of all</text>",
        "<td>Engine</td><td>flat</td>",
        "<td>Steps that ran</td><td>5, each of 0.5 s</td>",
        "<td>Simulate 0.1.0</td>",
    ] {
        assert!(html.contains(text), "{text} is missing");
    }
    // The curve is a line through five points, and its name is below it.
    assert!(html.contains("<title>M.position</title>") || html.contains(">position</text>"), "the curve has its name");
    assert_eq!(html.matches("<svg ").count(), 3, "two diagrams and a plot");
    // Every link leads to a section, among them one from the model block.
    let sections: BTreeSet<&str> = values(&html, "<section id=\"").into_iter().collect();
    let links = values(&html, "href=\"#");
    assert!(links.iter().all(|link| sections.contains(link)), "{links:?} {sections:?}");
    assert_eq!(html.matches("<a href=\"#model-2\"><rect ").count(), 1);
    // It needs no other file.
    let outside = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("http") && !outside.contains("src=") && !outside.contains("<link"));
}

#[test]
fn the_hash_is_that_of_the_simulation_as_it_ran() {
    let folder = folder(&[("a.simx", FILE)]);
    simulate(folder.path(), &["convert", "a.simx", "b.simx"]);
    let bytes = fs::read(folder.path().join("b.simx")).unwrap();
    let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    simulate(folder.path(), &["report", "a.simx", "--out", "a.html"]);
    assert!(fs::read_to_string(folder.path().join("a.html")).unwrap().contains(&format!("<td>{hash}</td>")));
    simulate(folder.path(), &["report", "a.simx", "--out", "a.html", "--set", "k=3"]);
    let html = fs::read_to_string(folder.path().join("a.html")).unwrap();
    assert!(!html.contains(&hash) && html.contains("<td>k=3</td>") && html.contains("<td>k</td><td>3 N</td>"));
}

#[test]
fn a_pdf_has_pages_with_bookmarks_and_links() {
    let folder = folder(&[("a.simx", FILE)]);
    let outcome = simulate(folder.path(), &["report", "a.simx", "--out", "a.pdf"]);
    assert_eq!((outcome.code, &*outcome.out), (0, "a.pdf\n"));
    let bytes = fs::read(folder.path().join("a.pdf")).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.starts_with("%PDF-1."));
    for bookmark in ["(Simulation)", "(M (root model))", "(Curves)", "(Origin)"] {
        assert!(text.contains(bookmark), "{bookmark} is missing");
    }
    // The five sections of the contents, and the model block.
    assert_eq!(text.matches("/Subtype /Link").count(), 6);
    assert!(text.matches("/MediaBox [0 0 595 842]").count() >= 2, "pages of A4");
}

#[test]
fn without_a_run_there_are_no_curves() {
    let folder = folder(&[("a.simx", FILE)]);
    let outcome = simulate(folder.path(), &["report", "a.simx", "--out", "a.html", "--no-run"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let html = fs::read_to_string(folder.path().join("a.html")).unwrap();
    assert!(!html.contains("Curves") && !html.contains("Engine") && html.matches("<svg ").count() == 2);
}

#[test]
fn what_cannot_be_reported_says_so() {
    let endless = FILE.replace("steps=\"5\"", "steps=\"0\"");
    let unknown = FILE.replace("name=\"Integrate\"", "name=\"Integrat\"");
    let failing = FILE.replace("<block id=\"1\" group=\"Math\" name=\"Integrate\" label=\"Sum of all\"/>",
        "<block id=\"1\" group=\"Math\" name=\"Integrate\" label=\"Sum of all\"/><block id=\"5\" group=\"Check\" \
        name=\"Upper Bound\"><option name=\"Bound\"><value>1.5</value></option><option name=\"Action\"><value>stop</value>\
        </option></block><connection from=\"1\" output=\"Output\" to=\"5\" input=\"Input\"/>");
    let folder = folder(&[("a.simx", FILE), ("endless.simx", &endless), ("u.simx", &unknown), ("f.simx", &failing)]);
    let run = |args: &[&str]| simulate(folder.path(), &[&["report"], args].concat());
    let outcome = run(&["a.simx", "--out", "a.doc"]);
    assert_eq!((outcome.code, &*outcome.err), (2, "the output file must end with .html or .pdf\n"));
    let outcome = run(&["endless.simx", "--out", "a.html"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.err.contains("runs until it is stopped: set its number of steps, or give --steps"),
        "{}",
        outcome.err
    );
    assert_eq!(run(&["endless.simx", "--out", "a.html", "--steps", "3"]).code, 0);
    let outcome = run(&["u.simx", "--out", "u.html"]);
    assert!(outcome.code == 1 && outcome.err.contains("unknown-block"), "{}", outcome.err);
    assert!(!folder.path().join("u.html").exists());
    // A run that a check ends is shown up to there: 0, 1, 2 is above 1.5.
    assert_eq!(run(&["f.simx", "--out", "f.html"]).code, 0);
    let html = fs::read_to_string(folder.path().join("f.html")).unwrap();
    assert!(html.contains("<td>3 of 5, each of 0.5 s</td>"), "the steps that ran are said");
}

/// A report and a picture of a file whose model contains itself: a warning names what is removed, and so does the origin in
/// the report.
#[test]
fn what_is_removed_from_a_file_is_named() {
    let ring = FILE.replace(
        "<exit id=\"2\" name=\"y\"/>",
        "<exit id=\"2\" name=\"y\"/>\n\t\t<model id=\"7\" model=\"Inner &quot;x&quot;\" label=\"Twin\"/>",
    );
    let folder = folder(&[("a.simx", &ring)]);
    let warning =
        "warning[skipped-model]: the model block “Twin” #7 and its wires are removed from model “Inner \"x\"”";
    for command in ["report a.simx --out a.html", "picture a.simx --out a.svg"] {
        let args: Vec<&str> = command.split(' ').chain(["--skip-invalid-models"]).collect();
        let outcome = simulate(folder.path(), &args);
        assert_eq!(outcome.code, 0, "{command}: {}", outcome.err);
        assert!(outcome.err.contains(warning), "{command}: {}", outcome.err);
    }
    let html = fs::read_to_string(folder.path().join("a.html")).unwrap();
    let row = "Removed when it was loaded</td><td>Inner &quot;x&quot;/Twin#7, an instance of “Inner &quot;x&quot;”";
    assert!(html.contains(row) || html.contains(&row.replace("&quot;", "\"")), "{html}");
}
