//! Variants: the models that a model block may be an instance of, of which a condition chooses one before the run.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{compile, diagnose};
use simulate::format::{LoadOptions, Loader, simx::Simx};
use simulate::model::{
    Block, BlockId, BlockKind, Change, Document, Edit, EditError, Model, Severity, Simulation, Variable, model_alone,
    nesting, replace_block,
};

use crate::sketch::Run;

/// The root has an instance of `Ten` or `Add`; with the input 3 the output is 30 or 3 + k.
fn file(mode: &str, variants: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<simulation steps="1" delta="1" root="Main">
	<variable name="mode" value="{mode}"/>
	<model name="Main">
		<block id="0" group="Var" name="Static"><option name="Value"><value>3</value></option></block>
		<model id="1" model="Ten" variants="{variants}"><option name="k"><value>mode</value></option></model>
		<exit id="2" name="y"/>
		<connection from="0" output="Output" to="1" input="u"/>
		<connection from="1" output="y" to="2" input="Input"/>
	</model>
	<model name="Ten">
		<entry id="0" name="u"/>
		<block id="1" group="Math" name="Gain"><option name="Gain"><value>10</value></option></block>
		<exit id="2" name="y"/>
		<connection from="0" output="Output" to="1" input="Input"/>
		<connection from="1" output="Output" to="2" input="Input"/>
	</model>
	<model name="Add">
		<variable name="k" value="0"/>
		<entry id="0" name="u"/>
		<block id="1" group="Math" name="Bias"><option name="Bias"><value>k</value></option></block>
		<exit id="2" name="y"/>
		<connection from="0" output="Output" to="1" input="Input"/>
		<connection from="1" output="Output" to="2" input="Input"/>
	</model>
</simulation>
"#
    )
}

const VARIANTS: &str = "Ten if mode == 1; Add if mode &gt; 1";

fn read(text: &str) -> Simulation {
    let loaded = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it reads");
    assert_eq!(loaded.diagnostics, []);
    loaded.simulation
}

fn written(simulation: &Simulation) -> String {
    String::from_utf8(Simx.write(simulation).expect("it writes")).expect("text")
}

fn document(text: &str) -> Document {
    Document::new(read(text), Registry::standard())
}

fn result(simulation: &Simulation) -> f64 {
    let results = ["simple", "flat", "compiled"].map(|engine| Run::new(simulation, engine).steps(1).exit("y")[0]);
    assert!(results.iter().all(|result| result.to_bits() == results[0].to_bits()), "{results:?}");
    results[0]
}

fn model_of(simulation: &Simulation) -> &BlockKind {
    &simulation.root_model().and_then(|root| root.block(BlockId(1))).expect("the block").kind
}

fn set_mode(value: &str) -> Change {
    let variable = Some(Variable::new(value));
    Change::one("Set mode", Edit::SetVariable { model: None, name: "mode".into(), variable })
}

fn set_variants(value: &str) -> Change {
    let (model, id, name) = ("Main".into(), BlockId(1), "variants".into());
    Change::one("Set variants", Edit::SetBlockAttribute { model, id, name, value: Some(value.into()) })
}

fn problems(text: &str) -> Vec<(Severity, String, String)> {
    let found = diagnose(&read(text), &Registry::standard());
    found.into_iter().map(|found| (found.severity, found.location.to_string(), found.message)).collect()
}

#[test]
fn a_condition_chooses_the_model() {
    for (mode, variants, want) in [
        ("1", VARIANTS, 30.0),
        ("2", VARIANTS, 5.0),
        ("2.5", VARIANTS, 5.5),
        ("7", "Ten if mode == 1; Add", 10.0),
        ("1", "Ten if mode; Add if mode", 30.0),
        ("-1", "Ten if mode; Add", 30.0),
        ("1", "Add; Ten", 4.0),
        ("1", "Ten if mode == 2; ; Add if sum([1;0]) == mode;", 4.0),
    ] {
        assert_eq!(result(&read(&file(mode, variants))), want, "{mode}: {variants}");
    }
}

/// An edit of a variable changes the chosen model in the document, in the same step of the history. A file names it.
#[test]
fn the_document_follows_the_variables() {
    let mut document = document(&file("1", VARIANTS));
    assert_eq!(model_of(document.simulation()), &BlockKind::model("Ten"));
    let before = written(document.simulation());
    document.apply(&set_mode("2")).expect("it is applied");
    assert_eq!(model_of(document.simulation()), &BlockKind::model("Add"));
    assert_eq!(result(document.simulation()), 5.0);
    assert!(written(document.simulation()).contains(r#"model="Add" variants="Ten if mode == 1; Add if mode &gt; 1""#));
    document.undo().expect("one step");
    assert_eq!(written(document.simulation()), before);
    document.redo().expect("one step");
    // Where none can be chosen, the last one stays.
    document.apply(&set_mode("0")).expect("it is applied");
    assert_eq!(model_of(document.simulation()), &BlockKind::model("Add"));
    assert!(compile(document.simulation(), &Registry::standard()).is_err());
}

/// A file that names another model than the chosen one is read as it is; the document and the run have the chosen one.
#[test]
fn a_file_is_read_as_it_is() {
    let text = file("2", VARIANTS);
    let simulation = read(&text);
    assert_eq!(written(&simulation), text);
    assert_eq!(result(&simulation), 5.0);
    assert_eq!(model_of(document(&text).simulation()), &BlockKind::model("Add"));
}

#[test]
fn a_model_is_renamed_and_kept_as_a_variant() {
    let mut document = document(&file("1", VARIANTS));
    let rename = |from: &str, to: &str| Change::one("Rename", Edit::RenameModel { from: from.into(), to: to.into() });
    document.apply(&rename("Add", "Sum; if")).expect("it is applied");
    document.apply(&rename("Ten", "Times")).expect("it is applied");
    let block = document.simulation().root_model().and_then(|root| root.block(BlockId(1))).expect("the block");
    assert_eq!(block.attributes.get("variants"), Some(r#"Times if mode == 1; "Sum; if" if mode > 1"#));
    assert_eq!(result(document.simulation()), 30.0);
    let remove = Change::one("Remove", Edit::RemoveModel { name: "Sum; if".into() });
    assert!(matches!(document.apply(&remove), Err(EditError::InUse { .. })), "a variant is in use");
    document.apply(&set_mode("4")).expect("it is applied");
    assert_eq!(result(document.simulation()), 7.0);
    // A copy has all variants.
    let alone = model_alone(document.simulation(), "Main").expect("no ring");
    assert_eq!(alone.models.len(), 3);
}

#[test]
fn a_variant_does_not_contain_its_own_model() {
    let mut document = document(&file("1", VARIANTS));
    let refused = |document: &mut Document, change: &Change| {
        let before = written(document.simulation());
        assert!(matches!(document.apply(change), Err(EditError::EndlessNesting(_))));
        assert_eq!(written(document.simulation()), before);
    };
    refused(&mut document, &set_variants("Ten if mode; Main"));
    let block = Block::new(BlockId(9), BlockKind::model("Main"));
    let add = |block: &Block| Edit::AddBlock { model: "Add".into(), block: Box::new(block.clone()) };
    refused(&mut document, &Change::one("Add", add(&block)));
    let mut hidden = Block::new(BlockId(9), BlockKind::model("Ten"));
    hidden.attributes.set("variants", "Ten; Main if mode == 7");
    refused(&mut document, &Change::one("Add", add(&hidden)));
    let mut model = Model::new("New");
    hidden.attributes.set("variants", "Ten; New");
    model.add_block(hidden);
    refused(&mut document, &Change::one("Insert", Edit::InsertModel { model: Box::new(model) }));
    // A file that has such a ring is found out, although the ring is not chosen.
    let ring = read(&file("1", "Ten if mode; Main"));
    assert_eq!(nesting(&ring).rings, [vec![(Arc::from("Main"), BlockId(1))]]);
}

/// A block that is replaced by hand is not chosen by conditions any more.
#[test]
fn a_replaced_block_has_no_variants() {
    let mut document = document(&file("1", VARIANTS));
    let simulation = Arc::clone(document.simulation());
    let root = simulation.root_model().expect("the root");
    let edits = replace_block(&simulation, &Registry::standard(), root, BlockId(1), BlockKind::model("Add"));
    document.apply(&Change::new("Replace", edits)).expect("it is applied");
    assert_eq!(model_of(document.simulation()), &BlockKind::model("Add"));
    assert!(!written(document.simulation()).contains("variants="));
    assert_eq!(result(document.simulation()), 4.0);
}

#[test]
fn what_is_wrong_with_variants_is_said() {
    let first = |mode: &str, variants: &str| problems(&file(mode, variants)).into_iter().next().expect("a problem");
    let at = |message: &str| (Severity::Error, "Main #1".to_owned(), message.to_owned());
    assert_eq!(
        first("3", "Ten if mode == 1; Add if mode == 2"),
        at("no variant is chosen: none of the conditions holds: mode == 1; mode == 2")
    );
    assert_eq!(first("3", "Ten if; Add"), at("variants: “Ten” has no condition after “if”"));
    assert_eq!(first("3", "&quot;Ten if mode"), at("variants: a quotation mark is missing"));
    assert_eq!(first("3", "Ten if mode; Tenn"), at("there is no model “Tenn”, a variant of this block"));
    assert_eq!(first("3", "Ten if [1 2]; Add"), at("variants: the condition “[1 2]” is not one number but 2"));
    assert_eq!(first("3", "Ten if nan; Add"), at("variants: the condition “nan” is not a number"));
    let (.., unknown) = first("3", "Ten if modus; Add");
    assert!(unknown.starts_with("variants: the condition unknown variable \"modus\""), "{unknown}");
    // The variables of a model are not seen, since they may differ from instance to instance.
    let (.., local) = first("3", "Ten if k; Add");
    assert!(local.contains("unknown variable \"k\""), "{local}");
}

/// What only the variant that is not chosen has wrong is a warning, also its widths and the ports of the wires.
#[test]
fn a_variant_that_is_not_chosen_is_checked_all_the_same() {
    assert_eq!(problems(&file("1", VARIANTS)), []);
    let wide = file("1", VARIANTS)
        .replace(r#"name="Value"><value>3</value>"#, r#"name="Value"><value>3</value><value>4</value>"#);
    let wide = wide.replace("<value>mode</value>", "<value>1</value><value>2</value><value>3</value>");
    let found = problems(&wide);
    let message = "a signal of width 2 from entry u #0 of “Add” meets one of width 3";
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].0, &*found[0].1), (Severity::Warning, "Add #1"), "{found:?}");
    assert!(found[0].2.contains("width 2") && found[0].2.contains("width 3"), "{found:?}, like {message}");
    assert!(compile(&read(&wide), &Registry::standard()).is_ok(), "the chosen one runs");
    let ports = file("1", VARIANTS).replace(
        r#"<variable name="k" value="0"/>
		<entry id="0" name="u"/>"#,
        r#"<variable name="k" value="0"/>
		<entry id="0" name="v"/>"#,
    );
    let found = problems(&ports);
    let is_expected = |(severity, place, message): &(Severity, String, String)| {
        *severity == Severity::Warning && place.starts_with("Main #1") && message.contains("no input “u”")
    };
    assert!(found.iter().any(is_expected), "{found:?}");
    assert!(found.iter().all(|(severity, ..)| *severity == Severity::Warning), "{found:?}");
}
