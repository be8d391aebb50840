//! `simulate design`.

use serde_json::{Value, json};

use super::{folder, simulate};

fn told(args: &[&str]) -> Value {
    let folder = folder(&[]);
    let outcome = simulate(folder.path(), &[&["design", "c2d", "--format", "json"], args].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    serde_json::from_str(&outcome.out).unwrap()
}

/// 1/(2s + 1) with T = 1 and s = 2·(z − 1)/(z + 1) is (z + 1)/(5z − 3).
#[test]
fn a_transfer_function_becomes_discrete() {
    let got = told(&["--num", "1", "--den", "2 1", "--sample-time", "1", "--method", "tustin"]);
    let expected = json!({
        "method": "tustin", "sample_time": 1.0, "numerator": [0.2, 0.2], "denominator": [1.0, -0.6],
        "poles": [[0.6, 0.0]], "zeros": [[-1.0, 0.0]],
    });
    assert_eq!(got, expected);
    let folder = folder(&[]);
    let args = ["design", "c2d", "--num", "-1", "--den", "2 1", "--sample-time", "1", "--method", "tustin"];
    let outcome = simulate(folder.path(), &args);
    assert_eq!(outcome.out, "numerator    -0.2 -0.2\ndenominator  1 -0.6\nzeros\n  -1\npoles\n  0.6\n");
}

/// A double integrator, held: Φ = [1 T; 0 1], Γ = [T²/2; T] (Franklin, Powell, Workman, section 4.3).
#[test]
fn matrices_become_discrete() {
    let got = told(&["--a", "0 1; 0 0", "--b", "0; 1", "--c", "1 0", "--sample-time", "0.5"]);
    let expected = json!({
        "method": "zoh", "sample_time": 0.5, "a": [[1.0, 0.5], [0.0, 1.0]], "b": [[0.125], [0.5]], "c": [[1.0, 0.0]],
        "d": [[0.0]], "poles": [[1.0, 0.0], [1.0, 0.0]],
    });
    assert_eq!(got, expected);
    // Without outputs the states are.
    let got = told(&["--a", "0 1; 0 0", "--b", "0; 1", "--sample-time", "0.5"]);
    assert_eq!((&got["c"], &got["d"]), (&json!([[1.0, 0.0], [0.0, 1.0]]), &json!([[0.0], [0.0]])));
}

/// At the frequency of prewarping the gain is that of the continuous system: 1/√2 at the corner.
#[test]
fn prewarping_keeps_a_frequency() {
    let args = ["--num", "1", "--den", "1 1", "--sample-time", "1", "--method", "tustin", "--prewarp", "1"];
    let got = told(&args);
    let number = |name: &str, index: usize| got[name][index].as_f64().unwrap();
    // |b·(z + 1)/(z + a)| at z = exp(i).
    let (b, a) = (number("numerator", 0), number("denominator", 1));
    let size = |offset: f64| (1.0_f64.cos() + offset).hypot(1.0_f64.sin());
    assert!((b * size(1.0) / size(a) - 0.5_f64.sqrt()).abs() < 1e-14, "{got}");
}

#[test]
fn what_cannot_be_designed_says_why() {
    let folder = folder(&[]);
    for (args, code, want) in [
        (&["--sample-time", "1"][..], 1, "error: give a transfer function with --num and --den, or matrices"),
        (&["--num", "1", "--den", "1 1", "--sample-time", "0"], 1, "error: the sample time must be above 0 s"),
        (&["--num", "1 x", "--den", "1 1", "--sample-time", "1"], 1, "error: --num \"1 x\": "),
        (&["--num", "1 0 0", "--den", "1 1", "--sample-time", "1"], 1, "error: the degree of the numerator"),
        (&["--num", "1", "--den", "1 1", "--sample-time", "1", "--prewarp", "1"], 1, "error: --prewarp needs --method"),
        (&["--a", "1 2", "--b", "1", "--sample-time", "1"], 1, "error: --a: 1×2 elements, expected a square matrix"),
        (
            &["--a", "1", "--b", "1", "--c", "1 2", "--sample-time", "1"],
            1,
            "error: --c: 1×2 elements, expected 1 column,",
        ),
        (
            &["--a", "1", "--b", "1", "--sample-time", "1", "--method", "matched"],
            1,
            "error: matched poles and zeros need a transfer function",
        ),
        (&["--num", "1", "--sample-time", "1"], 2, "error: the following required arguments were not provided"),
        (&["--num", "1", "--den", "1 1"], 2, "error: the following required arguments were not provided"),
    ] {
        let outcome = simulate(folder.path(), &[&["design", "c2d"], args].concat());
        assert_eq!((outcome.code, outcome.err.starts_with(want)), (code, true), "{args:?}: {}", outcome.err);
    }
}
