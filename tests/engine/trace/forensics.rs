//! Origins of non-finite values: the chain back to the operation, on models whose cause is known.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Chain, Context, Engines, FaultSite, LinkInput, Samples, TierUp, compile};

use crate::sketch::Sketch;

/// Runs until a step fails; returns its chain, and the step.
fn chain_of(sketch: &Sketch, engine: &str) -> (Chain, u64) {
    let mut program = compile(&sketch.simulation, &Registry::standard()).expect("it compiles");
    program.refuses_non_finite = true;
    let program = Arc::new(program);
    let mut execute = Engines::with(TierUp::Wait).get(engine).expect("the engine").prepare(&program).expect("it runs");
    let mut context = Context::new(&program);
    let start = context.clone();
    let error = execute.run(&mut context, 100_000, &mut Samples::default()).expect_err("a step fails");
    assert_eq!(error.step, context.step);
    let chain = Chain::after(&program, &mut *execute, &start, &context).expect("a chain");
    (chain, error.step)
}

/// `step id what value how` of each link.
fn check(sketch: &Sketch, want_step: u64, want: &[(u64, i128, &str, &str)]) {
    for engine in ["simple", "flat", "compiled"] {
        let (chain, step) = chain_of(sketch, engine);
        assert_eq!(step, want_step, "{engine}: {chain:#?}");
        let links: Vec<(u64, i128, String, &str)> = chain
            .links
            .iter()
            .map(|link| {
                let place = match &link.site {
                    FaultSite::Output(name) => name.clone(),
                    FaultSite::State => "state".to_owned(),
                    FaultSite::Nothing => "nothing".to_owned(),
                };
                (link.step, link.block.block.0, place, link.how.as_str())
            })
            .collect();
        let want: Vec<_> = want.iter().map(|&(step, id, place, how)| (step, id, place.to_owned(), how)).collect();
        assert_eq!(links, want, "{engine}");
    }
}

/// 1 / (t - 3) with steps of one second.
#[test]
fn a_division_by_zero_is_found_with_its_numbers() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "Math/Bias", &[("Bias", &["-3"])])
        .block(2, "Var/Static", &[("Value", &["1"])])
        .block(3, "Math/Product", &[])
        .block(4, "exit y", &[])
        .wires(
            "Main",
            &[("0.Output", "1.Input"), ("2.Output", "3.Input 1"), ("1.Output", "3.Input 2"), ("3.Output", "4.Input")],
        );
    check(&sketch, 3, &[(3, 3, "Output", "1 / 0")]);
    let (chain, _) = chain_of(&sketch, "simple");
    let inputs: Vec<String> = chain.links[0].inputs.iter().map(|input| input.text()).collect();
    assert_eq!(inputs, ["Input 1 = 1", "Input 2 = 0"]);
    let sources: Vec<i128> =
        chain.links[0].inputs.iter().filter_map(|input| Some(input.source.as_ref()?.block.0)).collect();
    assert_eq!(sources, [2, 1]);
    assert_eq!(chain.links[0].text(), "step 3: “Output” of Product #3 in “Main” became inf: 1 / 0");
}

/// The element is named: the root of the second of three.
#[test]
fn the_element_is_named() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["4", "-2", "9"])])
        .block(1, "Math/Sqrt", &[])
        .wires("Main", &[("0.Output", "1.Input")]);
    check(&sketch, 0, &[(0, 1, "Output", "sqrt(-2)")]);
    assert_eq!(chain_of(&sketch, "simple").0.links[0].element, Some(1));
}

/// The element of a bus has its name.
#[test]
fn the_element_of_a_bus_is_named() {
    let names: [(&str, &[&str]); 3] = [("Elements", &["a b"]), ("Input Names", &["a b"]), ("Output", &["bus"])];
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["4", "-2"])])
        .block(1, "Routing/Bus Selector", &names)
        .block(2, "Discrete/Unit Delay", &[("Initial Value", &["1", "inf"])])
        .wires("Main", &[("0.Output", "1.Bus"), ("1.Bus", "2.Input")]);
    let (chain, _) = chain_of(&sketch, "simple");
    let texts: Vec<String> = chain.links.iter().map(|link| link.text()).collect();
    assert!(texts[0].starts_with("step 0: “Output.b” of Unit Delay #2 in “Main” became inf"), "{texts:?}");
}

/// The same behind a gain, and with an integrator, whose rate is bad.
#[test]
fn the_element_is_followed_through_blocks_and_states() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["4", "-2", "9"])])
        .block(1, "Math/Gain", &[])
        .block(2, "Math/Sqrt", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
    check(&sketch, 0, &[(0, 2, "Output", "sqrt(-2)")]);
    let sketch = Sketch::new(1.0)
        .solver("euler")
        .block(0, "Var/Static", &[("Value", &["1", "1e308"])])
        .block(1, "Math/Integrate", &[("Initial Value", &["0", "1e308"])])
        .wires("Main", &[("0.Output", "1.Input")]);
    let grew = "it grew beyond all numbers: it was 1e308 and changed by 1e308 a second";
    check(&sketch, 1, &[(1, 1, "Output", "it is what the block remembers"), (0, 1, "state", grew)]);
    let elements = chain_of(&sketch, "simple").0.links.into_iter().map(|link| link.element);
    assert_eq!(elements.collect::<Vec<_>>(), [Some(1), Some(1)]);
}

/// x⁺ = x + 1e308 in one block: 0, 1e308, then infinite; seen a step after it was computed.
#[test]
fn a_state_leads_over_the_border_of_the_step() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["1e308"])])
        .block(1, "Discrete/Discrete-Time Integrator", &[])
        .block(2, "exit y", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
    check(&sketch, 2, &[(2, 1, "Output", "it is what the block remembers"), (1, 1, "state", "1e308 + 1e308")]);
}

/// The same with two elements, of which the second overflows.
#[test]
fn the_element_of_a_state_is_named() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["1", "1e308"])])
        .block(1, "Discrete/Discrete-Time Integrator", &[])
        .block(2, "exit y", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
    check(&sketch, 2, &[(2, 1, "Output", "it is what the block remembers"), (1, 1, "state", "1e308 + 1e308")]);
    let elements = chain_of(&sketch, "simple").0.links.into_iter().map(|link| link.element);
    assert_eq!(elements.collect::<Vec<_>>(), [Some(1), Some(1)]);
}

/// An integrator whose state overflows.
#[test]
fn a_state_that_overflows_is_reported_with_its_rate() {
    let sketch = Sketch::new(1.0)
        .solver("euler")
        .block(0, "Var/Static", &[("Value", &["-1e308"])])
        .block(1, "Math/Integrate", &[("Initial Value", &["-1e308"])])
        .wires("Main", &[("0.Output", "1.Input")]);
    check(
        &sketch,
        1,
        &[
            (1, 1, "Output", "it is what the block remembers"),
            (0, 1, "state", "it grew beyond all numbers: it was -1e308 and changed by -1e308 a second"),
        ],
    );
}

/// The rate is 1 / (t - 0.5), which is finite at every step of one second, but not half-way, where Runge–Kutta
/// evaluates it.
#[test]
fn what_goes_wrong_between_steps_is_found_there() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "Math/Bias", &[("Bias", &["-0.5"])])
        .block(2, "Math/Product", &[("Operations", &["/"])])
        .block(3, "Math/Integrate", &[])
        .block(4, "Math/Gain", &[("Gain", &["2"])])
        .wires(
            "Main",
            &[("0.Output", "1.Input"), ("1.Output", "2.Input 1"), ("2.Output", "3.Input"), ("3.Output", "4.Input")],
        );
    check(
        &sketch,
        1,
        &[
            (1, 3, "Output", "it is what the block remembers"),
            (0, 3, "state", "it came in at “Input”"),
            (0, 2, "Output", "1 / 0"),
        ],
    );
}

/// The same with a vector whose second element alone passes the pole between two steps.
#[test]
fn the_element_that_went_wrong_between_steps_is_followed() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "Math/Bias", &[("Bias", &["3", "-0.5", "7"])])
        .block(2, "Math/Product", &[("Operations", &["*/"])])
        .block(3, "Math/Integrate", &[])
        .block(4, "Var/Static", &[("Value", &["1"])])
        .wires(
            "Main",
            &[("0.Output", "1.Input"), ("4.Output", "2.Input 1"), ("1.Output", "2.Input 2"), ("2.Output", "3.Input")],
        );
    check(
        &sketch,
        1,
        &[
            (1, 3, "Output", "it is what the block remembers"),
            (0, 3, "state", "it came in at “Input”"),
            (0, 2, "Output", "1 / 0"),
        ],
    );
    let elements = chain_of(&sketch, "simple").0.links.into_iter().map(|link| link.element);
    assert_eq!(elements.collect::<Vec<_>>(), [Some(1), Some(1), Some(1)]);
}

/// Infinity minus infinity is NaN; the chain continues to where the infinity was computed, in a model, through its
/// entry.
#[test]
fn the_way_leads_through_models() {
    let sketch = Sketch::new(1.0)
        .block_in("Child", 0, "entry u", &[])
        .block_in("Child", 1, "Math/Gain", &[("Gain", &["1e200"])])
        .block_in("Child", 2, "exit y", &[])
        .wires("Child", &[("0.Output", "1.Input"), ("1.Output", "2.Input")])
        .block(0, "Var/Static", &[("Value", &["1e200"])])
        .block(1, "model Child", &[])
        .block(2, "Math/Integrate", &[])
        .wires("Main", &[("0.Output", "1.u"), ("1.y", "2.Input")]);
    check(&sketch, 0, &[(0, 1, "Output", "1e200 * 1e200")]);
    assert_eq!(chain_of(&sketch, "simple").0.links[0].block.path.len(), 1, "within the model block");
}

#[test]
fn a_parameter_that_is_infinite_is_the_cause() {
    let sketch = Sketch::new(1.0).block(0, "Var/Static", &[("Value", &["1", "inf"])]);
    check(&sketch, 0, &[(0, 0, "Output", "the parameter “Value” is so")]);
}

/// A variable-step solver with a rate that is not finite.
#[test]
fn a_solver_that_cannot_go_on_leads_to_the_rate() {
    let sketch = Sketch::new(1.0)
        .solver("dopri45")
        .block(0, "Math/Integrate", &[("Initial Value", &["1"])])
        .block(1, "Math/Bias", &[("Bias", &["-1"])])
        .block(2, "Math/Sqrt", &[])
        .block(3, "Math/Gain", &[("Gain", &["-1"])])
        .block(4, "Math/Bias", &[("Bias", &["-1"])])
        .wires(
            "Main",
            &[
                ("0.Output", "1.Input"),
                ("1.Output", "2.Input"),
                ("2.Output", "3.Input"),
                ("3.Output", "4.Input"),
                ("4.Output", "0.Input"),
            ],
        );
    // x' = -√(x - 1) - 1 from x = 1: the root does not exist from the first moment on.
    // What the step began with is finite, so that the way begins at the rate of the state.
    let (chain, _) = chain_of(&sketch, "compiled");
    let first = &chain.links[0];
    assert_eq!((first.block.block.0, &first.site), (0, &FaultSite::State), "{chain:#?}");
    let last = chain.links.last().expect("a link");
    assert_eq!(last.block.block.0, 2, "{chain:#?}");
    assert!(last.how.starts_with("sqrt(-"), "{chain:#?}");
}

#[test]
fn a_step_that_does_not_fail_has_no_chain() {
    let sketch = Sketch::new(1.0).block(0, "Var/Clock", &[]);
    let run = sketch.run();
    assert_eq!(Chain::new(&run.program, &run.context, None), None);
}

/// The state was non-finite from the start: there is no earlier step.
#[test]
fn a_state_that_began_so_is_where_the_way_ends() {
    let sketch = Sketch::new(1.0).block(0, "Discrete/Unit Delay", &[("Initial Value", &["inf"])]);
    check(&sketch, 0, &[(0, 0, "Output", "it is what the block remembers; it begins so")]);
}

#[test]
fn long_vectors_are_shortened_to_six_elements() {
    let text = |count: i32| {
        let values = (0..count).map(f64::from).collect();
        LinkInput { name: "u".to_owned(), values, source: None }.text()
    };
    assert_eq!(text(6), "u = [0, 1, 2, 3, 4, 5]");
    assert_eq!(text(7), "u = [0, 1, 2, 3, 4, 5, …]");
}

/// 1/t is infinite at 0 s, and no longer at the middle and the end of the first step, where the solver looks next.
#[test]
fn what_is_infinite_at_the_begin_of_a_step_alone_is_found_there() {
    let sketch = Sketch::new(1.0)
        .solver("rk4")
        .block(0, "Var/Static", &[])
        .block(1, "Math/Integrate", &[])
        .block(2, "User/Formula", &[("Formula", &["y = 1/t"]), ("Inputs", &[""])])
        .wires("Main", &[("0.Output", "1.Input")]);
    check(&sketch, 0, &[(0, 2, "y", "1 / 0")]);
}
