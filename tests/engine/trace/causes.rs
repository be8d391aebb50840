//! Every way by which a value that is not finite may have come: through each operation within a block, each kind of
//! state, and over steps. The causes are worked out by hand.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Chain, Engines, FaultSite, Samples, TierUp, compile};

use crate::sketch::{Run, Sketch};

/// A formula of t, run until it fails in step 3: what is said of the value.
fn how(formula: &str) -> String {
    let sketch = Sketch::new(1.0).block(0, "User/Formula", &[("Formula", &[formula]), ("Inputs", &[""])]);
    let links = links(&sketch, 3);
    let [(3, 0, site, _, how)] = &links[..] else { panic!("{formula}: {links:?}") };
    assert_eq!(site, "y");
    how.clone()
}

/// Step, block, site, element and text of a link.
type Link = (u64, i128, String, Option<usize>, String);

/// The way of what is not finite in this step, which the steps before have let pass.
fn links(sketch: &Sketch, step: u64) -> Vec<Link> {
    let mut run = Run::new(&sketch.simulation, "simple");
    let mut before = None;
    for _ in 0..step {
        before = Some(run.context.clone());
        run.steps(1);
    }
    let mut program = compile(&sketch.simulation, &Registry::standard()).expect("it compiles");
    program.refuses_non_finite = true;
    let chain = Chain::new(&Arc::new(program), &run.context, before.as_ref()).expect("the step fails");
    let site = |site: &FaultSite| match site {
        FaultSite::Output(name) => name.clone(),
        FaultSite::State => "state".to_owned(),
        FaultSite::Nothing => "nothing".to_owned(),
    };
    chain
        .links
        .iter()
        .map(|link| (link.step, link.block.block.0, site(&link.site), link.element, link.how.clone()))
        .collect()
}

fn check(sketch: &Sketch, step: u64, want: &[(u64, i128, &str, Option<usize>, &str)]) {
    let want: Vec<Link> = want
        .iter()
        .map(|&(step, id, site, element, how)| (step, id, site.to_owned(), element, how.to_owned()))
        .collect();
    assert_eq!(links(sketch, step), want);
}

#[test]
fn within_a_block_the_operation_that_spoils_the_value_is_named() {
    for (formula, want) in [
        // Behind the operation the value only goes on.
        ("y = 2*(1/(t - 3)) + 5", "1 / 0"),
        ("y = 5 - 1/(t - 3)", "1 / 0"),
        ("y = 3*sqrt(t - 4)", "sqrt(-1)"),
        ("y = abs(-sqrt(t - 4))", "sqrt(-1)"),
        // Two infinities make a third kind of value, and that operation is the cause.
        ("y = 1/(t - 3) - 1/(t - 3)", "inf - inf"),
        ("y = 0*(1/(t - 3)) + 1", "0 * inf"),
        ("y = 2 + (7 + (1/(t - 3) - 1/(t - 3)))", "inf - inf"),
        // A NaN comes from a NaN, whatever is infinite beside it.
        ("y = 1/(t - 3) + sqrt(t - 4)", "sqrt(-1)"),
        ("y = sqrt(t - 4) + 1/(t - 3)", "sqrt(-1)"),
        // Negative operands stand in brackets beside a sign, not in calls.
        ("y = 1 + (-1)/(t - 3)", "(-1) / 0"),
        ("y = 1 + 1/(3 - t)*(-1)", "1 / 0"),
        ("y = hypot(-2, 1/(t - 3))", "1 / 0"),
        // Only the operand that was chosen counts.
        ("y = if(t > 2, 1/(t - 3), sqrt(t - 4))", "1 / 0"),
        ("y = if(t > 3, 1/(t - 3), sqrt(t - 4))", "sqrt(-1)"),
        // Of a vector the element.
        ("_a = [1, 2, sqrt(t - 4), 4, 1/(t - 3)]; y = _a(3)", "sqrt(-1)"),
        ("_a = [1, 2, sqrt(t - 4), 4, 1/(t - 3)]; y = _a(5)", "1 / 0"),
        ("_a = [1, 2]/(t - 3); _b = [5, _a, sqrt(t - 4)]; y = 1 + _b(3)", "2 / 0"),
        ("y = sum([5, 1/(t - 3), sqrt(t - 4), 2])", "sqrt(-1)"),
        ("y = sum([5, 1/(t - 3), -1/(t - 3), 2])", "5 + inf + (-inf) + 2"),
        ("y = sum([1, 2, 3, 1/(t - 3), 5, -1/(t - 3), 7])", "1 + 2 + 3 + inf + 5 + (-inf) + …"),
        ("y = sum([1, 2, 3, 1/(t - 3), 5, -1/(t - 3)])", "1 + 2 + 3 + inf + 5 + (-inf)"),
        ("y = max(4, 1/(t - 3))", "1 / 0"),
    ] {
        assert_eq!(how(formula), want, "{formula}");
    }
}

/// 1 / (t - 3), which is infinite in step 3 alone, as the second of three elements.
fn pulse() -> Sketch {
    Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "Math/Bias", &[("Bias", &["7", "-3", "8"])])
        .block(2, "Var/Static", &[("Value", &["1"])])
        .block(3, "Math/Product", &[("Operations", &["*/"])])
        .wires("Main", &[("0.Output", "1.Input"), ("2.Output", "3.Input 1"), ("1.Output", "3.Input 2")])
}

const CAME_IN: &str = "it came in at “Input”";
const REMEMBERS: &str = "it is what the block remembers";

#[test]
fn each_kind_of_state_leads_to_what_it_took_over() {
    let behind = |what: &str, options: &[(&str, &[&str])]| {
        pulse().solver("euler").block(4, what, options).wire("3.Output", "4.Input")
    };
    let cause = (3, 3, "Output", Some(1), "1 / 0");
    let taken = (3, 4, "state", Some(1), CAME_IN);
    for (what, options) in [
        ("Discrete/Unit Delay", &[("Initial Value", &["0"] as &[_])] as &[_]),
        ("Math/Integrate", &[]),
        ("Continuous/Integrator", &[]),
    ] {
        check(&behind(what, options), 4, &[(4, 4, "Output", Some(1), REMEMBERS), taken, cause]);
    }
    let delay = behind("Discrete/Delay", &[("Length", &["1"])]);
    let remembers = (4, 4, "Output", Some(1), "it is what came in a step before");
    check(&delay, 4, &[remembers, taken, cause]);
    // Only the step before is repeated.
    let delay = behind("Discrete/Delay", &[("Length", &["2"])]);
    check(&delay, 5, &[(5, 4, "Output", Some(1), "it is what came in 2 steps before")]);
}

/// Behind the second of two delays it has been for longer than the step that is repeated.
#[test]
fn what_came_from_earlier_steps_is_said_to_be_older() {
    let sketch = pulse()
        .block(4, "Discrete/Unit Delay", &[])
        .block(5, "Discrete/Unit Delay", &[])
        .wires("Main", &[("3.Output", "4.Input"), ("4.Output", "5.Input")]);
    let older = "it is what the block remembers; it was so in the steps before";
    check(
        &sketch,
        5,
        &[(5, 5, "Output", Some(1), REMEMBERS), (4, 5, "state", Some(1), CAME_IN), (4, 4, "Output", Some(1), older)],
    );
}

/// A reset takes an infinite initial value over; the rate is finite.
#[test]
fn a_jump_leads_to_the_value_that_was_jumped_to() {
    let reset = |solver: &str| {
        pulse()
            .solver(solver)
            .block(4, "Continuous/Integrator", &[("Reset", &["level"]), ("Initial Source", &["input"])])
            .block(5, "Logic/Compare To Constant", &[("Constant", &["3"]), ("Operator", &["=="])])
            .wires("Main", &[("3.Output", "4.Initial"), ("5.Output", "4.Reset"), ("0.Output", "5.Input")])
            .wires("Main", &[("0.Output", "4.Input")])
    };
    for solver in ["euler", "rk4"] {
        check(
            &reset(solver),
            4,
            &[
                (4, 4, "Output", Some(1), REMEMBERS),
                (3, 4, "state", Some(1), "it came in at “Initial”"),
                (3, 3, "Output", Some(1), "1 / 0"),
            ],
        );
    }
}

/// The output of a conditional model that does not run is the one of an earlier step.
#[test]
fn what_is_held_leads_to_the_step_that_made_it() {
    let sketch = pulse()
        .block_in("Part", 0, "entry u", &[])
        .block_in("Part", 1, "entry on", &[])
        .mark("Part", 1, &[("role", "enable")])
        .block_in("Part", 2, "Math/Gain", &[("Gain", &["2"])])
        .block_in("Part", 3, "exit y", &[])
        .wires("Part", &[("0.Output", "2.Input"), ("2.Output", "3.Input")])
        .block(4, "model Part", &[])
        .block(5, "Logic/Compare To Constant", &[("Constant", &["3"]), ("Operator", &["<="])])
        .block(6, "Math/Gain", &[("Gain", &["5"])])
        .wires("Main", &[("3.Output", "4.u"), ("5.Output", "4.on"), ("0.Output", "5.Input"), ("4.y", "6.Input")]);
    let found = links(&sketch, 4);
    let last = found.last().expect("a link");
    assert_eq!(last, &(3, 3, "Output".to_owned(), Some(1), "1 / 0".to_owned()), "{found:?}");
}

/// The values that a link shows are those of the step, and of each input its source.
#[test]
fn links_have_the_inputs_of_their_step() {
    let sketch = pulse().block(4, "Discrete/Unit Delay", &[]).wire("3.Output", "4.Input");
    let mut run = Run::new(&sketch.simulation, "simple");
    run.steps(3);
    let before = run.context.clone();
    run.steps(1);
    let mut program = compile(&sketch.simulation, &Registry::standard()).expect("it compiles");
    program.refuses_non_finite = true;
    let program = Arc::new(program);
    let chain = Chain::new(&program, &run.context, Some(&before)).expect("a chain");
    let seen: Vec<_> = chain.links.iter().map(|link| (link.time, link.value, link.came_in.as_deref())).collect();
    let infinite = f64::INFINITY;
    assert_eq!(seen, [(4.0, infinite, None), (3.0, infinite, Some("Input")), (3.0, infinite, None)]);
    let inputs = |link: usize| {
        let of = |input: &simulate::engine::LinkInput| {
            (input.text(), input.source.as_ref().map(|at| (at.path.len(), at.block.0)))
        };
        chain.links[link].inputs.iter().map(of).collect::<Vec<_>>()
    };
    // The delay publishes before anything comes in.
    assert_eq!(inputs(0), []);
    assert_eq!(inputs(1), [("Input = [0.1, inf, 0.09090909090909091]".to_owned(), Some((0, 3)))]);
    assert_eq!(
        inputs(2),
        [("Input 1 = 1".to_owned(), Some((0, 2))), ("Input 2 = [10, 0, 11]".to_owned(), Some((0, 1)))]
    );
    // An older context is not the step before, so that nothing is known of it.
    let mut older = Run::new(&sketch.simulation, "simple");
    older.steps(2);
    let chain = Chain::new(&program, &run.context, Some(&older.context)).expect("a chain");
    let how: Vec<_> = chain.links.iter().map(|link| link.how.as_str()).collect();
    assert_eq!(how, ["it is what the block remembers; it was so in the steps before"]);
}

/// A run that is repeated from a context some steps back by its engine finds the same way.
#[test]
fn an_earlier_context_is_brought_to_the_step_before() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["1e308"])])
        .block(1, "Discrete/Discrete-Time Integrator", &[])
        .wires("Main", &[("0.Output", "1.Input")]);
    for engine in ["simple", "flat", "compiled"] {
        let mut program = compile(&sketch.simulation, &Registry::standard()).expect("it compiles");
        program.refuses_non_finite = true;
        let program = Arc::new(program);
        let mut execute =
            Engines::with(TierUp::Wait).get(engine).expect("the engine").prepare(&program).expect("it runs");
        let mut context = simulate::engine::Context::new(&program);
        execute.run(&mut context, 1, &mut Samples::default()).expect("it runs");
        let mut failed = context.clone();
        assert_eq!(execute.run(&mut failed, 5, &mut Samples::default()).expect_err("it fails").step, 2);
        let way = |earlier: &simulate::engine::Context, execute: &mut dyn simulate::engine::Execute| {
            let chain = Chain::after(&program, execute, earlier, &failed).expect("a chain");
            chain.links.iter().map(|link| (link.step, link.how.clone())).collect::<Vec<_>>()
        };
        let want = [(2, REMEMBERS.to_owned()), (1, "1e308 + 1e308".to_owned())];
        // One step back, and none: without the step before there is no more to say.
        assert_eq!(way(&context, &mut *execute), want, "{engine}");
        let at_once = way(&failed.clone(), &mut *execute);
        assert_eq!(at_once.len(), 1, "{engine}: {at_once:?}");
    }
}
