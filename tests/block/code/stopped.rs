//! What ends a run, with the line of the code.

use simulate::block::Reaction;
use simulate::engine::Samples;

use super::ENGINES;
use crate::sketch::{Run, Sketch};

/// The step's number as the input of code, which ends the run in a step with a message.
#[track_caller]
fn stops(code: &str, step: u64, message: &str) {
    let sketch = Sketch::new(1.0)
        .block(1, "Var/Clock", &[])
        .block(2, "User/Function", &[("Code", &[code]), ("Loop Limit", &["8"])])
        .block(3, "exit y", &[])
        .wire("1.Output", "2.u")
        .wire("2.y", "3.Input");
    for engine in ENGINES {
        let mut run = Run::new(&sketch.simulation, engine);
        let mut samples = Samples::default();
        run.watched_steps(100, &mut samples);
        let said: Vec<(u64, &str)> = samples.assertions().iter().map(|of| (of.step, of.message.as_str())).collect();
        assert_eq!((samples.end(), &said[..]), (Some(Reaction::Stop), &[(step, message)][..]), "{engine}: {code}");
    }
}

#[test]
fn a_loop_that_goes_on_ends_the_run() {
    let message = "line 3: this loop does not end after 8 rounds; the option “Loop Limit” allows more";
    stops("function y = f(u)\ny = u;\nwhile y > 0\n  y = y - 1;\nend\nend", 9, message);
    stops("function y = f(u)\ny = 0;\nfor k = 1:u\n  y = y + k;\nend\nend", 9, message);
    // Only where the loop is reached, and not left.
    let code =
        "function y = f(u)\ny = u;\nif u > 20\n while y > 3\n  y = y - 1;\n  if y < 17, break, end\n end\nend\nend";
    stops(code, 25, &message.replace("line 3", "line 4"));
}

#[test]
fn the_largest_of_no_elements_ends_the_run() {
    let code = "function y = f(u)\nv = [1; 2; 5];\ny = max(v(v > u));\nend";
    stops(code, 5, "line 3: max has no element: the condition chooses none");
    // Only where it is reached.
    let code = "function y = f(u)\nv = [1; 2; 5];\nm = v > u;\ny = 0;\nif any(m) || u > 8\n  y = min(v(m));\nend\nend";
    stops(code, 9, "line 6: min has no element: the condition chooses none");
}

#[test]
fn an_index_that_leaves_the_matrix_ends_the_run() {
    let message = "line 3: an index of “v” is outside 1 to 5";
    stops("function y = f(u)\nv = 1:5;\ny = v(u + 1);\nend", 5, message);
    stops("function y = f(u)\nv = 1:5;\nif u > 6, y = v(u - 1); else, y = 0; end\nend", 7, message);
}

#[test]
fn errors_and_assertions_end_the_run() {
    stops("y = u;\nif u > 3\n  error('too far');\nend", 4, "too far");
    stops("y = u;\nassert(u < 7, 'not below seven');", 7, "not below seven");
}

#[test]
fn integers_that_are_not_exact_end_the_run() {
    let message = "line 1: this int64 is beyond 2^53 = 9007199254740992, up to which integers are exact here";
    stops("y = int64(2) ^ u;", 54, message);
}
