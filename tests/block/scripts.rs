//! Scripts, equations and waves that users write, on every engine.

use simulate::block::Registry;
use simulate::block::Unary;
use simulate::engine::{Context, compile, diagnose};
use simulate::model::{BlockAddress, BlockId, Simulation};

use crate::sketch::{Run, Sketch, is_close};

const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];

/// Returns a simulation of a block whose input is a clock, with its first output at `y`.
fn fed(block: &str, options: &[(&str, &[&str])], output: &str) -> Simulation {
    let sketch = Sketch::new(0.5).block(0, "Var/Clock", &[]).block(1, block, options).block(2, "exit y", &[]);
    sketch.wire("0.Output", "1.u").wire(&format!("1.{output}"), "2.Input").simulation
}

#[track_caller]
fn expect(simulation: &Simulation, values: &[f64]) {
    for engine in ENGINES {
        let got = Run::new(simulation, engine).trace("y", values.len());
        assert!(got.iter().zip(values).all(|(got, want)| is_close(*got, *want)), "{engine}: {got:?}, not {values:?}");
        let mut all = Run::new(simulation, engine);
        assert_eq!(all.steps(values.len() as u64).exit("y")[0].to_bits(), got[values.len() - 1].to_bits(), "{engine}");
    }
}

fn script<'a>(text: &'a str, state: &'a str) -> [(&'static str, Vec<&'a str>); 2] {
    [("Script", vec![text]), ("State", vec![state])]
}

fn scripted(text: &str, state: &str) -> Simulation {
    let options = script(text, state);
    let options: Vec<(&str, &[&str])> = options.iter().map(|(name, values)| (*name, &values[..])).collect();
    fed("User/Script", &options, "y")
}

#[test]
fn a_script_remembers_from_step_to_step() {
    // Fibonacci.
    expect(
        &scripted("y = a; let next = a + b; a = b; b = next;", "a = 0; b = 1"),
        &[0.0, 1.0, 1.0, 2.0, 3.0, 5.0, 8.0],
    );
    // Several assignments to a state within a step count once.
    expect(&scripted("for k in 0..10 { s += u; } y = s;", "s = 0"), &[0.0, 5.0, 15.0, 30.0]);
    // Adjacent numbers are not equal, and infinity is above all.
    expect(&scripted("y = 0; if 0.1 + 0.2 > 0.3 { y += 1; } if 0.1 + 0.2 != 0.3 { y += 2; }", ""), &[3.0, 3.0]);
    expect(&scripted("y = best; if u > best { best = u; }", "best = -inf"), &[f64::NEG_INFINITY, 0.0, 0.5]);
    expect(&scripted("y = t + dt + n;", ""), &[0.5, 2.0, 3.5]);
    expect(&scripted("fn twice(x) { 2.0 * x } y = twice(u) > 1.0;", ""), &[0.0, 0.0, 1.0]);
}

#[test]
fn arrays_are_vectors() {
    let options: [(&str, &[&str]); 4] = [
        ("Script", &["last.remove(0); last.push(u); y = last; z = 0.0; for x in last { z += x; }"]),
        ("Outputs", &["z y[3]"]),
        ("State", &["last = zeros(3)"]),
        ("Inputs", &["u"]),
    ];
    expect(&fed("User/Script", &options, "z"), &[0.0, 0.5, 1.5, 3.0, 4.5]);
    let run = fed("User/Script", &options, "y");
    assert_eq!(Run::new(&run, "compiled").steps(4).exit("y"), [0.5, 1.0, 1.5]);
}

#[test]
fn its_mathematics_is_the_programs_own() {
    let want: Vec<f64> = (0..5).map(|n| Unary::Sin.value(0.5 * f64::from(n))).collect();
    for (got, want) in Run::new(&scripted("y = sin(u);", ""), "flat").trace("y", 5).iter().zip(want) {
        assert_eq!(got.to_bits(), want.to_bits());
    }
    // Whole numbers are numbers.
    for text in ["atan2(3.0, 4.0)", "atan2(3, 4.0)", "atan2(3.0, 4)", "atan2(3, 4)"] {
        let got = Run::new(&scripted(&format!("y = {text};"), ""), "simple").trace("y", 1)[0];
        assert!((got - 0.75f64.atan()).abs() < 1e-15, "{text}: {got}");
    }
    let run = |seed: &str| Run::new(&scripted(&format!("y = random({seed}, n);"), ""), "compiled").trace("y", 200);
    let (one, other) = (run("1"), run("2"));
    assert_eq!(one, run("1"));
    assert_ne!(one, other);
    let mean = one.iter().sum::<f64>() / 200.0;
    assert!((mean - 0.5).abs() < 0.1 && one.iter().all(|x| (0.0..1.0).contains(x)), "{mean}");
}

/// The state is part of the context: a run from a checkpoint continues with the same bits.
#[test]
fn a_checkpoint_has_the_scripts_state() {
    let simulation = scripted("y = a; let next = a + b; a = b; b = next;", "a = 0; b = 1");
    for engine in ENGINES {
        let mut run = Run::new(&simulation, engine);
        run.steps(5);
        let bytes = run.context.to_bytes(&run.program);
        let mut again = Run::new(&simulation, "simple");
        again.context = Context::from_bytes(&bytes, &again.program).expect("the checkpoint");
        assert_eq!(again.trace("y", 2), [5.0, 8.0]);
    }
}

/// x' = script: a script acts once in a step and is constant in the stages of a solver, like a zero-order hold.
#[test]
fn a_script_holds_through_the_stages_of_a_solver() {
    let sketch = Sketch { simulation: scripted("k += 1; y = u;", "k = 0") };
    let sketch = sketch.block(3, "Math/Integrate", &[]).block(4, "exit x", &[]);
    let simulation = sketch.wire("1.y", "3.Input").wire("3.Output", "4.Input").solver("rk4").simulation;
    for engine in ENGINES {
        assert_eq!(Run::new(&simulation, engine).trace("x", 4), [0.0, 0.0, 0.25, 0.75], "{engine}");
    }
}

#[test]
fn mistakes_have_a_line_a_column_and_a_block() {
    let found = diagnose(&scripted("y = 1;\nlet x = * 2;", ""), &Registry::standard());
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].message.contains("Script: line 2, column 9: "), "{found:?}");
    assert_eq!(found[0].location.block, Some(BlockId(1)));
    for (text, problem) in [
        ("y = 1;\nz = u;", "line 2, column 1: Variable not found: z"),
        ("if t < 1.0 { y = 1; }", "“y” has no value"),
        ("y = \"high\";", "“y” is not a number, but of the type string"),
        ("y = [1, 2];", "“y” must have 1 elements, not 2"),
        ("y = 1; if t >= 1.0 { loop { y += 1; } }", "Too many operations"),
        ("fn f(x) { f(x + 1) } y = if t < 1.0 { 0 } else { f(1) };", "Stack overflow"),
        ("y = if t < 1.0 { 0 } else { 1 / 0 };", "Division by zero"),
        ("y = 0; if t >= 1.0 { let a = [1]; for k in 0..60 { a += a; } }", "Size of array"),
    ] {
        let simulation = scripted(text, "");
        assert_eq!(diagnose(&simulation, &Registry::standard()), [], "{text}");
        let mut messages = Vec::new();
        for engine in ENGINES {
            let mut run = Run::new(&simulation, engine);
            let error = run.try_steps(10).expect_err("a step fails");
            assert!(error.problem.contains(problem), "{text}: {error}");
            assert_eq!(error.block, Some(BlockAddress::new(&[], BlockId(1))), "{text} on {engine}");
            assert_eq!(error.step, run.context.step, "the steps before are done");
            messages.push(error.to_string());
        }
        assert!(messages.iter().all(|message| *message == messages[0]), "{messages:?}");
    }
}

/// Some thousand operations copy or measure a long array each, directly or nested: if the elements did not count they
/// would be far below the limit of 20,000.
#[test]
fn elements_that_are_copied_count_as_operations() {
    let run = |text: &str| {
        let options = [("Script", &[text][..]), ("Limit", &["20000"])];
        Run::new(&fed("User/Script", &options, "y"), "simple").try_steps(1).map_err(|error| error.problem)
    };
    for text in [
        "y = 0; let a = []; a.pad(6000, 0); for k in 0..1000 { let b = a; }",
        "y = 0; let a = []; a.pad(6000, 0); let b = [0, a]; for k in 0..1000 { let c = b; }",
        "y = 0; let a = []; a.pad(6000, 0); fn f(x) { x.len() } for k in 0..1000 { y = f(a); }",
        "y = 0; let a = []; for k in 0..4500 { a.push(k); }",
    ] {
        let problem = run(text).expect_err(text);
        assert!(problem.contains("Too many operations"), "{text}: {problem}");
    }
    run("y = 0; let a = []; a.pad(200, 0); for k in 0..1000 { let b = a; }").expect("short arrays are copied");
    run("let a = []; for k in 0..1000 { a.push(k); } y = 0; for k in 0..1000 { y += a[k]; }").expect("a sum of 1,000");
}

/// What nests deeply would overflow the stack when it is copied, compared or freed; what calls itself, too. Each of these
/// is tried with an eighth of the stack that the threads of the program have.
#[test]
fn deep_values_and_calls_end_the_step_and_not_the_program() {
    let thread = std::thread::Builder::new().stack_size(simulate::threads::STACK / 8).spawn(deep_values_and_calls);
    thread.expect("a thread").join().expect("it ends");
}

fn deep_values_and_calls() {
    let nested = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(7), close.repeat(7));
    for (text, problem) in [
        ("let a = []; for k in 0..60000 { a = [a]; } y = 1;".to_owned(), "nested more than 64 deep"),
        (
            "let a = []; for k in 0..60000 { let b = []; b.push(a); a = b; } y = 1;".to_owned(),
            "nested more than 64 deep",
        ),
        ("let a = #{}; for k in 0..60000 { a = #{k: a}; } y = 1;".to_owned(), "nested more than 64 deep"),
        ("let a = [0]; for k in 0..60000 { a[0] = a; } y = 1;".to_owned(), "nested more than 64 deep"),
        (
            "let a = [0]; for k in 0..60000 { let b = []; b.pad(1, a); a = b; } y = 1;".to_owned(),
            "nested more than 64 deep",
        ),
        ("fn f(x) { if x > 0 { [f(x - 1)] } else { [] } } y = f(40);".to_owned(), "Stack overflow"),
        (format!("fn f(x) {{ {} }} y = f(1);", nested("if x > 0 {", "f(x + 1);", "}")), "Stack overflow"),
        (format!("fn f(x) {{ {} }} y = f(1);", nested("1 + (", "f(x + 1)", ")")), "Stack overflow"),
        ("fn f(x) { try { throw [x]; } catch (e) { f(x + 1) } } y = f(1);".to_owned(), "Stack overflow"),
        ("fn f(x) { [x].map(f) } y = f(1);".to_owned(), "Stack overflow"),
    ] {
        let error = Run::new(&scripted(&text, ""), "simple").try_steps(1).expect_err(&text);
        assert!(error.problem.contains(problem), "{text}: {error}");
    }
    for (open, inner, close) in [
        ("[", "1", "]"),
        ("(", "1", ")"),
        ("#{a: ", "1", "}"),
        ("-", "u", ""),
        ("!", "true", ""),
        ("1 + (", "1", ")"),
        ("f(", "1", ")"),
        ("a[", "0", "]"),
        ("`${", "1", "}`"),
        ("{", "1", "}"),
        ("|x| ", "1", ""),
        ("if u > 1 {", "1", "} else { 2 }"),
        ("switch 1 { 1 => ", "1", "}"),
        ("u < ", "u", ""),
        ("u == ", "u", ""),
        ("u && ", "u", ""),
        ("u + ", "u", ""),
        ("u - ", "u", ""),
    ] {
        for depth in [100, 100_000] {
            let text = format!("let a = [0]; y = {}{inner}{};", open.repeat(depth), close.repeat(depth));
            let found = diagnose(&scripted(&text, ""), &Registry::standard());
            assert!(found.iter().any(|problem| problem.message.contains("Script: line 1")), "{open}: {found:?}");
        }
    }
}

/// What takes long or much in one operation counts as many.
#[test]
fn no_operation_of_a_script_takes_long_or_much() {
    let run = |text: &str| {
        let options = [("Script", &[text][..]), ("Limit", &["100000"])];
        Run::new(&fed("User/Script", &options, "y"), "simple").try_steps(1).map_err(|error| error.problem)
    };
    for (text, problem) in [
        ("loop { let a = []; a.pad(65000, 0); }", "Too many operations"),
        ("let a = []; a.pad(5000, 0); loop { a.map(|x| x); }", "Too many operations"),
        ("let a = []; a.pad(5000, 0); loop { a.sort(|x, y| 0); }", "Too many operations"),
        ("let s = \"a\"; for k in 0..15 { s += s; } loop { s == \"b\"; }", "Too many operations"),
        ("let a = []; a.pad(2, a); a.pad(65536, a);", "Size of array"),
        ("let a = []; a.pad(1000000000, 0);", "Size of array"),
        ("let m = #{}; for k in 0..2000 { m[`${k}`] = k; }", "Size of object map"),
        ("let a = [0]; for k in 0..60 { a += a; }", "Size of array"),
        ("let a = [0]; loop { a.push(a); }", "Size of array"),
    ] {
        let text = format!("y = 1; {text}");
        let found = run(&text).expect_err(&text);
        assert!(found.contains(problem), "{text}: {found}");
    }
    let many: String = (0..300).map(|number| format!("let a{number} = 1; ")).collect();
    let found = run(&format!("{many} y = 1;")).expect_err("these are too many variables");
    assert!(found.contains("variables"), "{found}");
    for text in
        ["let f = |x| x; for k in 0..60 { f = f.curry(f); }", "let f = Fn(\"g\");", "let f = |x| x; curry(f, 1);"]
    {
        let found = diagnose(&scripted(&format!("y = 1; {text}"), ""), &Registry::standard());
        assert!(!found.is_empty(), "{text}");
    }
    run("y = 0; let a = [3, 1, 2]; a.sort(|x, y| x - y); a.pad(5, 7); y = a.map(|x| 2 * x).reduce(|s, x| s + x, 0);")
        .expect("functions of arrays are there");
}

/// A script has access to nothing but its numbers.
#[test]
fn a_script_is_locked_in() {
    for text in ["import \"x\" as x; y = 1;", "y = eval(\"1\");", "y = 2.0 ** 0.5;", "fn f() { this } y = u.f();"] {
        assert!(compile(&scripted(text, ""), &Registry::standard()).is_err(), "{text}");
    }
    for text in ["sleep(1); y = 1;", "y = timestamp();", "y = rand();"] {
        assert!(Run::new(&scripted(text, ""), "flat").try_steps(1).is_err(), "{text}");
    }
    let names = fed("User/Script", &[("Inputs", &["u"]), ("Outputs", &["u"])], "u");
    let found = diagnose(&names, &Registry::standard());
    assert!(found.iter().any(|problem| problem.message.contains("the name “u” is used twice")), "{found:?}");
}

/// Numbers are compared exactly, whichever of them is written without a point; nearly equal ones are not equal.
#[test]
fn scripts_compare_numbers_of_both_kinds_exactly() {
    let above = "1.0000000000000002";
    for (left, right, truths) in [
        (above, "1", [0, 1, 0, 0, 1, 1]),
        ("1", above, [0, 1, 1, 1, 0, 0]),
        (above, "1.0", [0, 1, 0, 0, 1, 1]),
        ("1", "1.0", [1, 0, 0, 1, 0, 1]),
        ("2", "1", [0, 1, 0, 0, 1, 1]),
    ] {
        for (operator, truth) in ["==", "!=", "<", "<=", ">", ">="].into_iter().zip(truths) {
            let text = format!("let a = {left}; let b = {right}; y = if a {operator} b {{ 1 }} else {{ 0 }};");
            expect(&scripted(&text, ""), &[f64::from(truth)]);
        }
    }
}

/// A text that doubles in a loop ends the step before it fills the memory.
#[test]
fn a_script_cannot_make_texts_without_end() {
    let simulation = scripted("let s = \"ab\"; for k in 0..40 { s += s; } y = 1;", "");
    for engine in ENGINES {
        let error = Run::new(&simulation, engine).try_steps(1).expect_err("it is stopped");
        assert!(error.problem.contains("Length of string"), "{engine}: {error}");
    }
}

/// The same number whether seed and number are written as whole ones or not; another one for another seed or number.
#[test]
fn a_random_number_of_a_script_depends_on_seed_and_number_alone() {
    let same = "let a = random(3, 7); y = 0; for b in [random(3, 7.0), random(3.0, 7), random(3.0, 7.0)] {
        if b != a { y += 1; } } if a < 0.0 || a >= 1.0 { y += 10; }";
    expect(&scripted(same, ""), &[0.0]);
    let others = "let a = random(3, 7); y = 0; for b in [random(4, 7), random(3, 8), random(7, 3), random(3.5, 7)] {
        if b == a { y += 1; } }";
    expect(&scripted(others, ""), &[0.0]);
}
