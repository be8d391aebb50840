//! Models copied from one simulation to another, with all that they use.

use simulate::block::Registry;
use simulate::model::{
    Block, BlockId, BlockKind, Change, CopiedModel, Edit, Position, Simulation, Variable, check, copy_model,
    model_alone, replaced_model,
};

use crate::sketch::{Run, Sketch};

/// `Outer` has k in a `Leaf` that multiplies by k, and adds j: 6·6 + 3, where k = 2·j and j = 3 stand in the simulation.
fn library() -> Simulation {
    let mut simulation = Sketch::new(0.5)
        .block_in("Leaf", 0, "entry u", &[])
        .block_in("Leaf", 1, "Math/Gain", &[("Gain", &["k"])])
        .block_in("Leaf", 2, "exit y", &[])
        .wires("Leaf", &[("0.Output", "1.Input"), ("1.Output", "2.Input")])
        .block_in("Outer", 0, "Var/Static", &[("Value", &["k"])])
        .block_in("Outer", 1, "model Leaf", &[])
        .block_in("Outer", 2, "User/Formula", &[("Formula", &["y = u + j"])])
        .block_in("Outer", 3, "exit y", &[])
        .wires("Outer", &[("0.Output", "1.u"), ("1.y", "2.u"), ("2.y", "3.Input")])
        .block_in("Other", 0, "exit z", &[])
        .block(0, "model Outer", &[])
        .simulation;
    simulation.steps = 7;
    for (name, value) in [("j", "3"), ("k", "2*j"), ("unused", "1")] {
        simulation.set_variable(name, Variable::new(value));
    }
    simulation
}

/// Copies `Outer` and adds an instance of it to the root. Returns the names of the models that are new, in order.
fn copied(from: &Simulation, to: &mut Simulation) -> (Vec<String>, String) {
    let CopiedModel { edits, name, .. } = copy_model(from, "Outer", to).expect("it can be copied");
    let new = edits.iter().map(|edit| match edit {
        Edit::InsertModel { model } => model.name.to_string(),
        other => panic!("{other:?}"),
    });
    let new = new.collect();
    *to = Change::new("Copy", edits).applied(to, &Registry::standard()).expect("it can be inserted");
    (new, name.to_string())
}

/// The value of an instance of a model, alone in the root.
fn value(simulation: &Simulation, model: &str) -> f64 {
    let mut simulation = simulation.clone();
    let root = simulation.root.to_string();
    let main = simulation.model_mut(&root).expect("the root");
    let [instance, exit] = [100, 101].map(BlockId);
    assert!(main.add_block(Block::new(instance, BlockKind::model(model))));
    assert!(main.add_block(Block::new(exit, BlockKind::exit("value"))));
    main.connect(simulate::model::Connection::new(instance, "y", exit, "Input"));
    Run::new(&simulation, "simple").steps(1).exit("value")[0]
}

#[test]
fn a_copy_brings_along_the_models_and_variables_that_it_uses() {
    let from = library();
    let mut to = Simulation::new("Main");
    assert_eq!(copied(&from, &mut to), (vec!["Leaf".to_owned(), "Outer".to_owned()], "Outer".to_owned()));
    assert_eq!((value(&from, "Outer"), value(&to, "Outer")), (39.0, 39.0));
    assert!(to.variables.is_empty() && to.model("Other").is_none());
    for model in ["Leaf", "Outer"] {
        let variables = &to.model(model).expect("the copy").variables;
        assert_eq!(variables.keys().map(|name| &**name).collect::<Vec<_>>(), ["j", "k"], "{model}");
    }
    assert_eq!(check(&to, &Registry::standard()), []);
}

#[test]
fn a_model_that_is_there_already_is_used_again() {
    let from = library();
    let mut to = Simulation::new("Main");
    copied(&from, &mut to);
    assert_eq!(copied(&from, &mut to), (vec![], "Outer".to_owned()));
    // Where its blocks stand is no matter.
    let leaf = to.model_mut("Leaf").expect("the copy");
    leaf.block_mut(BlockId(1)).expect("the gain").set_position(Position { x: 30.0, y: 40.0 });
    assert_eq!(copied(&from, &mut to), (vec![], "Outer".to_owned()));
    // What it computes is, also in the models that it uses: then there are two of each.
    let leaf = to.model_mut("Leaf").expect("the copy");
    leaf.block_mut(BlockId(1)).expect("the gain").set_option("Gain", Some(&["1"]));
    let (new, name) = copied(&from, &mut to);
    assert_eq!((new.len(), new.last()), (2, Some(&name)));
    assert!(name.starts_with("Outer") && name != "Outer");
    assert_eq!((value(&to, "Outer"), value(&to, &name)), (9.0, 39.0));
    assert_eq!(copied(&from, &mut to), (vec![], name));
}

/// The variable of the simulation that a model uses is part of its content: where it has another value, so does the model.
#[test]
fn a_model_is_another_one_where_the_variables_around_it_are() {
    let from = library();
    let mut to = from.clone();
    assert_eq!(copied(&from, &mut to), (vec![], "Outer".to_owned()), "within its own simulation it is there");
    to.set_variable("j", Variable::new("4"));
    let (new, name) = copied(&from, &mut to);
    assert_eq!((new.len(), name.as_str()), (2, "Outer 2"));
    assert_eq!((value(&to, "Outer"), value(&to, &name)), (8.0 * 8.0 + 4.0, 39.0));
}

/// `a` is b·10 with the simulation's b = 2; the model has a b of its own, which that must not become.
#[test]
fn a_variable_of_the_simulation_keeps_what_its_value_uses() {
    let mut from = Sketch::new(1.0)
        .block_in("Outer", 0, "Var/Static", &[("Value", &["a + b"])])
        .block_in("Outer", 1, "exit y", &[])
        .wires("Outer", &[("0.Output", "1.Input")])
        .block(0, "model Outer", &[])
        .simulation;
    from.set_variable("a", Variable::new("10*b"));
    from.set_variable("b", Variable::new("2"));
    from.model_mut("Outer").expect("the model").set_variable("b", Variable::new("5"));
    let mut to = Simulation::new("Main");
    copied(&from, &mut to);
    assert_eq!((value(&from, "Outer"), value(&to, "Outer")), (25.0, 25.0));
}

/// Conditions of variants use variables of the simulation, which come along into the simulation.
#[test]
fn the_conditions_of_variants_choose_as_before() {
    let variants = "Fast if mode == 1; Slow";
    let constant = |sketch: Sketch, model: &str, value: &str| {
        sketch
            .block_in(model, 0, "Var/Static", &[("Value", &[value])])
            .block_in(model, 1, "exit y", &[])
            .wires(model, &[("0.Output", "1.Input")])
    };
    let sketch = Sketch::new(1.0).block_in("Outer", 0, "model Fast", &[]).block_in("Outer", 1, "exit y", &[]);
    let sketch = sketch.wires("Outer", &[("0.y", "1.Input")]).block(0, "model Outer", &[]);
    let mut from = constant(constant(sketch, "Fast", "1"), "Slow", "2").simulation;
    let outer = from.model_mut("Outer").expect("the model");
    outer.block_mut(BlockId(0)).expect("the block").attributes.set("variants", variants);
    from.set_variable("mode", Variable::new("1"));
    let run = |to: &mut Simulation| {
        let CopiedModel { edits, name, .. } = copy_model(&from, "Outer", to).expect("it can be copied");
        *to = Change::new("Copy", edits).applied(to, &Registry::standard()).expect("it can be inserted");
        value(to, &name)
    };
    let mut without = Simulation::new("Main");
    assert_eq!(run(&mut without), 1.0);
    assert_eq!(without.variables.keys().map(|name| &**name).collect::<Vec<_>>(), ["mode"]);
    let mut other = Simulation::new("Main");
    other.set_variable("mode", Variable::new("2"));
    assert_eq!(run(&mut other), 1.0);
    assert_eq!(other.variables.keys().map(|name| &**name).collect::<Vec<_>>(), ["mode", "mode_2"]);
}

#[test]
fn a_model_alone_is_a_simulation_of_its_own() {
    let from = library();
    let alone = model_alone(&from, "Outer").expect("it is there");
    assert_eq!((&*alone.root, alone.steps, alone.delta), ("Outer", 7, 0.5));
    assert_eq!(alone.models.keys().map(|name| &**name).collect::<Vec<_>>(), ["Leaf", "Outer"]);
    assert_eq!(Run::new(&alone, "simple").steps(1).exit("y"), [39.0]);
    assert_eq!(model_alone(&from, "Nobody"), None);
    let mut ring = from;
    let leaf = ring.model_mut("Leaf").expect("the model");
    leaf.add_block(Block::new(BlockId(9), BlockKind::model("Outer")));
    assert_eq!(model_alone(&ring, "Outer"), None, "it contains itself");
    assert!(model_alone(&ring, "Other").is_some());
}

/// A new version takes the place of the old one: its instances compute with it, and no model of the old one is left over,
/// except one that others use.
#[test]
fn a_newer_version_replaces_a_copy_with_all_that_it_used() {
    let from = library();
    let mut to = Simulation::new("Main");
    copied(&from, &mut to);
    let mut newer = library();
    newer.set_variable("j", Variable::new("4"));
    let updated = |to: &Simulation| {
        let CopiedModel { name, edits, simulation } =
            replaced_model(&newer, "Outer", to, "Outer").expect("it can be replaced");
        let applied = Change::new("Update", edits).applied(to, &Registry::standard()).expect("it can be applied");
        assert_eq!(*name, *"Outer");
        for model in simulation.models_in_order() {
            assert_eq!(applied.model(&model.name), Some(model));
        }
        assert_eq!(applied.models.len(), simulation.models.len());
        applied
    };
    let now = updated(&to);
    // k = 2·4 = 8: 8·8 + 4.
    assert_eq!((value(&to, "Outer"), value(&now, "Outer")), (39.0, 68.0));
    assert_eq!(now.models.keys().map(|name| &**name).collect::<Vec<_>>(), ["Leaf", "Main", "Outer"]);
    assert_eq!(check(&now, &Registry::standard()), []);
    // Another user of the old `Leaf` keeps it.
    let main = to.model_mut("Main").expect("the root");
    main.add_block(Block::new(BlockId(50), BlockKind::model("Leaf")));
    let now = updated(&to);
    assert_eq!(now.models.len(), 4, "{:?}", now.models.keys().collect::<Vec<_>>());
    assert_eq!(value(&now, "Outer"), 68.0);
    assert!(replaced_model(&newer, "Nothing", &to, "Outer").is_none());
    assert!(replaced_model(&newer, "Outer", &to, "Nothing").is_none());
}
