//! A step allocates no memory on any engine; and the memory that an instance of a model needs.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Context, Engines, Program, Samples, Threaded, TierUp, compile};
use simulate::model::{Block, BlockId, BlockKind, Connection, Model, Simulation};

use crate::engine::reference::endless_steps::registry;
use crate::memory::counted;
use crate::sketch::Sketch;

/// Vectors, a buffer of past values, limits, noise, an enabled subsystem, an iterated one, a native function, and an
/// algebraic loop: everything a step computes.
fn busy(solver: &str) -> Simulation {
    let mut sketch = Sketch::new(0.01)
        .solver(solver)
        .block(0, "Var/Sine", &[("Amplitude", &["1", "2", "3", "4", "5", "6", "7", "8", "9"])])
        .block(1, "Math/Integrate", &[])
        .block(2, "Discrete/Delay", &[("Length", &["5"])])
        .block(3, "Continuous/Integrator", &[("Limited", &["1"]), ("Upper Limit", &["50"]), ("Lower Limit", &["-50"])])
        .block(4, "Var/Noise", &[])
        .block(5, "model Loop", &[])
        .block(6, "Math/Sum", &[("Signs", &["+"])])
        .block(7, "Var/Static", &[("Value", &["3"])])
        .block(8, "Test/Bell", &[])
        .block(9, "exit y", &[])
        .block(10, "Continuous/Transport Delay", &[])
        .block(11, "Math/Sum", &[("Signs", &["+-"])])
        .block(12, "Math/Trigonometry", &[("Function", &["cos"])])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "6.Input 1")])
        .wires("Main", &[("7.Output", "3.Input"), ("6.Output", "5.u"), ("7.Output", "5.n"), ("5.y", "8.Input")])
        .wires("Main", &[("8.Output", "9.Input"), ("1.Output", "10.Input")])
        .wires("Main", &[("1.Output", "11.Input 1"), ("12.Output", "11.Input 2"), ("11.Output", "12.Input")])
        .block_in("Loop", 0, "entry n", &[])
        .mark("Loop", 0, &[("role", "for")])
        .block_in("Loop", 1, "entry u", &[])
        .block_in("Loop", 2, "Math/Gain", &[("Gain", &["0.5"])])
        .block_in("Loop", 3, "model Part", &[])
        .block_in("Loop", 4, "exit y", &[])
        .wires("Loop", &[("1.Output", "2.Input"), ("2.Output", "3.u"), ("2.Output", "3.on"), ("3.y", "4.Input")])
        .block_in("Part", 0, "entry on", &[])
        .mark("Part", 0, &[("role", "enable")])
        .block_in("Part", 1, "entry u", &[])
        .block_in("Part", 2, "Discrete/Unit Delay", &[])
        .block_in("Part", 3, "exit y", &[])
        .wires("Part", &[("1.Output", "2.Input"), ("2.Output", "3.Input")]);
    sketch.simulation.attributes.set("loops", "solve");
    sketch.simulation
}

/// The default engine stays on one thread: it would begin to use others after some time, and set them up then.
fn engines() -> Engines {
    let mut engines = Engines::with(TierUp::Wait);
    let auto = engines.get(Engines::DEFAULT).and_then(|auto| auto.on_one_thread());
    engines.add(auto.expect("the default engine"));
    engines.add(Arc::new(Threaded::handing_out_all(3)));
    engines
}

/// A call of ten times as many steps asks for memory as often.
#[test]
fn a_step_allocates_nothing_on_any_engine() {
    for solver in ["euler", "rk4", "backward-euler", "trapezoidal", "rodas4", "dopri45", "rodas34", "radau35"] {
        for refuses in [false, true] {
            let mut program = compile(&busy(solver), &registry()).unwrap_or_else(|found| panic!("{found:#?}"));
            program.refuses_non_finite = refuses;
            let program = Arc::new(program);
            for engine in engines().iter() {
                let mut execute = engine.prepare(&program).expect("it runs");
                let mut context = Context::new(&program);
                let mut samples = Samples::new(program.outputs.keys());
                let mut run = |count| {
                    samples.clear();
                    counted(|| execute.run(&mut context, count, &mut samples).expect("it runs"))
                };
                // The channel allocates now and then, at any step, when threads wait for each other.
                let (steps, queued) = if engine.name() == "threaded" { (20, 10) } else { (6, 0) };
                // The second run has machine code, threads, and room for the samples; the fourth for what a solver of
                // variable step records.
                for _ in 0..4 {
                    run(11 * steps);
                }
                let ((), few, _) = run(steps);
                let ((), many, _) = run(10 * steps);
                assert!(
                    many.abs_diff(few) <= queued,
                    "{} with {solver}: {many} and not {few} in {} steps more",
                    engine.name(),
                    9 * steps
                );
                let is_code = execute.runs_machine_code();
                assert!(is_code || engine.name() != "compiled", "machine code ran with {solver}");
            }
        }
    }
}

/// A step leaves no memory behind: after many steps the thread has no more memory than after few. Another context that
/// the same engine runs meanwhile is not affected.
#[test]
fn a_step_leaves_no_memory_behind() {
    let program = Arc::new(compile(&busy("rk4"), &registry()).unwrap_or_else(|found| panic!("{found:#?}")));
    for engine in engines().iter() {
        let mut execute = engine.prepare(&program).expect("it runs");
        let (mut one, mut other, mut alone) = (Context::new(&program), Context::new(&program), Context::new(&program));
        let mut nobody = Samples::default();
        execute.run(&mut alone, 500, &mut nobody).expect("it runs");
        let ((), _, grown) = counted(|| {
            for _ in 0..20 {
                execute.run(&mut one, 25, &mut nobody).expect("it runs");
                execute.run(&mut other, 10, &mut nobody).expect("it runs");
            }
        });
        // Threads pass memory to each other, and each counts its own.
        assert!(grown == 0 || engine.name() == "threaded", "{}: {grown} bytes", engine.name());
        assert!(one == alone, "{}: the other context was not in its way", engine.name());
    }
}

/// A model with a hundred thousand instances exists once; an instance needs memory for its values and offsets only.
#[test]
fn an_instance_of_a_model_needs_a_few_hundred_bytes() {
    const MIDDLES: u64 = 100;
    const LEAVES: u64 = 1000;
    // Three blocks in each instance: the memory of each as unit, output, source, reader, value and parameter.
    const MAX_BYTES_A_USE: i64 = 600;
    let build = |middles: u64| -> Program {
        let mut simulation = Simulation::new("Main");
        let leaf = |id: u64, kind| Block::new(BlockId(id.into()), kind);
        let mut model = Model::new("Leaf");
        model.add_block(leaf(0, BlockKind::entry("u")));
        model.add_block(leaf(1, BlockKind::library("Math", "Gain")));
        model.add_block(leaf(2, BlockKind::exit("y")));
        model.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
        model.connect(Connection::new(BlockId(1), "Output", BlockId(2), "Input"));
        simulation.add_model(model);
        let mut model = Model::new("Middle");
        model.add_block(leaf(0, BlockKind::library("Var", "Static")));
        for id in 1..=LEAVES {
            model.add_block(leaf(id, BlockKind::model("Leaf")));
            let (from, output) = if id == 1 { (0, "Output") } else { (id - 1, "y") };
            model.connect(Connection::new(BlockId(from.into()), output, BlockId(id.into()), "u"));
        }
        simulation.add_model(model);
        let main = simulation.model_mut("Main").expect("the root");
        for id in 0..middles {
            main.add_block(leaf(id, BlockKind::model("Middle")));
        }
        compile(&simulation, &Registry::standard()).unwrap_or_else(|found| panic!("{found:#?}"))
    };
    let ((few, few_context), _, small) = counted(|| {
        let program = build(1);
        let context = Context::new(&program);
        (program, context)
    });
    let ((many, many_context), _, large) = counted(|| {
        let program = build(MIDDLES);
        let context = Context::new(&program);
        (program, context)
    });
    let uses = (MIDDLES - 1) * LEAVES;
    assert_eq!((many.units.len() - few.units.len()) as u64, (MIDDLES - 1) * (3 * LEAVES + 1));
    assert_eq!((many_context.values.len() - few_context.values.len()) as u64, (MIDDLES - 1) * (3 * LEAVES + 1));
    assert_eq!(many.kernels.len(), few.kernels.len(), "a tape is there once for all uses");
    let each = (large - small) / uses as i64;
    assert!((1..MAX_BYTES_A_USE).contains(&each), "{each} bytes a use");
}
