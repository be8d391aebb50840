//! Algebraic loops in simulations that solve them.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Context, Engines, Samples, TierUp, compile, examine};
use simulate::model::{Block, BlockAddress, BlockId, BlockKind, Change, Connection, Document, Edit, EditError, Model};

use crate::sketch::odes::Net;
use crate::sketch::{Run, Sketch, is_close};

const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];

/// x = a - b·x: x = a/(1 + b).
fn feedback(loops: &str) -> Sketch {
    let mut sketch = Sketch::new(0.1)
        .block(0, "Var/Clock", &[])
        .block(1, "Math/Sum", &[("Signs", &["+-"])])
        .block(2, "Math/Gain", &[("Gain", &["3"])])
        .block(3, "exit x", &[])
        .wire("0.Output", "1.Input 1")
        .wire("2.Output", "1.Input 2")
        .wire("1.Output", "2.Input")
        .wire("1.Output", "3.Input");
    sketch.simulation.attributes.set("loops", loops);
    sketch
}

#[test]
fn a_linear_loop_is_solved() {
    for engine in ENGINES {
        let mut run = Run::new(&feedback("solve").simulation, engine);
        for step in 0..50 {
            let got = run.steps(1).exit("x")[0];
            assert!(is_close(got, f64::from(step) * 0.1 / 4.0), "{engine}");
        }
    }
}

#[test]
fn loops_are_refused_unless_the_simulation_says_otherwise() {
    let found = compile(&feedback("refuse").simulation, &Registry::standard()).expect_err("refused");
    assert!(found.iter().any(|problem| problem.code == "loop"), "{found:?}");
    let found = compile(&feedback("maybe").simulation, &Registry::standard()).expect_err("refused");
    assert!(found.iter().any(|problem| problem.code == "bad-attribute"), "{found:?}");
}

#[test]
fn a_wire_may_close_a_loop_that_is_solved() {
    for (loops, is_refused) in [("refuse", true), ("solve", false)] {
        let mut simulation = feedback(loops).simulation;
        let key = simulate::model::InputKey::new(simulate::model::BlockId(2), "Input");
        let model = simulation.model_mut("Main").expect("the model");
        let wire = model.connections.remove(&key).expect("the wire");
        let mut document = Document::new(simulation, Registry::standard());
        let connection = Connection::new(wire.from, &wire.output, wire.to, &wire.input);
        let change = Change::one("Connect", Edit::Connect { model: "Main".into(), connection: Box::new(connection) });
        let refused = matches!(document.apply(&change), Err(EditError::AlgebraicLoop(_)));
        assert_eq!(refused, is_refused, "{loops}");
    }
}

/// x = cos x.
#[test]
fn a_nonlinear_loop_is_solved() {
    for engine in ENGINES {
        let mut sketch = Sketch::new(1.0)
            .block(0, "Math/Trigonometry", &[("Function", &["cos"])])
            .block(1, "exit x", &[])
            .wire("0.Output", "0.Input")
            .wire("0.Output", "1.Input");
        sketch.simulation.attributes.set("loops", "solve");
        let mut run = Run::new(&sketch.simulation, engine);
        let got = run.steps(3).exit("x")[0];
        // Dottie's number, OEIS A003957.
        assert!((got - 0.739_085_133_215_160_6).abs() < 1e-15, "{engine}: {got}");
    }
}

/// Two crossed loops on vectors: x = u - 0.5·y, y = x + [1, 2, 3] - 0.25·x.
#[test]
fn crossed_loops_of_vectors_are_solved() {
    for engine in ENGINES {
        let mut sketch = Sketch::new(1.0)
            .block(0, "Var/Static", &[("Value", &["4", "5", "6"])])
            .block(1, "Math/Sum", &[("Signs", &["+-"])])
            .block(2, "Math/Gain", &[("Gain", &["0.5"])])
            .block(3, "Var/Static", &[("Value", &["1", "2", "3"])])
            .block(4, "Math/Sum", &[("Signs", &["++-"])])
            .block(5, "Math/Gain", &[("Gain", &["0.25"])])
            .block(6, "exit x", &[])
            .block(7, "exit y", &[])
            .wire("0.Output", "1.Input 1")
            .wire("2.Output", "1.Input 2")
            .wire("4.Output", "2.Input")
            .wire("1.Output", "4.Input 1")
            .wire("3.Output", "4.Input 2")
            .wire("5.Output", "4.Input 3")
            .wire("1.Output", "5.Input")
            .wire("1.Output", "6.Input")
            .wire("4.Output", "7.Input");
        sketch.simulation.attributes.set("loops", "solve");
        let mut run = Run::new(&sketch.simulation, engine);
        run.steps(2);
        let (x, y) = (run.exit("x"), run.exit("y"));
        for (lane, (u, c)) in [(4.0, 1.0), (5.0, 2.0), (6.0, 3.0)].into_iter().enumerate() {
            let want: f64 = (u - 0.5 * c) / 1.375;
            assert!(is_close(x[lane], want), "{engine}");
            assert!(is_close(y[lane], 0.75 * want + c), "{engine}");
        }
    }
}

/// z' = w, w = -z - w³, with every solver; compared with Cardano's formula for w.
fn implicit(net: &mut Net) {
    let z = net.state("z", 1.0);
    // The sum's inputs are the state and the cube; the cube reads the sum.
    let sum = net.add("Math/Sum", &[("Signs", &["--"])], &[("Input 1", &z)]);
    let cube = net.product(&[&sum, &sum, &sum]);
    net.wire(&cube, &sum, "Input 2");
    net.rate(&z, &sum);
    net.exit("w", &sum);
}

/// The time in which z falls from 1 is an integral over w: dt = dz/w and z = -w - w³, so dt = -(1 + 3w²)/w dw.
#[test]
fn solvers_see_through_a_loop() {
    // w at the begin: w³ + w + 1 = 0.
    let first: f64 = -0.682_327_803_828_019_3;
    let time = |w: f64| -((w.abs().ln() + 1.5 * w * w) - (first.abs().ln() + 1.5 * first * first));
    for solver in ["rk4", "dopri8", "trapezoidal", "rodas4", "dopri45", "rodas34", "radau35"] {
        let mut bits = Vec::new();
        for engine in ENGINES {
            let mut net = Net::new(0.01).attribute("solver", solver).attribute("loops", "solve");
            net = net.attribute("rtol", "1e-9").attribute("atol", "1e-12");
            implicit(&mut net);
            let mut run = net.run(engine);
            run.steps(101);
            let w = run.exit("w")[0];
            let error = (time(w) - 1.0).abs();
            assert!(error < if solver == "trapezoidal" { 1e-4 } else { 1e-8 }, "{solver}, {engine}: {error:e}");
            bits.push(w.to_bits());
        }
        assert!(bits.windows(2).all(|pair| pair[0] == pair[1]), "{solver}: the same bits on every engine");
    }
}

/// x = x² + 1 has no real solution.
#[test]
fn a_loop_without_a_solution_names_its_blocks() {
    let mut sketch = Sketch::new(0.5)
        .block(0, "Var/Clock", &[])
        .block(1, "Math/Sum", &[])
        .block(2, "Math/Function", &[("Function", &["square"])])
        .wire("0.Output", "1.Input 1")
        .wire("2.Output", "1.Input 2")
        .wire("1.Output", "2.Input");
    sketch.simulation.attributes.set("loops", "solve");
    let program = Arc::new(compile(&sketch.simulation, &Registry::standard()).expect("it compiles"));
    for engine in ENGINES {
        let mut context = Context::new(&program);
        let mut execute =
            Engines::with(TierUp::Wait).get(engine).expect("the engine").prepare(&program).expect("it runs");
        let error = execute.run(&mut context, 10, &mut Samples::default()).expect_err("no solution from 0.25 s on");
        // At 0 s the equation is x = x², at 0.5 s x = x² + 0.5.
        assert_eq!((error.step, context.step), (1, 1), "{engine}");
        assert!(
            error.problem.ends_with("close the loop of Function #2 of “Main”, Sum #1 of “Main”"),
            "{engine}: {}",
            error.problem
        );
        assert_eq!(error.block, Some(BlockAddress::new(&[], BlockId(2))), "the first that is named");
    }
}

/// 1/(0·y) is infinite for every guess, and y + 1 changes as y does: nothing leads to a solution.
#[test]
fn a_loop_that_leads_nowhere_names_its_blocks() {
    for formula in ["z = 1/(0*y)", "z = y + 1"] {
        let mut sketch = Sketch::new(1.0)
            .block(1, "User/Formula", &[("Inputs", &["y"]), ("Formula", &[formula])])
            .block(2, "Math/Gain", &[])
            .wires("Main", &[("2.Output", "1.y"), ("1.z", "2.Input")]);
        sketch.simulation.attributes.set("loops", "solve");
        for engine in ENGINES {
            let error = Run::new(&sketch.simulation, engine).try_steps(1).expect_err("it has no solution");
            assert!(error.problem.starts_with("no values are found that close the loop"), "{formula}: {error}");
            assert_eq!(error.step, 0);
        }
    }
}

/// z = a·cos(k·y)/k with y = z: 0 is there at once, Dottie's number (OEIS A003957) takes some iterations, and a millionth
/// of it as many. No element is given up when another has arrived.
#[test]
fn each_element_of_a_loop_is_solved_to_the_last_digits() {
    let mut sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["0", "1", "1"])])
        .block(1, "Var/Static", &[("Value", &["1", "1", "1e6"])])
        .block(2, "User/Formula", &[("Inputs", &["y a k"]), ("Formula", &["z = a.*cos(k.*y)./k"])])
        .block(3, "Math/Gain", &[])
        .block(4, "exit z", &[])
        .wires("Main", &[("0.Output", "2.a"), ("1.Output", "2.k"), ("3.Output", "2.y"), ("2.z", "3.Input")])
        .wires("Main", &[("2.z", "4.Input")]);
    sketch.simulation.attributes.set("loops", "solve");
    let dottie = 0.739_085_133_215_160_6;
    for engine in ENGINES {
        let found = Run::new(&sketch.simulation, engine).steps(1).exit("z");
        for (got, want) in found.iter().zip([0.0, dottie, dottie * 1e-6]) {
            assert!((got - want).abs() <= 4.0 * f64::EPSILON * want, "{engine}: {found:?}");
        }
    }
}

/// z = a·y² + 1 has the solution 1 for a = 0, and none for a = 1.3: neither alone nor beside the other.
#[test]
fn a_loop_is_not_solved_where_one_of_its_elements_is_not() {
    for values in [&["1.3"][..], &["0", "1.3"], &["1.3", "0"]] {
        let mut sketch = Sketch::new(1.0)
            .block(0, "Var/Static", &[("Value", values)])
            .block(1, "User/Formula", &[("Inputs", &["y a"]), ("Formula", &["z = a.*y.*y + 1"])])
            .block(2, "Math/Gain", &[])
            .wires("Main", &[("0.Output", "1.a"), ("2.Output", "1.y"), ("1.z", "2.Input")]);
        sketch.simulation.attributes.set("loops", "solve");
        for engine in ENGINES {
            let error = Run::new(&sketch.simulation, engine).try_steps(1).expect_err("it has no solution");
            assert!(error.problem.starts_with("no values are found that close the loop"), "{values:?}: {error}");
        }
    }
}

/// x = t - 3·x in a model that is enabled in every second step, with a state behind the loop; y counts its runs.
fn enabled_loop(solver: &str) -> Sketch {
    let mut sketch = Sketch::new(0.1)
        .solver(solver)
        .block(0, "Var/Clock", &[])
        .block(1, "Var/Pulse", &[("Period", &["0.2"])])
        .block(2, "model Part", &[])
        .block(3, "exit x", &[])
        .block(4, "exit z", &[])
        .wire("0.Output", "2.t")
        .wire("1.Output", "2.on")
        .wire("2.x", "3.Input")
        .wire("2.z", "4.Input")
        .block_in("Part", 0, "entry t", &[])
        .block_in("Part", 1, "entry on", &[])
        .block_in("Part", 2, "Math/Sum", &[("Signs", &["+-"])])
        .block_in("Part", 3, "Math/Gain", &[("Gain", &["3"])])
        .block_in("Part", 4, "Math/Integrate", &[])
        .block_in("Part", 5, "exit x", &[])
        .block_in("Part", 6, "exit z", &[])
        .wire_in("Part", "0.Output", "2.Input 1")
        .wire_in("Part", "3.Output", "2.Input 2")
        .wire_in("Part", "2.Output", "3.Input")
        .wire_in("Part", "2.Output", "4.Input")
        .wire_in("Part", "2.Output", "5.Input")
        .wire_in("Part", "4.Output", "6.Input");
    let part = sketch.simulation.model_mut("Part").expect("the model");
    part.block_mut(simulate::model::BlockId(1)).expect("the entry").attributes.set("role", "enable");
    sketch.simulation.attributes.set("loops", "solve");
    sketch
}

#[test]
fn a_loop_within_a_conditional_subsystem_is_solved_when_that_runs() {
    for solver in ["euler", "rk4", "trapezoidal", "dopri45"] {
        let mut bits: Vec<Vec<u64>> = Vec::new();
        for engine in ["simple", "flat", "compiled", "threaded"] {
            let mut run = Run::new(&enabled_loop(solver).simulation, engine);
            let mut seen = Vec::new();
            for step in 0..40 {
                let got = run.steps(1).exit("x")[0];
                // The last solution is held while the subsystem is idle; with variable steps that of the edge.
                let last = if solver == "dopri45" { step } else { step - step % 2 };
                let last = f64::from(last) * 0.1;
                assert!(is_close(got, last / 4.0), "{solver}, {engine}, step {step}: {got}");
                seen.extend([got.to_bits(), run.exit("z")[0].to_bits()]);
            }
            bits.push(seen);
        }
        assert!(bits.windows(2).all(|pair| pair[0] == pair[1]), "{solver}: the same bits on every engine");
    }
}

#[test]
fn a_loop_through_a_conditional_or_within_an_iterated_subsystem_is_refused() {
    // From the exit of the subsystem back to its entry.
    let mut outside = enabled_loop("rk4");
    let main = outside.simulation.model_mut("Main").expect("the model");
    main.connect(Connection::new(simulate::model::BlockId(2), "x", simulate::model::BlockId(2), "t"));
    let mut iterated = enabled_loop("rk4");
    let part = iterated.simulation.model_mut("Part").expect("the model");
    part.remove_block(simulate::model::BlockId(4));
    part.remove_block(simulate::model::BlockId(6));
    part.block_mut(simulate::model::BlockId(1)).expect("the entry").attributes.set("role", "for");
    iterated.simulation.model_mut("Main").expect("the model").remove_block(simulate::model::BlockId(4));
    for sketch in [outside, iterated] {
        let found = compile(&sketch.simulation, &Registry::standard()).expect_err("refused");
        assert!(found.iter().any(|problem| problem.code == "loop" && problem.location.block.is_some()), "{found:#?}");
    }
}

/// A demultiplexer of two elements does not accept a scalar: its tape exists for the real widths only.
#[test]
fn a_ring_through_blocks_that_need_a_vector_is_refused_with_every_hop() {
    let ring = |inside: &[(&str, &str)]| {
        let sketch = Sketch::new(1.0)
            .block(1, "Routing/Mux", &[])
            .block(2, "model Split", &[])
            .block(3, "Var/Static", &[])
            .block(4, "Math/Gain", &[])
            .block(5, "exit y", &[])
            .block_in("Split", 0, "entry u", &[])
            .block_in("Split", 1, "Routing/Demux", &[("Widths", &["1", "1"])])
            .block_in("Split", 2, "exit a", &[])
            .block_in("Split", 3, "exit b", &[])
            .block_in("Split", 4, "entry on", &[])
            .wire_in("Split", "0.Output", "1.Input")
            .wire_in("Split", "1.Output 1", "2.Input")
            .wire_in("Split", "1.Output 2", "3.Input")
            .wire("3.Output", "1.Input 1")
            .wire("1.Output", "2.u")
            .wire("3.Output", "2.on")
            .wire("2.a", "4.Input")
            .wire("4.Output", "1.Input 2")
            .wire("2.b", "5.Input");
        let mut simulation = sketch.simulation;
        let entry = simulation.model_mut("Split").expect("the model").block_mut(BlockId(4)).expect("the entry");
        inside.iter().for_each(|(name, value)| entry.attributes.set(name, value));
        simulation
    };
    for inside in [&[][..], &[("role", "enable")], &[("role", "for")]] {
        let found = compile(&ring(inside), &Registry::standard()).expect_err("it is refused");
        let [problem] = &found[..] else { panic!("{found:#?}") };
        assert_eq!(problem.code, "loop");
        let way = problem.message.rsplit_once(": ").expect("the hops").1;
        let mut hops: Vec<&str> = way.split(" → ").collect();
        assert_eq!(hops.pop(), hops.first().copied(), "the way ends where it begins: {way}");
        hops.sort_unstable();
        assert_eq!(hops, ["Gain #4", "Mux #1", "Split #2"], "{inside:?}");
        let mut wires: Vec<(i128, &str)> =
            problem.location.wires.iter().map(|wire| (wire.block.0, &*wire.input)).collect();
        wires.sort_unstable();
        assert_eq!(wires, [(1, "Input 2"), (2, "u"), (4, "Input")]);
    }
    // In nested instances the message is about the model that contains the whole loop.
    let mut simulation = ring(&[]);
    simulation.add_model(Model::new("Top"));
    let top = simulation.model_mut("Top").expect("the model");
    top.add_block(Block::new(BlockId(1), BlockKind::model("Main")));
    top.add_block(Block::new(BlockId(2), BlockKind::model("Main")));
    simulation.root = "Top".into();
    let found = compile(&simulation, &Registry::standard()).expect_err("it is refused");
    let told: Vec<&str> = found.iter().filter(|found| found.is_error()).map(|found| found.code).collect();
    assert_eq!((told, found[0].location.model.as_deref()), (vec!["loop"], Some("Main")));
}

/// An atomic subsystem ends when all of its blocks have run: the output of a delay inside also waits for the input.
#[test]
fn a_loop_around_an_atomic_subsystem_is_refused_and_not_solved() {
    let sketch = Sketch::new(1.0)
        .block(1, "model Part", &[])
        .block(2, "Math/Gain", &[])
        .block_in("Part", 0, "entry u", &[])
        .block_in("Part", 1, "Discrete/Unit Delay", &[])
        .block_in("Part", 2, "exit y", &[])
        .block_in("Part", 3, "entry on", &[])
        .wire_in("Part", "0.Output", "1.Input")
        .wire_in("Part", "1.Output", "2.Input")
        .block(3, "Var/Static", &[])
        .wire("3.Output", "1.on")
        .wire("1.y", "2.Input")
        .wire("2.Output", "1.u");
    let mut simulation = sketch.simulation;
    let entry = simulation.model_mut("Part").expect("the model").block_mut(BlockId(3)).expect("the entry");
    entry.attributes.set("role", "enable");
    for loops in ["refuse", "solve"] {
        simulation.attributes.set("loops", loops);
        let found = compile(&simulation, &Registry::standard()).expect_err("it is refused");
        assert!(found.iter().any(|problem| problem.code == "loop" && problem.is_error()), "{loops}: {found:?}");
    }
}

/// A loop in a model without instances prevents nothing from running, but is reported.
#[test]
fn a_loop_in_a_model_that_is_not_used_is_a_warning() {
    let sketch = Sketch::new(1.0)
        .block(1, "Var/Static", &[])
        .block(2, "exit y", &[])
        .wire("1.Output", "2.Input")
        .block_in("Idle", 1, "Math/Gain", &[])
        .wire_in("Idle", "1.Output", "1.Input");
    let (found, program) = examine(&sketch.simulation, &Registry::standard());
    assert!(program.is_some(), "{found:?}");
    let told = found.iter().find(|found| found.code == "loop").expect("it is told");
    assert!(!told.is_error() && told.location.model.as_deref() == Some("Idle"), "{told:?}");
}

/// Width errors without a loop do not mention one; with a loop they name a block on it.
#[test]
fn what_is_too_wide_is_not_said_to_go_round_a_loop() {
    let wide = vec!["[1:1000000]"];
    let sketch = (0..5).fold(Sketch::new(1.0).block(9, "Routing/Mux", &[("Inputs", &["5"])]), |sketch, input| {
        let wire = (format!("{input}.Output"), format!("9.Input {}", input + 1));
        sketch.block(input, "Var/Static", &[("Value", &wide)]).wire(&wire.0, &wire.1)
    });
    let found = compile(&sketch.simulation, &Registry::standard()).expect_err("it is refused");
    let [problem] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(problem.code, "too-large");
    assert!(problem.message.contains("5000000") && !problem.message.contains("loop"), "{}", problem.message);
    // Mux 1 joins its delayed output to itself; the gain behind it only gets the width.
    let sketch = Sketch::new(1.0)
        .block(0, "Math/Gain", &[])
        .block(1, "Routing/Mux", &[])
        .block(2, "Discrete/Unit Delay", &[])
        .block(3, "Var/Static", &[])
        .wire("3.Output", "1.Input 1")
        .wire("2.Output", "1.Input 2")
        .wire("1.Output", "2.Input")
        .wire("2.Output", "0.Input");
    let found = compile(&sketch.simulation, &Registry::standard()).expect_err("it is refused");
    let found: Vec<_> = found.iter().filter(|found| found.is_error()).collect();
    assert!(found.iter().any(|found| found.message.contains("grows without end")), "{found:?}");
    let blocks: Vec<Option<BlockId>> = found.iter().map(|found| found.location.block).collect();
    assert!(!blocks.contains(&Some(BlockId(0))), "{found:?}");
}

/// The loop is fed by stairs: y = u/4, and x' = y, or 3·y from the other block of the loop. A solver must not make a
/// step across several stairs.
#[test]
fn a_solver_ends_its_steps_where_the_input_of_a_loop_changes() {
    for (engine, (from, factor)) in ENGINES.into_iter().flat_map(|engine| [(engine, (1, 1.0)), (engine, (2, 3.0))]) {
        let mut sketch = Sketch::new(1.0)
            .solver("dopri45")
            .block(0, "Var/Repeating Stair", &[("Values", &["4", "8", "0", "12"])])
            .block(1, "Math/Sum", &[("Signs", &["+-"])])
            .block(2, "Math/Gain", &[("Gain", &["3"])])
            .block(3, "Math/Integrate", &[])
            .block(4, "exit x", &[])
            .wires("Main", &[("0.Output", "1.Input 1"), ("2.Output", "1.Input 2"), ("1.Output", "2.Input")])
            .wires("Main", &[(&format!("{from}.Output"), "3.Input"), ("3.Output", "4.Input")]);
        sketch.simulation.attributes.set("loops", "solve");
        let trace = Run::new(&sketch.simulation, engine).trace("x", 9);
        let want = [0.0, 1.0, 3.0, 3.0, 6.0, 7.0, 9.0, 9.0, 12.0].map(|x| factor * x);
        assert!(trace.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-9), "{engine}, {from}: {trace:?}");
    }
}

/// What changes from step to step is in a member of the loop: the state of an integrator of samples, or the past values
/// of a delay. x' = y must be the sum of the values that y has in the steps, which a recurrence by hand gives.
#[test]
fn a_solver_ends_its_steps_where_a_member_of_a_loop_changes() {
    const STEPS: usize = 12;
    // u = 1 - y/2 with y = s + u, where s is the sum of the u before.
    let mut summed = Vec::new();
    let mut sum = 0.0;
    for _ in 0..STEPS {
        let y = (sum + 1.0) / 1.5;
        summed.push(y);
        sum += 1.0 - 0.5 * y;
    }
    // u = 1 - y/2 with y = u two steps before.
    let mut delayed = vec![0.0, 0.0];
    for step in 0..STEPS - 2 {
        delayed.push(1.0 - 0.5 * delayed[step]);
    }
    let integrator: (&str, &[(&str, &[&str])]) = ("Discrete/Discrete-Time Integrator", &[("Method", &["backward"])]);
    let members = [(integrator, summed), (("Discrete/Variable Integer Delay", &[]), delayed)];
    // The rate comes from the member with the state, from the gain behind it, or from the sum before it.
    type Rate = fn(f64) -> f64;
    let rates: [(u64, Rate); 3] = [(2, |y| y), (3, |y| 0.5 * y), (1, |y| 1.0 - 0.5 * y)];
    for ((member, values), (from, rate)) in members.iter().flat_map(|member| rates.map(|rate| (member, rate))) {
        let mut sketch = Sketch::new(1.0)
            .block(0, "Var/Static", &[("Value", &["1"])])
            .block(1, "Math/Sum", &[("Signs", &["+-"])])
            .block(2, member.0, member.1)
            .block(3, "Math/Gain", &[("Gain", &["0.5"])])
            .block(4, "Math/Integrate", &[])
            .block(5, "exit x", &[])
            .wires("Main", &[("0.Output", "1.Input 1"), ("3.Output", "1.Input 2"), ("1.Output", "2.Input")])
            .wires("Main", &[("2.Output", "3.Input"), ("4.Output", "5.Input")])
            .wire(&format!("{from}.Output"), "4.Input");
        if member.0.ends_with("Delay") {
            sketch = sketch.block(6, "Var/Static", &[("Value", &["2"])]).wire("6.Output", "2.Delay");
        }
        sketch.simulation.attributes.set("loops", "solve");
        for solver in ["euler", "dopri45", "rodas34", "radau35"] {
            let sketch = Sketch { simulation: sketch.simulation.clone() }.solver(solver);
            for engine in ENGINES {
                let got = Run::new(&sketch.simulation, engine).steps(STEPS as u64).exit("x")[0];
                let want: f64 = values[..STEPS - 1].iter().map(|y| rate(*y)).sum();
                assert!((got - want).abs() < 1e-9, "{}, {from}, {solver}, {engine}: {got}, not {want}", member.0);
            }
        }
    }
}

/// In the first step y = 3, then y³ = 3·y, which has three solutions: √3 is near the last one, 0 near none at all. The
/// last one belongs to the context, not to the engine that computed it.
#[test]
fn a_loop_is_solved_from_its_last_solution() {
    let mut sketch = Sketch::new(1.0)
        .source(1, &[1.0, 0.0])
        .block(2, "User/Formula", &[("Inputs", &["y u"]), ("Formula", &["z = if(u > 0, 3, y - 0.1*(y^3 - 3*y))"])])
        .block(3, "Math/Gain", &[])
        .block(4, "exit y", &[])
        .wires("Main", &[("1.Output", "2.u"), ("3.Output", "2.y"), ("2.z", "3.Input"), ("3.Output", "4.Input")]);
    sketch.simulation.attributes.set("loops", "solve");
    for solver in ["euler", "rk4", "dopri45"] {
        let sketch = Sketch { simulation: sketch.simulation.clone() }.solver(solver);
        for engine in ENGINES {
            let mut at_once = Run::new(&sketch.simulation, engine);
            assert!((at_once.steps(5).exit("y")[0] - 3f64.sqrt()).abs() < 1e-9, "{solver}, {engine}");
            let mut context = Run::new(&sketch.simulation, engine).context;
            for _ in 0..5 {
                let mut run = Run::new(&sketch.simulation, engine);
                run.context = context;
                run.steps(1);
                context = run.context;
            }
            assert_eq!(context.values, at_once.context.values, "{solver}, {engine}: an engine for each step");
        }
    }
}

/// A filter with direct feedthrough in the loop has a state that its output depends on: y = (2s + 3)/(s + 5)·(1 - y/2)
/// is (2s + 3)/(2s + 6.5), whose step response is 6/13 + 7/13·exp(-3.25·t).
#[test]
fn a_member_of_a_loop_may_have_a_continuous_state() {
    let filter: &[(&str, &[&str])] = &[("Numerator", &["2", "3"]), ("Denominator", &["1", "5"])];
    let mut sketch = Sketch::new(0.01)
        .block(0, "Var/Static", &[("Value", &["1"])])
        .block(1, "Math/Sum", &[("Signs", &["+-"])])
        .block(2, "Continuous/Transfer Function", filter)
        .block(3, "Math/Gain", &[("Gain", &["0.5"])])
        .block(4, "exit y", &[])
        .wires("Main", &[("0.Output", "1.Input 1"), ("3.Output", "1.Input 2"), ("1.Output", "2.Input")])
        .wires("Main", &[("2.Output", "3.Input"), ("2.Output", "4.Input")]);
    sketch.simulation.attributes.set("loops", "solve");
    for solver in ["rk4", "dopri45", "rodas34", "backward-euler"] {
        let sketch = Sketch { simulation: sketch.simulation.clone() }.solver(solver);
        let tolerance = if solver == "backward-euler" { 1e-2 } else { 1e-3 };
        for engine in ENGINES {
            let trace = Run::new(&sketch.simulation, engine).trace("y", 150);
            for (step, got) in trace.into_iter().enumerate() {
                let want = 6.0 / 13.0 + 7.0 / 13.0 * f64::exp(-0.0325 * step as f64);
                assert!((got - want).abs() < tolerance, "{solver}, {engine}, step {step}: {got}, not {want}");
            }
        }
    }
}

/// z = 0.5·y + c and z = c - 2·y with y = z, computed with rounding errors of 1e-12 to 1e-11 of their size: Newton's method cannot
/// come nearer, and of the second there are values c for which no z comes back as it was.
#[test]
fn a_loop_is_solved_as_far_as_rounding_allows() {
    let values: Vec<f64> = (0..12).map(|element| 1e6 + 1234.567 * f64::from(element * element) + 0.123).collect();
    let texts: Vec<String> = values.iter().map(f64::to_string).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for (formula, part) in [
        ("z = (0.5*y + c + 1e10) - 1e10", 2.0),
        ("z = (c - 2*y + 1e10) - 1e10", 1.0 / 3.0),
        ("z = (c - 2*y + 1e11) - 1e11", 1.0 / 3.0),
    ] {
        let mut sketch = Sketch::new(1.0)
            .block(0, "Var/Static", &[("Value", &texts)])
            .block(1, "User/Formula", &[("Inputs", &["y c"]), ("Formula", &[formula])])
            .block(2, "Math/Gain", &[("Gain", &["1"])])
            .block(3, "exit z", &[])
            .wires("Main", &[("0.Output", "1.c"), ("2.Output", "1.y"), ("1.z", "2.Input"), ("1.z", "3.Input")]);
        sketch.simulation.attributes.set("loops", "solve");
        for engine in ENGINES {
            let found = Run::new(&sketch.simulation, engine).steps(1).exit("z");
            let is_near = |(got, c): (&f64, &f64)| (got - part * c).abs() < 1e-10 * got;
            assert!(found.iter().zip(&values).all(is_near), "{formula}, {engine}: {found:?}");
        }
    }
}
