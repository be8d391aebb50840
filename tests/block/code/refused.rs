//! What code cannot say, and the answers.

use simulate::block::Registry;
use simulate::engine::diagnose;

use crate::sketch::Sketch;

/// Returns the messages about a function with the input `u`, a vector of 3.
fn message(code: &str) -> String {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["1 2 3"])])
        .block(1, "User/Function", &[("Code", &[code])])
        .wire("0.Output", "1.u");
    let found = diagnose(&sketch.simulation, &Registry::standard());
    found.iter().map(|found| found.message.as_str()).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn refused(code: &str, want: &str) {
    let got = message(code);
    assert!(got.contains(want), "{code}\n{got}");
}

/// The message names the line and column, and shows the line with a mark.
#[test]
fn mistakes_have_their_place() {
    let got = message("function y = f(u)\n  y = u + k;\nend");
    assert!(
        got.contains("line 2, column 11: there is no variable or function “k”\n  y = u + k;\n          ^"),
        "{got}"
    );
}

#[test]
fn mistakes_of_the_text_are_named() {
    for (statements, want) in [
        ("y = u +;", "line 2, column 8: “;” is not allowed here"),
        ("y = (u;", "line 2, column 7: “;” is not allowed here"),
        ("if u(1) > 0\n y = 1;", "the “end” of this “if” is missing"),
        ("y = u; else", "there is nothing that “else” ends"),
        ("y = 'abc", "the closing quotation mark"),
        ("%{\ny = u", "the end %} of this comment is missing"),
        ("y = u;\nend\ny = 2;", "behind a function only another one is allowed"),
        ("", "the result “y” is never set"),
        ("y = u{1};", "“{” is not allowed here"),
        ("f = @(x) x; y = u;", "functions are no values here"),
        ("try\n y = u;\nend", "“try” is not known"),
        ("global g\ny = u;", "global variables are not seen by a block"),
        ("y = u; break;", "“break” and “continue” belong in a loop"),
    ] {
        refused(&format!("function y = f(u)\n{statements}"), want);
    }
    refused("function y = f(u, v, u)\ny = u;\nend", "two arguments are called “u”");
    refused("function [y, y] = f(u)\ny = u;\nend", "two results are called “y”");
}

#[test]
fn sizes_must_fit() {
    refused("y = u + [1 2];\ny = y + ones(2, 2);", "a matrix of 3×2 does not match one of 2×2");
    refused("y = [1 2 3] * [4 5 6] + sum(u);", "a matrix of 1×3 cannot be multiplied by one of 1×3");
    refused("y = u(4);", "“u” has the elements 1 to 3, not 4");
    refused("y = u(0);", "0 is no index");
    refused("y = u(1.5);", "1.5 is no index");
    refused("y = [1 2; 3] + u(1);", "row 2 has 1 elements, the rows above have 2");
    refused("y = u; y(1:2) = [1 2 3];", "a value of 1×3 does not fit 2 elements");
    refused("if u(1) > 0, y = 1; else, y = [1 2]; end", "“y” is 1×1 where the condition holds and 1×2 where not");
    refused("y = inv([1 2 3]) + u(1);", "a square matrix is required here");
}

/// Texts choose branches and are messages; they are no numbers.
#[test]
fn texts_are_no_numbers() {
    refused("y = 'a' + u;", "the text “a” is no number");
    refused("y = reshape('ab', 1, 2) + u(1);", "the text “ab” is no number");
    refused("y = repmat('ab', 1, 2) + u(1);", "the text “ab” is no number");
    refused("assert('ab'); y = u;", "the text “ab” is no number");
    let kept = "function y = f(u)\npersistent z\nif isempty(z), z = 1; end\nz = 'a';\ny = u;\nend";
    refused(kept, "“z” is 1×1 and becomes the text “a”");
}

#[test]
fn what_must_be_known_before_the_run_is_asked_for() {
    refused("y = zeros(u(1), 1);", "a size must be known before the run");
    refused("y = u(u > 1);", "which elements these are changes in the run");
    refused("y = median(u(u > 1));", "reduce them at once, as in sum(x(x > 0))");
    refused("y = sum(u(u > 1), 1);", "reduce them at once");
    refused("y = u; y(1) = sum(u .* u(u > 1));", "with elements chosen by the same condition");
    refused("y = u; y(u > 1) = u(u < 1);", "so the same one chooses those of “y”");
    refused("[y, k] = max(u(u > 1));", "there is one result only");
    refused("y = mean(int8(u(u > 1)));", "convert them with double(x)");
    refused("y = find(u > 1);", "numel(find(v)) counts them");
    refused("y = u(u(u > 1));", "which elements these are changes in the run");
    refused("y = sum(u([u; u] > 1));", "“u” has 3 elements and the condition 6");
    refused("y = zeros(1, 3);\ny = y(1:u(1));", "a single number that does not change during a run");
    refused("y = 0;\nfor k = 1:u, y = y + k; end", "the bounds of a range are single numbers");
}

#[test]
fn variables_are_set_before_they_are_read() {
    refused("function y = f(u)\nif u(1) > 0\n z = 1;\nend\ny = z;\nend", "“z” is not set in each branch above");
    refused("function y = f(u)\nif u(1) > 0, return, end\ny = 1;\nend", "the result “y” is not set before this return");
    assert_eq!(message("function y = f(u)\nif u(1) > 0\n y = 1;\n return\nend\ny = 2;\nend"), "");
}

/// A persistent variable that is set only where something holds that changes in the run would be empty elsewhere.
#[test]
fn persistent_variables_have_an_initial_value() {
    let code = "function y = f(u)\npersistent z\nif isempty(z) && u(1) > 0\n z = 3;\nend\ny = u;\nend";
    refused(code, "“z” is not set in each branch here");
    refused("function y = f(u)\npersistent z\nif isempty(z)\n z = [];\nend\ny = u;\nend", "has at least one element");
    let grows = "function y = f(u)\npersistent z\nif isempty(z), z = 1; end\nz = [z u(1)];\ny = u;\nend";
    refused(grows, "“z” is 1×1 and becomes 1×2; its size and class are fixed");
}

#[test]
fn what_is_unknown_has_an_answer() {
    refused("y = rand(3, 1) + u;", "connect the block Var/Random");
    refused("disp(u); y = u;", "make the value an output and watch the signal");
    refused("function y = f(u)\ny = sine(u);\nend", "there is no function “sine”; do you mean “sin”?");
    refused("y = sqrt(u, 2);", "2 arguments are given");
    refused("function y = f(u)\ny = f2(u);\nend", "there is no function “f2”");
    refused("function y = f(u)\ny = f(u);\nend", "this is nested too deeply");
    refused("y = u; while true, y = y + 1; end", "this loop does not end after 100000 rounds");
}

#[test]
fn classes_that_do_not_combine_are_named() {
    refused("y = int8(u) + int16(u);", "int8 and int16 do not combine; convert one of them, such as int8(x)");
    refused("y = sqrt(int8(u));", "“sqrt” takes no int8; convert it with double(x)");
    refused("y = atan2(int8(u), 1);", "“atan2” takes no int8; convert it with double(x)");
    refused("y = int8([1 2 3]) * int8(u);", "a product of matrices takes no int8");
    refused("y = u; y(1) = int8(3);", "“y” is double and the new elements are int8; convert them with double(x)");
    refused(
        "if u(1) > 0, y = int8(1); else, y = 2; end",
        "“y” is int8 1×1 where the condition holds and 1×1 where not",
    );
    refused("y = u + intmax('int64');", "beyond 2^53 = 9007199254740992");
    refused("y = u + double(uint64(1e16));", "this uint64 is beyond 2^53");
    refused("y = zeros(3, 1, 'int9') + u;", "“int9” is no class of numbers");
    refused("for k = int8(1):0.5:3, y = u; end", "the step of a range of integers is an integer");
    let changes = "function y = f(u)\npersistent n\nif isempty(n), n = 0; end\nn = n + uint8(1);\ny = u;\nend";
    refused(changes, "“n” is 1×1 and becomes uint8 1×1");
}

#[test]
fn fields_that_do_not_fit_are_named() {
    refused("s.x = u; y = s + 1;", "a structure is no number; take one of its fields x");
    refused("s.x = u; y = s.v;", "“s” has no field “v”; it has x");
    refused("y = u; y.x = 1;", "“y.x” cannot be set, because a part of it is a number");
    refused("y = u.speed;", "“u” is no structure and has no field “speed”");
    refused("s = struct('x'); y = u;", "a structure is written struct('name', value, …)");
    let differs = "s.x = u; if u(1) > 0\n s.v = 1;\nend\ny = s.x;";
    refused(differs, "“s” is a structure of x, v where the condition holds and a structure of x where not");
}

#[test]
fn tables_that_cannot_be_read_are_refused() {
    refused("y = interp1([1 3 2], [1 2 3], u);", "the points x of a table rise, or fall");
    refused("y = interp1([1 2], [1 2 3], u);", "a table of two vectors of equal length");
    refused("y = interp1([1 2], [1 2], u, 'spline');", "the method is 'linear', 'nearest' or 'previous'");
    refused("y = trapz([1 2], [1 2 3]) + u;", "trapz takes vectors of equal length");
    refused("y = nthroot(u, 2.5);", "a positive whole degree");
}
