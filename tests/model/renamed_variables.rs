//! A variable that is renamed keeps its meaning: in the values of variables, in blocks, variants and instances.

use simulate::block::Registry;
use simulate::model::{Block, BlockId, BlockKind, Model, RenameError, Simulation, Variable, rename_variable};

fn gain(id: u64, value: &str) -> Block {
    Block::new(BlockId(id.into()), BlockKind::library("Math", "Gain")).with_option("Gain", &[value])
}

fn formula(id: u64, text: &str, inputs: &str) -> Block {
    let block = Block::new(BlockId(id.into()), BlockKind::library("User", "Formula"));
    block.with_option("Formula", &[text]).with_option("Inputs", &[inputs])
}

fn simulation() -> Simulation {
    let mut simulation = Simulation::new("Main");
    simulation.set_variable("k", Variable::new("2"));
    simulation.set_variable("twice", Variable::new("2*k + kk"));
    simulation.set_variable("kk", Variable::new("3"));
    let main = simulation.model_mut("Main").expect("the root");
    for block in [gain(1, "k"), gain(2, "[1 sin(k) 1e3]"), gain(3, "kk"), formula(4, "y = k*u", "u")] {
        main.add_block(block);
    }
    // The input of this formula is no variable.
    main.add_block(formula(5, "y = k*u", "u k"));
    main.add_block(Block::new(BlockId(6), BlockKind::model("Inner")).with_option("mass", &["3*k"]));
    let mut inner = Model::new("Inner");
    inner.set_variable("mass", Variable::new("7"));
    inner.add_block(gain(1, "mass*k"));
    simulation.add_model(inner);
    let mut hiding = Model::new("Hiding");
    hiding.set_variable("k", Variable::new("7"));
    hiding.add_block(gain(1, "k+1"));
    simulation.add_model(hiding);
    simulation
}

fn renamed(model: Option<&str>, from: &str, to: &str) -> Result<Simulation, RenameError> {
    let (simulation, registry) = (simulation(), Registry::standard());
    let model = model.and_then(|model| simulation.model(model)).map(|model| &**model);
    let change = rename_variable(&simulation, &registry, model, (from, to))?;
    Ok(change.applied(&simulation, &registry).expect("the change applies"))
}

fn option(simulation: &Simulation, model: &str, id: u64, name: &str) -> String {
    let block = simulation.model(model).and_then(|model| model.block(BlockId(id.into()))).expect("the block");
    block.option_texts(name).unwrap_or_default().join("|")
}

#[test]
fn a_variable_of_all_models_is_renamed_where_it_is_meant() {
    let after = renamed(None, "k", "stiffness").expect("it can be renamed");
    assert!(!after.variables.contains_key("k"));
    assert_eq!(&*after.variables["stiffness"].value, "2");
    assert_eq!(&*after.variables["twice"].value, "2*stiffness + kk", "whole words only");
    let main = [(1, "Gain"), (2, "Gain"), (3, "Gain"), (4, "Formula"), (5, "Formula"), (6, "mass")];
    let texts = main.map(|(id, name)| option(&after, "Main", id, name));
    let expected = ["stiffness", "[1 sin(stiffness) 1e3]", "kk", "y = stiffness*u", "y = k*u", "3*stiffness"];
    assert_eq!(texts, expected);
    assert_eq!(option(&after, "Inner", 1, "Gain"), "mass*stiffness");
    assert_eq!(option(&after, "Hiding", 1, "Gain"), "k+1", "there it is another variable");
}

#[test]
fn a_variable_of_a_model_is_renamed_in_its_instances() {
    let after = renamed(Some("Inner"), "mass", "m").expect("it can be renamed");
    assert_eq!((option(&after, "Main", 6, "m"), option(&after, "Main", 6, "mass")), ("3*k".into(), "".into()));
    assert_eq!(option(&after, "Inner", 1, "Gain"), "m*k");
    let order: Vec<u64> = simulation().variables.values().map(|variable| variable.seq).collect();
    assert_eq!(order.len(), 3);
}

#[test]
fn a_name_with_another_meaning_is_refused() {
    let refused = |model, from: &str, to: &str| renamed(model, from, to).expect_err("it is refused").to_string();
    assert_eq!(refused(None, "k", "kk"), "the variable “kk” already exists");
    assert_eq!(refused(None, "none", "x"), "the variable “none” does not exist");
    assert!(refused(None, "k", "2x").contains("is not a valid name"));
    assert!(refused(None, "k", "sin").contains("is a function or constant"));
    // The input of a formula, and a variable of a model that uses the old name.
    assert_eq!(refused(None, "k", "u"), "in Formula #4 of Main the name “u” has another meaning already");
    assert_eq!(refused(None, "k", "mass"), "in Gain #1 of Inner the name “mass” has another meaning already");
    assert_eq!(refused(Some("Inner"), "mass", "k"), "in Gain #1 of Inner the name “k” has another meaning already");
}
