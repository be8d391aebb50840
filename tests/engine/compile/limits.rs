//! Models that are too large are refused with the name of the block, before memory is allocated; long ones are
//! accepted, and need neither the stack nor more than linear time.

use std::sync::Arc;

use simulate::block::language::{Formula, Matrix, Names, NoNames, VariableError, matrix, numbers};
use simulate::block::{Binary, BuildContext, Kernel, Op, Registry, Settings, Unary};
use simulate::engine::{AnalysisError, Context, Linear, LinearizeRequest, Trim, compile, diagnose};
use simulate::model::{BlockId, Diagnostic, Scope, Simulation, Variable, check};

use crate::memory::peaked;
use crate::sketch::{Run, Sketch};

/// Runs on a stack much smaller than that of any thread of the program.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(work).expect("a thread");
    thread.join().expect("it does not fail");
}

#[test]
fn a_row_of_terms_takes_no_stack() {
    on_a_small_stack(|| {
        let terms = 30_000;
        assert_eq!(numbers(&vec!["1"; terms].join("+"), &NoNames), Ok(vec![terms as f64]));
        // (1 - 2*3) - 2*3 - …
        let mixed = format!("1{}", " - 2*3".repeat(terms));
        assert_eq!(numbers(&mixed, &NoNames), Ok(vec![1.0 - 6.0 * terms as f64]));
        let lines: String = (0..20_000).map(|line| format!("y{line} = u + {line}\n")).collect();
        assert_eq!(Formula::parse(&lines).expect("a formula").lines.len(), 20_000);
    });
}

#[test]
fn what_is_nested_is_refused_before_the_stack_ends() {
    on_a_small_stack(|| {
        for text in [
            "(".repeat(20_000),
            "[".repeat(20_000),
            "-".repeat(20_000) + "1",
            "2^".repeat(20_000) + "1",
            "1 ? 1 : ".repeat(20_000) + "1",
            "max(".repeat(20_000),
        ] {
            let error = numbers(&text, &NoNames).expect_err("too deep");
            assert!(error.problem.contains("nested too deeply"), "{error}");
        }
        let deep = format!("{}1{}", "(".repeat(45), ")".repeat(45));
        assert_eq!(numbers(&deep, &NoNames), Ok(vec![1.0]));
    });
}

/// Returns a simulation with variables `v0`, `v1` and so on, each defined by the one before.
fn chain(first: &str, length: usize, next: impl Fn(&str) -> String) -> Simulation {
    let mut simulation = Simulation::new("Main");
    simulation.set_variable("v0", Variable::new(first));
    for number in 1..length {
        let value = next(&format!("v{}", number - 1));
        simulation.set_variable(&format!("v{number}"), Variable::new(&value));
    }
    simulation
}

#[test]
fn a_chain_of_variables_takes_no_stack_and_each_is_worked_out_once() {
    on_a_small_stack(|| {
        let simulation = chain("1", 20_000, |before| format!("{before} + 1"));
        let last = Scope::of_simulation(&simulation).value("v19999").expect("a value").expect("a variable");
        assert_eq!(last.values, [20_000.0]);
    });
    // If each use of a name were evaluated again, this would be 2^1000 sums.
    let simulation = chain("1", 1001, |before| format!("{before} + {before}"));
    let last = Scope::of_simulation(&simulation).value("v1000").expect("a value").expect("a variable");
    assert_eq!(last.values, [2f64.powi(1000)]);
    let no_root = |found: Vec<Diagnostic>| found.into_iter().filter(|problem| problem.code != "unknown-root").count();
    assert_eq!(no_root(check(&simulation, &Registry::standard())), 0);
}

#[test]
fn a_vector_that_doubles_is_refused() {
    let simulation = chain("1", 60, |before| format!("[{before} {before}]"));
    let problem = Scope::of_simulation(&simulation).value("v59").expect_err("2^59 elements");
    assert!(problem.to_string().contains("too large: a vector has at most 1000000 elements"), "{problem}");
    let problem = numbers("[0:1e-9:1]", &NoNames).expect_err("10^9 numbers").problem;
    assert!(problem.contains("more than 1000000 numbers"), "{problem}");
    let sum = format!("zeros(1000000){}", " + zeros(1000000)".repeat(20));
    let problem = numbers(&sum, &NoNames).map(|sum| sum.len()).expect_err("too much work").problem;
    assert!(problem.contains("too large"), "{problem}");
}

/// Twenty million elements are the limit, whatever computes them: here one operation of a million is the last.
#[test]
fn every_operation_of_an_expression_counts() {
    struct Million;
    impl Names for Million {
        fn value(&self, name: &str) -> Result<Option<Matrix>, VariableError> {
            Ok((name == "v").then(|| vec![1.0; 1_000_000].into()))
        }
        fn names(&self) -> Vec<String> {
            vec!["v".to_owned()]
        }
    }
    // Sixteen million elements of which only the number is used; one more for the name and one for the last sum.
    let used = "0*length(v) + ".repeat(16);
    for (begin, end) in [("-(", ")"), ("(", " + 1)"), ("if(1, ", ", 0)"), ("max(1, ", ")"), ("abs(", ")")] {
        let nested = |count: usize| format!("{used}{}v{}", begin.repeat(count), end.repeat(count));
        assert!(numbers(&nested(1), &Million).is_ok(), "{begin}");
        let problem = numbers(&nested(2), &Million).map(|all| all.len()).expect_err(begin).problem;
        assert!(problem.contains("more than 20000000 elements would be computed"), "{problem}");
    }
    // A vector is copied twice: with the name, three million elements each.
    let joined = |count: usize| numbers(&format!("{}1", "0*length([v]) + ".repeat(count)), &Million);
    assert_eq!(joined(6), Ok(vec![1.0]));
    assert!(joined(7).expect_err("21 million").problem.contains("too large"));
}

fn source(width: usize) -> Sketch {
    Sketch::new(0.1).block(0, "Var/Static", &[("Value", &[&format!("zeros({width})")])]).block(9, "exit y", &[])
}

fn fed(width: usize, what: &str, options: &[(&str, &[&str])], output: &str) -> Sketch {
    source(width).block(1, what, options).wire("0.Output", "1.Input").wire(&format!("1.{output}"), "9.Input")
}

#[test]
fn what_is_too_large_is_reported_with_its_block() {
    let lines: String = (0..200).map(|line| format!("_a{line} = Input + {line}\n")).collect();
    let formula = format!("{lines}y = Input");
    let doubled = source(1_000_000)
        .block(1, "Routing/Mux", &[])
        .wire("0.Output", "1.Input 1")
        .wire("0.Output", "1.Input 2")
        .wire("1.Output", "9.Input");
    let growing = source(1)
        .block(1, "Routing/Mux", &[])
        .block(2, "Discrete/Unit Delay", &[])
        .wire("1.Output", "2.Input")
        .wire("2.Output", "1.Input 1")
        .wire("2.Output", "1.Input 2")
        .wire("1.Output", "9.Input");
    let mut many = Sketch::new(0.1).block(0, "Var/Static", &[]);
    for id in 1..=20 {
        many = many.block(id, "Discrete/Delay", &[("Length", &["10000000"])]).wire("0.Output", &format!("{id}.Input"));
    }
    // The states, which are there twice, are more than what the blocks compute with them.
    let mut states = source(1_000_000);
    for id in 10..46 {
        states = states.block(id, "Discrete/Unit Delay", &[]).wire("0.Output", &format!("{id}.Input"));
    }
    let size = "100000";
    let cases: Vec<(&str, Sketch, &str)> = vec![
        ("diagonal", fed(100_000, "Matrix/Create Diagonal Matrix", &[], "Output"), "a matrix of 100,000 by 100,000"),
        (
            "square",
            fed(100_000, "Matrix/Matrix Square", &[("Rows", &["1"])], "Output"),
            "a matrix of 100,000 by 100,000",
        ),
        (
            "product",
            fed(1_000_000, "Matrix/Matrix Square", &[("Rows", &["1000"])], "Output"),
            "the block needs more than 1,048,576 instructions, the limit",
        ),
        (
            "permutation",
            source(100_000)
                .block(1, "Matrix/Permute Matrix", &[("Rows", &["1"])])
                .wire("0.Output", "1.Matrix")
                .wire("0.Output", "1.Index")
                .wire("1.Output", "9.Input"),
            "a matrix of 100,000 by 100,000",
        ),
        (
            "delay",
            fed(100_000, "Discrete/Delay", &[("Length", &[size])], "Output"),
            "too large: a delay of 100,000 steps by 100,000 elements needs 80 GB; the limit is 1.07 GB",
        ),
        (
            "coefficients",
            fed(1, "Math/Polynomial", &[("Coefficients", &["zeros(100000)"])], "Output"),
            "Coefficients: too large: at most 10000 values are allowed",
        ),
        (
            "polynomial",
            fed(100_000, "Math/Polynomial", &[("Coefficients", &["zeros(10000)"])], "Output"),
            "too large: the block works on more than 1.07 GB",
        ),
        (
            "filter",
            fed(100_000, "Discrete/Discrete FIR Filter", &[("Coefficients", &["ones(10000)"])], "Output"),
            "too large: the block works on more than 1.07 GB",
        ),
        (
            "denominator",
            fed(1, "Continuous/Transfer Function", &[("Denominator", &["ones(100000)"])], "Output"),
            "Denominator: too large",
        ),
        ("cases", fed(1, "Flow/Switch Case", &[("Cases", &["zeros(100000)"])], "Default"), "Cases: too large"),
        (
            "formula",
            fed(1_000_000, "User/Formula", &[("Formula", &[&formula]), ("Inputs", &["Input"])], "y"),
            "too large",
        ),
        ("join", doubled, "too large: a signal of 2,000,000 elements; the limit is 1,000,000"),
        ("ring", growing, "grows without end"),
        ("states", states, "all blocks together work on 1."),
        ("all", many, "all blocks together work on 1.6 GB, this one on 80 MB; the limit is 1.07 GB"),
    ];
    for (what, sketch, wanted) in cases {
        let errors: Vec<Diagnostic> =
            diagnose(&sketch.simulation, &Registry::standard()).into_iter().filter(Diagnostic::is_error).collect();
        let is_told = errors.iter().any(|error| error.message.contains(wanted) && error.location.block.is_some());
        let messages: Vec<&str> =
            errors.iter().map(|error| error.message.get(..200).unwrap_or(&error.message)).collect();
        assert!(is_told, "{what}: {messages:?}");
    }
}

#[test]
fn models_nested_without_measure_are_refused() {
    on_a_small_stack(|| {
        let mut sketch = Sketch::new(0.1).block(0, "model M0", &[]);
        for level in 0..5000 {
            sketch = sketch.block_in(&format!("M{level}"), 0, &format!("model M{}", level + 1), &[]);
        }
        sketch = sketch.block_in("M5000", 0, "Var/Static", &[]);
        let errors = diagnose(&sketch.simulation, &Registry::standard());
        assert!(errors.iter().any(|error| error.message.contains("more than 200 levels deep")), "{errors:#?}");
    });
}

#[test]
fn a_formula_of_many_lines_runs() {
    let lines: String = (1..20_000).map(|line| format!("_a{line} = _a{} + 1\n", line - 1)).collect();
    let formula = format!("_a0 = u\n{lines}y = _a19999");
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Static", &[("Value", &["5"])])
        .block(1, "User/Formula", &[("Formula", &[&formula])])
        .block(9, "exit y", &[])
        .wire("0.Output", "1.u")
        .wire("1.y", "9.Input");
    for engine in ["simple", "flat", "compiled"] {
        assert_eq!(Run::new(&sketch.simulation, engine).steps(1).exit("y"), [20_004.0], "{engine}");
    }
}

#[test]
fn what_stands_in_a_formula_twice_is_computed_once() {
    let registry = Registry::standard();
    let def = registry.get("User", "Formula").expect("the block");
    let formula = format!("y = {}", vec!["sin(u*3)"; 50].join(" + "));
    let texts = |name: &str| (name == "Formula").then(|| vec![formula.as_str()]);
    let (settings, errors) = Settings::read(def, texts, &NoNames);
    assert_eq!(errors, []);
    let context = BuildContext::new(0.1);
    let kernel = Kernel::build(def, &settings, &[1], context).expect("it builds");
    let count = |op: fn(&Op) -> bool| kernel.ops.iter().filter(|made| op(made)).count();
    assert_eq!(count(|op| matches!(op, Op::Unary(Unary::Sin, _))), 1);
    assert_eq!(count(|op| matches!(op, Op::Binary(Binary::Mul, ..))), 1);
    assert_eq!(count(|op| matches!(op, Op::Binary(Binary::Add, ..))), 49);
}

/// Found by reading: the matrix of an implicit solver was allocated for any number of states, 80 GB for 100,000. Only the
/// derivatives that can differ from 0 are kept, so many states that depend on few others are welcome.
#[test]
fn too_many_states_for_an_implicit_solver_are_refused_with_the_block() {
    // Each rate is the sum of all states.
    let full = |width: usize, solver: &str| {
        source(width)
            .block(1, "Math/Integrate", &[])
            .block(2, "Math/Sum", &[("Signs", &["+"])])
            .block(3, "Math/Sum", &[])
            .wire("1.Output", "2.Input 1")
            .wire("0.Output", "3.Input 1")
            .wire("2.Output", "3.Input 2")
            .wire("3.Output", "1.Input")
            .wire("1.Output", "9.Input")
            .solver(solver)
    };
    let sketch = |width: usize, solver: &str| {
        source(width)
            .block(1, "Math/Integrate", &[])
            .wire("0.Output", "1.Input")
            .wire("1.Output", "9.Input")
            .solver(solver)
    };
    let arrow = |width: usize, solver: &str| {
        source(width)
            .block(1, "Math/Integrate", &[])
            .block(2, "Math/Sum", &[("Signs", &["+"])])
            .block(3, "Math/Integrate", &[])
            .wire("0.Output", "1.Input")
            .wire("1.Output", "2.Input 1")
            .wire("2.Output", "3.Input")
            .wire("3.Output", "9.Input")
            .solver(solver)
    };
    let registry = Registry::standard();
    let is_accepted = |sketch: &Sketch| diagnose(&sketch.simulation, &registry).iter().all(|found| !found.is_error());
    for solver in ["backward-euler", "trapezoidal", "rodas4", "rodas34", "radau35"] {
        let found = diagnose(&full(10_000, solver).simulation, &registry);
        let error = found.iter().find(|found| found.is_error()).expect("an error");
        assert_eq!((error.code, error.location.block), ("too-large", Some(BlockId(1))), "{error:?}");
        let wanted = format!("10,000 continuous states depend on one another in more ways than the solver {solver}");
        assert!(error.message.contains(&wanted), "{}", error.message);
        assert!(is_accepted(&full(4096, solver)));
        assert!(is_accepted(&sketch(100_000, solver)));
        // One rate is the sum of all states, so each state is a direction of its own.
        assert!(!is_accepted(&arrow(50_000, solver)));
        assert!(is_accepted(&arrow(4000, solver)));
    }
    for solver in ["rk4", "dopri45"] {
        assert!(diagnose(&sketch(5000, solver).simulation, &registry).iter().all(|found| !found.is_error()));
    }
}

/// Found by reading: so was the matrix of an algebraic loop.
#[test]
fn too_wide_an_algebraic_loop_is_refused_with_a_block() {
    let sketch = |width: usize| {
        let mut sketch = source(width)
            .block(1, "Math/Sum", &[])
            .block(2, "Math/Gain", &[("Gain", &["0.5"])])
            .wire("0.Output", "1.Input 1")
            .wire("2.Output", "1.Input 2")
            .wire("1.Output", "2.Input")
            .wire("1.Output", "9.Input");
        sketch.simulation.attributes.set("loops", "solve");
        sketch.simulation
    };
    let registry = Registry::standard();
    let found = diagnose(&sketch(5000), &registry);
    let error = found.iter().find(|found| found.is_error()).expect("an error");
    assert!(error.message.contains("an algebraic loop has 5,000 values to solve for"), "{}", error.message);
    assert!(error.location.block.is_some());
    assert!(diagnose(&sketch(100), &registry).iter().all(|found| !found.is_error()));
}

/// Found by reading: the analysis made a list of all values of a delay line, with names, before it counted them.
#[test]
fn an_analysis_of_a_long_delay_line_is_refused_before_its_values_are_listed() {
    let sketch = source(1)
        .block(1, "Discrete/Delay", &[("Length", &["1000000"])])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "9.Input");
    let program = Arc::new(compile(&sketch.simulation, &Registry::standard()).expect("it compiles"));
    let context = Context::new(&program);
    let (refused, bytes) = peaked(|| {
        let linear = Linear::new(&program, &context, &LinearizeRequest::default()).map(drop);
        [linear, Trim::default().solve(&program, &context).map(drop)]
    });
    let too_many = |most| Err(AnalysisError::TooMany { states: 1_000_000, most });
    assert_eq!(refused, [too_many(2000), too_many(4000)]);
    assert!(bytes < 100_000_000, "{bytes} bytes");
}

/// A scalar beside a matrix does not take its rows away.
#[test]
fn a_matrix_keeps_its_rows_beside_a_scalar() {
    for text in ["2*[1 2 3; 4 5 6]", "[1 2 3; 4 5 6] - 1", "-[1 2 3; 4 5 6]", "max(1, [1 2 3; 4 5 6])"] {
        let made = matrix(text, &NoNames).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((made.rows, made.columns()), (2, 3), "{text}");
    }
}

/// The input that has the wrong width is named, whichever it is.
#[test]
fn a_cross_product_names_the_vector_that_has_not_three_elements() {
    let three: &[&str] = &["1", "2", "3"];
    for (a, b, wrong) in [
        (three, &["1", "2"][..], "the input 2 takes 3 elements, not the 2"),
        (&["1", "2", "3", "4"][..], three, "the input 1 takes 3 elements, not the 4"),
    ] {
        let sketch = Sketch::new(1.0)
            .block(0, "Var/Static", &[("Value", a)])
            .block(1, "Var/Static", &[("Value", b)])
            .block(2, "Matrix/Cross Product", &[])
            .wires("Main", &[("0.Output", "2.A"), ("1.Output", "2.B")]);
        let found = compile(&sketch.simulation, &Registry::standard()).expect_err("it is refused");
        let [found] = &found[..] else { panic!("{found:?}") };
        assert!(found.message.starts_with(wrong), "{}", found.message);
    }
}

/// The same for a system of equations: three numbers on the right do not fit two rows, nor five a square.
#[test]
fn a_system_of_equations_names_the_side_that_does_not_fit() {
    for (a, b, wrong) in [
        ("ones(4)", "ones(3)", "the input 2 takes 2 elements, not the 3"),
        ("ones(9)", "ones(4)", "the input 2 takes 3 elements, not the 4"),
        ("ones(5)", "ones(2)", "the input 1 takes 9 elements, not the 5"),
    ] {
        let sketch = Sketch::new(1.0)
            .block(1, "Var/Static", &[("Value", &[a])])
            .block(2, "Var/Static", &[("Value", &[b])])
            .block(3, "Matrix/Solve", &[])
            .wires("Main", &[("1.Output", "3.A"), ("2.Output", "3.B")]);
        let found = compile(&sketch.simulation, &Registry::standard()).expect_err("the widths do not fit");
        assert!(found.iter().any(|problem| problem.message.contains(wrong)), "{a}, {b}: {found:?}");
    }
}

/// 450 lags with the time constants 1, 1/2, 1/3, … seconds: each is a pole.
#[test]
fn a_linear_analysis_takes_hundreds_of_states() {
    const LAGS: u64 = 450;
    let mut sketch = Sketch::new(1e-4).solver("rk4");
    for number in 1..=LAGS {
        let (integrator, gain) = (2 * number, 2 * number + 1);
        sketch = sketch
            .block(integrator, "Math/Integrate", &[])
            .block(gain, "Math/Gain", &[("Gain", &[&format!("-{number}")])])
            .wire(&format!("{integrator}.Output"), &format!("{gain}.Input"))
            .wire(&format!("{gain}.Output"), &format!("{integrator}.Input"));
    }
    let program = Arc::new(compile(&sketch.simulation, &Registry::standard()).expect("it compiles"));
    let linear = Linear::new(&program, &Context::new(&program), &LinearizeRequest::default()).expect("it is linear");
    let mut poles: Vec<f64> = linear.poles().expect("they converge").iter().map(|pole| pole.re).collect();
    poles.sort_by(|a, b| b.total_cmp(a));
    let want: Vec<f64> = (1..=LAGS).map(|number| -(number as f64)).collect();
    assert_eq!(poles, want);
}
