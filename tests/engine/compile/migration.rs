//! A run continues with the program of an edited simulation: blocks that the edit does not affect have the same bits as
//! without it.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Migration, MigrationError, ResetBlock, ResetReason, compile};
use simulate::model::{BlockAddress, BlockId, Change, Document, Edit, ParamAddress, Simulation};

use crate::sketch::{Run, Sketch};

const ENGINES: [&str; 4] = ["simple", "flat", "compiled", "threaded"];
const SOLVERS: [&str; 5] = ["rk4", "dopri45", "backward-euler", "rodas34", "radau35"];

/// Every kind of state: continuous and discrete states, histories, random numbers, modes, a conditional model and a
/// loop.
pub fn plant(solver: &str) -> Sketch {
    let mut sketch = Sketch::new(0.01)
        .solver(solver)
        .block_in("Child", 0, "entry on", &[])
        .mark("Child", 0, &[("role", "enable")])
        .block_in("Child", 1, "entry u", &[])
        .block_in("Child", 2, "Discrete/Unit Delay", &[])
        .block_in("Child", 3, "Math/Sum", &[("Signs", &["++"])])
        .block_in("Child", 4, "exit sum", &[])
        .wires(
            "Child",
            &[("1.Output", "3.Input 1"), ("2.Output", "3.Input 2"), ("3.Output", "2.Input"), ("3.Output", "4.Input")],
        )
        .block(10, "Var/Sine", &[("Frequency", &["3"])])
        .block(12, "Math/Integrate", &[("Initial Value", &["1", "-2"])])
        .block(14, "Math/Gain", &[("Gain", &["-4"])])
        .block(16, "Math/Sum", &[("Signs", &["++"])])
        .block(18, "Discrete/Unit Delay", &[("Sample Time", &["0.03"])])
        .block(20, "Continuous/Transport Delay", &[("Delay", &["0.055"])])
        .block(22, "Var/Noise", &[])
        .block(24, "model Child", &[])
        .block(26, "Math/Sum", &[("Signs", &["+-"])])
        .block(28, "Math/Gain", &[("Gain", &["3"])])
        .block(30, "exit y", &[])
        .block(32, "exit z", &[])
        .block(34, "exit loop", &[])
        .block(36, "Nonlinear/Relay", &[])
        .block(38, "exit relay", &[])
        .wires(
            "Main",
            &[
                ("10.Output", "16.Input 1"),
                ("14.Output", "16.Input 2"),
                ("16.Output", "12.Input"),
                ("12.Output", "14.Input"),
                ("12.Output", "18.Input"),
                ("12.Output", "30.Input"),
                ("18.Output", "20.Input"),
                ("20.Output", "24.u"),
                ("10.Output", "24.on"),
                ("24.sum", "32.Input"),
                ("22.Output", "26.Input 1"),
                ("28.Output", "26.Input 2"),
                ("26.Output", "28.Input"),
                ("26.Output", "34.Input"),
                ("10.Output", "36.Input"),
                ("36.Output", "38.Input"),
            ],
        );
    sketch.simulation.attributes.set("loops", "solve");
    sketch
}

/// Continues a run with another simulation.
fn edit(run: &mut Run, simulation: &Simulation, engine: &str) -> Migration {
    let mut next = Run::new(simulation, engine);
    let (context, migration) = run.context.migrate(&run.program, &next.program).expect("it goes on");
    next.context = context;
    *run = next;
    migration
}

fn exits(run: &Run) -> Vec<(String, Vec<u64>)> {
    let bits = |value: Option<Vec<f64>>| value.unwrap_or_default().iter().map(|value| value.to_bits()).collect();
    let mut exits: Vec<_> =
        run.context.exits(&run.program).into_iter().map(|(name, value)| (name.to_string(), bits(value))).collect();
    exits.sort();
    exits
}

#[test]
fn an_edit_that_changes_nothing_changes_no_bit() {
    for solver in SOLVERS {
        for engine in ENGINES {
            let simulation = plant(solver).simulation;
            let mut straight = Run::new(&simulation, engine);
            let mut edited = Run::new(&simulation, engine);
            for step in 0..60 {
                straight.steps(1);
                let migration = edit(&mut edited, &simulation, engine);
                assert!(!migration.is_solver_reset, "{solver} on {engine}");
                assert_eq!((migration.reset, migration.removed), (vec![], vec![]));
                assert_eq!(migration.kept, 14 + 5, "the blocks of both models, the model block left out");
                edited.steps(1);
                let bytes = |run: &Run| run.context.to_bytes(&run.program);
                assert!(bytes(&straight) == bytes(&edited), "{solver} on {engine} at step {step}");
            }
        }
    }
}

/// Blocks of all kinds are added and removed beside the plant, with ids before, between and after its own.
#[test]
fn what_stands_beside_changes_no_bit() {
    for solver in SOLVERS {
        for engine in ENGINES {
            let base = plant(solver).simulation;
            let mut straight = Run::new(&base, engine);
            let mut edited = Run::new(&base, engine);
            let beside = [
                plant(solver).block(1, "Var/Static", &[("Value", &["1", "2", "3"])]),
                plant(solver)
                    .block(1, "Var/Clock", &[])
                    .block(11, "Discrete/Delay", &[("Length", &["5"])])
                    .block(40, "exit other", &[])
                    .wires("Main", &[("1.Output", "11.Input"), ("11.Output", "40.Input")]),
                // An enabled model would have a condition that the solver locates.
                plant(solver).block_in("Beside", 0, "Discrete/Unit Delay", &[]).block(13, "model Beside", &[]).block(
                    3,
                    "Var/Noise",
                    &[],
                ),
                plant(solver),
            ];
            for (turn, sketch) in beside.iter().cycle().take(9).enumerate() {
                straight.steps(7);
                edited.steps(7);
                let migration = edit(&mut edited, &sketch.simulation, engine);
                assert!(!migration.is_solver_reset, "{solver} on {engine}: nothing that rates are made of");
                let here = exits(&edited);
                let of_plant = exits(&straight);
                let of_plant: Vec<_> = of_plant.iter().filter(|exit| !here.contains(exit)).collect();
                assert!(of_plant.is_empty(), "{solver} on {engine}, turn {turn}: {of_plant:?} in {here:?}");
            }
        }
    }
}

#[test]
fn a_model_may_be_renamed() {
    let simulation = plant("dopri45").simulation;
    let mut document = Document::new(simulation.clone(), Registry::standard());
    let rename = Edit::RenameModel { from: "Child".into(), to: "Boy".into() };
    document.apply(&Change::one("Rename", rename)).expect("it can be renamed");
    for engine in ENGINES {
        let (mut straight, mut edited) = (Run::new(&simulation, engine), Run::new(&simulation, engine));
        straight.steps(40);
        edited.steps(25);
        let migration = edit(&mut edited, document.simulation(), engine);
        assert_eq!((migration.reset, migration.removed), (vec![], vec![]));
        edited.steps(15);
        assert_eq!(exits(&edited), exits(&straight), "{engine}");
    }
}

fn ramp(gain: &str) -> Sketch {
    Sketch::new(1.0)
        .solver("euler")
        .block(0, "Var/Static", &[("Value", &["2"])])
        .block(1, "Math/Gain", &[("Gain", &[gain])])
        .block(2, "Math/Integrate", &[])
        .block(3, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
}

/// x grows by 2·gain per second.
#[test]
fn states_stay_where_their_sources_change() {
    for engine in ENGINES {
        let mut run = Run::new(&ramp("3").simulation, engine);
        run.steps(5);
        edit(&mut run, &ramp("-1").simulation, engine);
        assert_eq!(run.steps(1).exit("x"), [30.0], "{engine}: published before the rate");
        assert_eq!(run.steps(1).exit("x"), [28.0], "{engine}");
    }
}

#[test]
fn what_was_set_stays_unless_the_edit_changed_it() {
    for engine in ENGINES {
        let mut run = Run::new(&ramp("3").simulation, engine);
        let program = Arc::clone(&run.program);
        run.context.set_param(&program, &ParamAddress::new(&[], BlockId(1), "Gain"), &[10.0]).expect("it can change");
        run.steps(1);
        let migration = edit(&mut run, &ramp("3").block(7, "Var/Clock", &[]).simulation, engine);
        assert_eq!(migration.kept_params, 1);
        assert_eq!(run.steps(2).exit("x"), [40.0], "{engine}: 20 a step");
        let migration = edit(&mut run, &ramp("5").block(7, "Var/Clock", &[]).simulation, engine);
        assert_eq!(migration.kept_params, 0);
        assert_eq!(run.steps(2).exit("x"), [70.0], "{engine}: one more of 20, then 10");
    }
}

/// A solver whose last step reaches beyond the present must not use it where a parameter was set since, even if an edit
/// of something else comes between: x grows by 20 a step, no longer by 6.
#[test]
fn what_was_set_acts_at_once_where_an_edit_comes_between() {
    for solver in ["dopri45", "rodas34", "radau35"] {
        for engine in ENGINES {
            let mut run = Run::new(&ramp("3").solver(solver).simulation, engine);
            run.steps(5);
            let program = Arc::clone(&run.program);
            run.context
                .set_param(&program, &ParamAddress::new(&[], BlockId(1), "Gain"), &[10.0])
                .expect("it can change");
            let migration = edit(&mut run, &ramp("3").solver(solver).block(7, "Var/Clock", &[]).simulation, engine);
            assert!(!migration.is_solver_reset, "{solver} on {engine}");
            let x = run.trace("x", 3);
            let is_near = x.iter().zip([30.0, 50.0, 70.0]).all(|(x, want)| (x - want).abs() < 1e-9);
            assert!(is_near, "{solver} on {engine}: {x:?}");
        }
    }
}

#[test]
fn the_report_has_the_reset_and_the_removed_blocks() {
    let here = |id| BlockAddress::new(&[], BlockId(id));
    let reset = |id, reason| ResetBlock { block: here(id), reason };
    let mut run = Run::new(&ramp("3").block(5, "Discrete/Delay", &[("Length", &["4"])]).simulation, "simple");
    run.steps(5);
    let other = Sketch::new(1.0)
        .solver("euler")
        .block(1, "Math/Abs", &[])
        .block(2, "Math/Integrate", &[])
        .block(3, "exit x", &[])
        .block(5, "Discrete/Delay", &[("Length", &["3"])])
        .block(6, "Var/Clock", &[])
        .wires("Main", &[("6.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")]);
    let migration = edit(&mut run, &other.simulation, "simple");
    let want = [reset(1, ResetReason::OtherKind), reset(5, ResetReason::OtherStates), reset(6, ResetReason::New)];
    assert_eq!(migration.reset, want);
    assert_eq!(migration.removed, [here(0), here(1)]);
    assert_eq!(migration.kept, 2);
    assert_eq!(migration.to_string(), "2 blocks keep their state, 3 are reset, 2 are removed");
    assert_eq!(run.steps(1).exit("x"), [30.0]);
    assert_eq!(run.steps(1).exit("x"), [35.0], "the clock stands at 5");
}

/// A disconnected block no longer has a value, as in a run from the start.
#[test]
fn what_no_longer_runs_has_no_value() {
    for engine in ENGINES {
        let mut run = Run::new(&ramp("3").simulation, engine);
        run.steps(2);
        let mut cut = ramp("3").simulation;
        cut.model_mut("Main").expect("the model").connections.clear();
        edit(&mut run, &cut, engine);
        run.steps(1);
        assert_eq!(run.exit_if_set("x"), None, "{engine}");
    }
}

/// A solver whose rates are computed differently must not use its dense output.
#[test]
fn a_solver_restarts_where_rates_are_computed_differently() {
    let mut run = Run::new(&ramp("3").solver("dopri45").simulation, "compiled");
    run.steps(5);
    let migration = edit(&mut run, &ramp("-3").solver("dopri45").simulation, "compiled");
    assert!(migration.is_solver_reset);
    run.steps(6);
    assert!((run.exit("x")[0] - 0.0).abs() < 1e-9, "30 up, 30 down: {:?}", run.exit("x"));
}

/// Another solver with the same tolerances, and the same solver with another tolerance or limit.
#[test]
fn a_solver_restarts_where_it_or_a_tolerance_is_another() {
    let with = |solver: &str, attributes: &[(&str, &str)]| {
        let mut simulation = ramp("3").solver(solver).simulation;
        attributes.iter().for_each(|(name, value)| simulation.attributes.set(name, value));
        simulation
    };
    let before = with("dopri45", &[]);
    for (other, is_reset) in [
        (before.clone(), false),
        (with("dopri45", &[("title", "Ramp")]), false),
        (with("rodas34", &[]), true),
        (with("dopri45", &[("rtol", "1e-4")]), true),
        (with("dopri45", &[("atol", "1e-5")]), true),
        (with("dopri45", &[("max-step", "0.5")]), true),
        (with("dopri45", &[("max-steps", "77")]), true),
    ] {
        let mut run = Run::new(&before, "compiled");
        run.steps(5);
        assert_eq!(edit(&mut run, &other, "compiled").is_solver_reset, is_reset, "{:?}", other.attributes);
    }
}

/// Another function or another source, with the same parameters: x' = cos 0.5 and then sin 0.5, or 2 and then 5.
#[test]
fn a_solver_restarts_with_another_function_or_source() {
    let waved = |function: &str| {
        Sketch::new(1.0)
            .solver("dopri45")
            .block(0, "Var/Static", &[("Value", &["0.5"])])
            .block(1, "Math/Trigonometry", &[("Function", &[function])])
            .block(2, "Math/Integrate", &[])
            .block(3, "exit x", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
    };
    let fed = |source: &str| {
        Sketch::new(1.0)
            .solver("dopri45")
            .block(0, "Var/Static", &[("Value", &["2"])])
            .block(4, "Var/Static", &[("Value", &["5"])])
            .block(2, "Math/Integrate", &[])
            .block(3, "exit x", &[])
            .wires("Main", &[(source, "2.Input"), ("2.Output", "3.Input")])
    };
    let (sine, cosine) = 0.5f64.sin_cos();
    for (one, other, rates) in
        [(waved("cos"), waved("sin"), [cosine, sine]), (fed("0.Output"), fed("4.Output"), [2.0, 5.0])]
    {
        let mut run = Run::new(&one.simulation, "compiled");
        run.steps(5);
        assert!(!edit(&mut run, &one.simulation, "compiled").is_solver_reset);
        assert!(edit(&mut run, &other.simulation, "compiled").is_solver_reset);
        let want = 5.0 * rates[0] + 5.0 * rates[1];
        let got = run.steps(6).exit("x")[0];
        assert!((got - want).abs() < 1e-9, "{got}, not {want}");
    }
}

#[test]
fn another_step_length_is_refused() {
    let mut other = ramp("3").simulation;
    other.delta = 0.5;
    let (run, other) = (ramp("3").run(), compile(&other, &Registry::standard()).expect("it compiles"));
    let error = run.context.migrate(&run.program, &other).map(drop);
    assert_eq!(error, Err(MigrationError::Delta { from: 1.0, to: 0.5 }));
}

/// Only the first input of the sum has another source, and all blocks still run: x' = 2 + 5 and then 5 + 5.
#[test]
fn a_solver_restarts_where_a_first_input_has_another_source() {
    let fed = |source: &str| {
        Sketch::new(1.0)
            .solver("dopri45")
            .block(0, "Var/Static", &[("Value", &["2"])])
            .block(1, "Var/Static", &[("Value", &["5"])])
            .block(2, "Math/Sum", &[("Signs", &["++"])])
            .block(3, "Math/Integrate", &[])
            .block(4, "Math/Integrate", &[])
            .block(5, "exit x", &[])
            .wires("Main", &[(source, "2.Input 1"), ("1.Output", "2.Input 2"), ("2.Output", "3.Input")])
            .wires("Main", &[("0.Output", "4.Input"), ("3.Output", "5.Input")])
    };
    let mut run = Run::new(&fed("0.Output").simulation, "compiled");
    run.steps(5);
    assert!(edit(&mut run, &fed("1.Output").simulation, "compiled").is_solver_reset);
    let got = run.steps(6).exit("x")[0];
    assert!((got - 85.0).abs() < 1e-9, "{got}");
}

/// Each program has function objects of its own.
#[test]
fn a_solver_goes_on_with_the_same_function() {
    let sketch = Sketch::new(1.0)
        .solver("dopri45")
        .block(0, "Var/Static", &[("Value", &["2"])])
        .block(1, "Matrix/Singular Values", &[])
        .block(2, "Math/Integrate", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
    let mut run = Run::new(&sketch.simulation, "compiled");
    run.steps(5);
    assert!(!edit(&mut run, &sketch.simulation, "compiled").is_solver_reset);
}

/// Whether a condition is new, and whether a subsystem ran in the step before, is remembered outside of its blocks: an
/// edit neither triggers nor resets it.
#[test]
fn an_edit_does_not_run_or_reset_a_conditional_subsystem() {
    type Case<'a> = (&'a [(&'a str, &'a str)], [f64; 9]);
    let roles: [Case; 3] = [
        (&[("role", "trigger")], [0.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0]),
        (&[("role", "enable"), ("states", "reset")], [0.0, 1.0, 2.0, 3.0, 3.0, 1.0, 2.0, 3.0, 4.0]),
        (&[("role", "enable"), ("states", "hold")], [0.0, 1.0, 2.0, 3.0, 3.0, 4.0, 5.0, 6.0, 7.0]),
    ];
    for (role, want) in roles {
        let simulation = Sketch::new(1.0)
            .source(1, &[0.0, 1.0, 1.0, 1.0, 0.0, 1.0])
            .block(20, "model Part", &[])
            .block(30, "exit runs", &[])
            .wires("Main", &[("1.Output", "20.on"), ("20.runs", "30.Input")])
            .block_in("Part", 0, "entry on", &[])
            .mark("Part", 0, role)
            .block_in("Part", 1, "Var/Static", &[])
            .block_in("Part", 2, "Math/Sum", &[])
            .block_in("Part", 3, "Discrete/Unit Delay", &[])
            .block_in("Part", 4, "exit runs", &[])
            .wires("Part", &[("1.Output", "2.Input 1"), ("3.Output", "2.Input 2"), ("2.Output", "3.Input")])
            .wires("Part", &[("2.Output", "4.Input")])
            .simulation;
        for engine in ENGINES {
            let mut run = Run::new(&simulation, engine);
            for (step, want) in want.into_iter().enumerate() {
                assert_eq!(run.steps(1).exit("runs"), [want], "{role:?} on {engine}, step {step}");
                edit(&mut run, &simulation, engine);
            }
        }
    }
}
