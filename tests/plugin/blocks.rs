//! Blocks of plug-ins on all engines: results, limits and failures.

use simulate::conformance;
use simulate::engine::Engines;
use simulate::plugin::{inspect, load};

use super::{ENGINES, EXAMPLE_C, EXAMPLE_RUST, chain, module, module_of_pages, one_block, outputs, registry, run};

/// The examples of the documentation pass the tests that all blocks of the library pass.
#[test]
fn the_examples_conform() {
    for bytes in [EXAMPLE_C, EXAMPLE_RUST] {
        let registry = registry(&[bytes]);
        let (_, defs) = load(bytes).expect("it is a plug-in");
        assert_eq!(defs.len(), 2);
        for def in defs {
            assert_eq!(conformance::block(def, &registry, &Engines::standard()), [""; 0]);
        }
    }
}

/// The pendulum in Rust has the bits of the same equations in the block ODE, and SciPy's values (DOP853, rtol 1e-13)
/// within the error of RK4 with steps of 1 ms.
#[test]
fn a_pendulum_has_the_bits_of_its_equations() {
    let registry = registry(&[EXAMPLE_RUST]);
    let options = |list: &[(&str, &[&str])]| -> String {
        let values = |values: &[&str]| values.iter().map(|value| format!("<value>{value}</value>")).collect::<String>();
        list.iter().map(|(name, of)| format!("<option name='{name}'>{}</option>", values(of))).collect()
    };
    let plugin =
        options(&[("Length", &["0.7"]), ("Mass", &["2"]), ("Damping", &["0.3"]), ("Initial State", &["1.2", "-0.4"])]);
    let equations = "a' = w; w' = M/(2*0.7*0.7) - 9.81/0.7*sin(a) - 0.3*w";
    let ode = options(&[("Equations", &[equations]), ("Initial Values", &["a = 1.2; w = -0.4"]), ("Inputs", &["M"])]);
    let model = format!(
        "<block id='1' group='Var' name='Static'><option name='Value'><value>0.5</value></option></block>
        <block id='2' group='Example Rust' name='Pendulum'>{plugin}</block>
        <block id='3' group='User' name='ODE'>{ode}</block>
        <exit id='4' name='a'/><exit id='5' name='w'/><exit id='6' name='a of ODE'/><exit id='7' name='w of ODE'/>
        <connection from='1' output='Output' to='2' input='Torque'/><connection from='1' output='Output' to='3' input='M'/>
        <connection from='2' output='Angle' to='4' input='Input'/><connection from='2' output='Speed' to='5' input='Input'/>
        <connection from='3' output='a' to='6' input='Input'/><connection from='3' output='w' to='7' input='Input'/>"
    );
    for engine in ENGINES {
        let exits = run(engine, &model, &registry, 2001).expect("it runs");
        let bits: Vec<u64> = exits.iter().map(|(_, value)| value[0].to_bits()).collect();
        assert_eq!(bits[..2], bits[2..], "{engine}: {exits:?}");
        for ((name, value), expected) in exits.iter().zip(PENDULUM) {
            assert!((value[0] - expected).abs() < 1e-9, "{engine}, {name}: {} instead of {expected}", value[0]);
        }
    }
}

/// Angle and speed after 2 s.
const PENDULUM: [f64; 2] = [0.640_543_584_852_06, -2.197_174_742_752_141_5];

/// An output that depends on states alone closes a loop: x' = (u − x)/T with u = 3·x, so that x grows by e^(2t).
#[test]
fn an_output_without_feedthrough_closes_a_loop() {
    let registry = registry(&[EXAMPLE_C]);
    let model = "<block id='1' group='Example C' name='Lag'><option name='Initial Value'><value>1</value></option></block>
        <block id='2' group='Example C' name='Gain'><option name='k'><value>3</value></option></block><exit id='3' name='x'/>
        <connection from='1' output='y' to='2' input='u'/><connection from='2' output='y' to='1' input='u'/>
        <connection from='1' output='y' to='3' input='Input'/>";
    let mut seen = Vec::new();
    for engine in ENGINES {
        let exits = run(engine, model, &registry, 501).expect("it runs");
        let x = exits[0].1[0];
        assert!((x - 1.0_f64.exp()).abs() < 1e-10, "{engine}: {x}");
        seen.push(x.to_bits());
    }
    seen.dedup();
    assert_eq!(seen.len(), 1);
    // A gain alone has feedthrough, and its loop is refused.
    let model = "<block id='2' group='Example C' name='Gain'/><connection from='2' output='y' to='2' input='u'/>";
    let error = run("simple", model, &registry, 1).expect_err("it is a loop");
    assert!(error.contains("algebraic loop"), "{error}");
}

/// The upper half of the bits of not-a-number, as the code sees them: of an input with another payload, and of 0/0.
#[test]
fn not_a_number_is_always_the_same() {
    let body = "(f64.store (local.get $y) (f64.convert_i64_u (i64.shr_u (i64.reinterpret_f64
        (f64.load (local.get $u))) (i64.const 32))))
        (f64.store (i32.load (i32.add (i32.load offset=36 (local.get $call)) (i32.const 8)))
        (f64.convert_i64_u (i64.shr_u (i64.reinterpret_f64 (f64.div (f64.const 0) (f64.const 0))) (i64.const 32))))
        (f64.store (i32.load (i32.add (i32.load offset=36 (local.get $call)) (i32.const 16)))
        (f64.reinterpret_i64 (i64.const 0xfff1234567890123))) (i32.const 0)";
    let description = one_block("Nan", "").replace(r#"{"name":"y"}"#, r#"{"name":"y"},{"name":"z"},{"name":"w"}"#);
    let bytes = module(&description, &outputs(body));
    let registry = registry(&[&bytes]);
    // −(∞ − ∞) has the sign of the processor turned.
    let model = "<block id='1' group='Var' name='Static'><option name='Value'><value>inf</value></option></block>
        <block id='2' group='User' name='Formula'><option name='Formula'><value>y = -(u - u)</value></option></block>
        <block id='3' group='Nan' name='B'/><exit id='4' name='y'/><exit id='5' name='z'/><exit id='6' name='w'/>
        <connection from='1' output='Output' to='2' input='u'/>
        <connection from='2' output='y' to='3' input='u'/><connection from='3' output='y' to='4' input='Input'/>
        <connection from='3' output='z' to='5' input='Input'/><connection from='3' output='w' to='6' input='Input'/>";
    for engine in ENGINES {
        let exits = run(engine, model, &registry, 2).expect("it runs");
        assert_eq!(exits[0].1, [f64::from(0x7ff8_0000_u32)], "{engine}: an argument");
        assert_eq!(exits[1].1, [f64::from(0x7ff8_0000_u32)], "{engine}: in the code");
        assert_eq!(exits[2].1[0].to_bits(), f64::NAN.to_bits(), "{engine}: a result");
    }
}

/// A result that the code does not set is not-a-number, and not that of another call.
#[test]
fn a_result_that_is_not_set_is_not_a_number() {
    let body = "(if (f64.gt (f64.load (local.get $u)) (f64.const 1.5)) (then
        (f64.store (local.get $y) (f64.load (local.get $u))))) (i32.const 0)";
    let bytes = module(&one_block("Unset", ""), &outputs(body));
    let registry = registry(&[&bytes]);
    for (value, is_set) in [("1", false), ("2", true)] {
        let exits = run("compiled", &chain("Unset", value), &registry, 3).expect("it runs");
        assert_eq!(exits[0].1[0].is_nan(), !is_set);
    }
}

/// What goes wrong ends the run on every engine; the message names the block and says what happened.
#[test]
fn a_failure_ends_the_run_and_names_the_block() {
    let count = "(global.set $count (f64.add (global.get $count) (f64.const 1)))
        (f64.store (local.get $y) (global.get $count)) (i32.const 0)";
    let cases: &[(&str, &str, String, &str)] = &[
        ("Endless", "", outputs("(loop $l (br $l)) (i32.const 0)"), "did not end within 10 million instructions"),
        ("Trap", "", outputs("unreachable"), "the plug-in stopped"),
        ("Outside", "", outputs("(f64.store (i32.const -8) (f64.const 1)) (i32.const 0)"), "the plug-in stopped"),
        ("Recursion", "", format!("(func $f (call $f)) {}", outputs("(call $f) (i32.const 0)")), "the plug-in stopped"),
        ("Code", "", outputs("(i32.const 7)"), "has no result: error 7"),
        (
            "Text",
            r#"(import "simulate" "print" (func $print (param i32 i32))) (data (i32.const 8) "no \nroot")"#,
            outputs("(call $print (i32.const 8) (i32.const 8)) (i32.const 1)"),
            "has no result: no  root",
        ),
        // A length beyond the memory and one beyond the log.
        (
            "Flood",
            r#"(import "simulate" "print" (func $print (param i32 i32)))"#,
            outputs(
                "(call $print (i32.const -4) (i32.const -1)) (loop $l (call $print (i32.const 0) (i32.const 60000)) (br $l)) (i32.const 1)",
            ),
            "did not end within 10 million instructions",
        ),
        ("Counter", "(global $count (mut f64) (f64.const 0))", outputs(count), "keeps values between calls"),
        (
            "Start",
            "(func $s (loop $l (br $l))) (start $s)",
            outputs("(i32.const 0)"),
            "did not end within 10 million instructions",
        ),
    ];
    for (name, before, code, expected) in cases {
        let code = format!("{before} {code}");
        let description = one_block(name, "");
        let bytes = module(&description, &code);
        let registry = registry(&[&bytes]);
        for engine in ENGINES {
            let error = run(engine, &chain(name, "2"), &registry, 5).expect_err(name);
            assert!(error.contains(expected), "{name}, {engine}: {error}");
            assert!(error.starts_with("#2: "), "{name}, {engine}: {error}");
        }
    }
}

/// A module that begins with all of the memory leaves none for its calls; one with more is refused.
#[test]
fn too_much_memory_is_refused() {
    let bytes = module_of_pages(256, &one_block("Memory", ""), &outputs("(i32.const 0)"));
    let registry = registry(&[&bytes]);
    for engine in ENGINES {
        let error = run(engine, &chain("Memory", "2"), &registry, 5).expect_err("it is too much");
        assert!(error.contains("needs more than the 16 MB of memory"), "{engine}: {error}");
    }
    let bytes = module_of_pages(257, &one_block("Memory", ""), &outputs("(i32.const 0)"));
    let problem = inspect(&bytes).expect_err("it is too much").to_string();
    assert_eq!(problem, "the module needs 16.1 MB of memory at its start; a plug-in may have 16 MB");
}

/// More memory than the limit is refused to the code, which can go on without it.
#[test]
fn memory_cannot_grow_beyond_its_limit() {
    let body = "(f64.store (local.get $y) (f64.convert_i32_s (memory.grow (i32.const 1000)))) (i32.const 0)";
    let bytes = module(&one_block("Grow", ""), &outputs(body));
    let registry = registry(&[&bytes]);
    for engine in ENGINES {
        assert_eq!(run(engine, &chain("Grow", "2"), &registry, 5), Ok(vec![("y".to_owned(), vec![-1.0])]));
    }
}

/// A long vector, of which 3.2 MB are copied in and out.
#[test]
fn a_long_vector_runs() {
    let registry = registry(&[EXAMPLE_C]);
    let model = "<block id='1' group='User' name='Formula'><option name='Formula'><value>y = 0.5*ones(200000)</value></option>
        <option name='Inputs'><value></value></option></block>
        <block id='2' group='Example C' name='Gain'><option name='k'><value>3</value></option></block><exit id='3' name='y'/>
        <connection from='1' output='y' to='2' input='u'/><connection from='2' output='y' to='3' input='Input'/>";
    for engine in ENGINES {
        let exits = run(engine, model, &registry, 2).expect("it runs");
        assert!(exits[0].1 == vec![1.5; 200_000], "{engine}");
    }
}

/// The clock of a block that reads it, on a sample time of two steps: the sample's number, its time and its step size.
#[test]
fn the_clock_counts_samples() {
    let body = "(f64.store (local.get $y) (f64.add (f64.load offset=16 (local.get $call)) (f64.add
        (f64.mul (f64.const 1000) (f64.load (local.get $call)))
        (f64.mul (f64.const 100000) (f64.load offset=8 (local.get $call)))))) (i32.const 0)";
    let bytes = module(&one_block("Clock", r#","time":true,"sampled":true"#), &outputs(body));
    let registry = registry(&[&bytes]);
    let model = chain("Clock", "0")
        .replace("name='B'/>", "name='B'><option name='Sample Time'><value>0.002</value></option></block>");
    for engine in ENGINES {
        // After 6 steps of 1 ms the last sample was the third, number 2, at 4 ms.
        let exits = run(engine, &model, &registry, 6).expect("it runs");
        assert!((exits[0].1[0] - (2.0 + 4.0 + 200.0)).abs() < 1e-9, "{engine}: {exits:?}");
    }
}

/// Rows of equal blocks without state, which engines compute side by side, have the bits of the same rows of the
/// library's gain; each stands between blocks that are computed in lanes.
#[test]
fn rows_of_equal_blocks_have_the_bits_of_rows_of_gains() {
    const ROWS: usize = 40;
    let registry = registry(&[EXAMPLE_C]);
    let mut model = String::from(
        "<block id='1' group='Var' name='Sine'><option name='Frequency'><value>3</value></option></block>",
    );
    for row in 0..ROWS {
        let id = |part: usize| 100 * (row + 1) + part;
        let bias = format!("<option name='Bias'><value>{}</value></option>", 0.01 * row as f64);
        model += &format!("<block id='{}' group='Math' name='Bias'>{bias}</block>", id(0));
        model += &format!("<connection from='1' output='Output' to='{}' input='Input'/>", id(0));
        for (part, group, [input, output, factor]) in
            [(1, "Example C", ["u", "y", "k"]), (2, "Math", ["Input", "Output", "Gain"])]
        {
            let (gain, sum, exit) = (id(part), id(part + 2), id(part + 4));
            let option = format!("<option name='{factor}'><value>{}</value></option>", 0.1 * row as f64 - 1.3);
            model += &format!(
                "<block id='{gain}' group='{group}' name='Gain'>{option}</block>
                <block id='{sum}' group='Math' name='Integrate'/><exit id='{exit}' name='{group} {row:02}'/>
                <connection from='{}' output='Output' to='{gain}' input='{input}'/>
                <connection from='{gain}' output='{output}' to='{sum}' input='Input'/>
                <connection from='{sum}' output='Output' to='{exit}' input='Input'/>",
                id(0)
            );
        }
    }
    for engine in ENGINES {
        let exits = run(engine, &model, &registry, 300).expect("it runs");
        let bits = |group: &str| -> Vec<u64> {
            let of_group = exits.iter().filter(|(name, _)| name.starts_with(group));
            of_group.map(|(_, value)| value[0].to_bits()).collect()
        };
        let (plugin, library) = (bits("Example C"), bits("Math"));
        assert_eq!((plugin.len(), &plugin), (ROWS, &library), "{engine}");
        assert!(plugin.windows(2).all(|pair| pair[0] != pair[1]), "{engine}: the rows differ");
    }
}
