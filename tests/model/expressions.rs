//! Expressions as texts: the names in them, and where their errors are.

use simulate::block::Registry;
use simulate::block::language::{Expression, NoNames, matrix};
use simulate::engine::compile;
use simulate::model::Variable;

use crate::sketch::{Run, Sketch};

#[test]
fn every_name_of_an_expression_is_given_with_its_position() {
    let text = "a + b(c)*-d - sin(e)/max(f, g) ? [h i; j, k] : [l:m:n] ^ (o > 2 && !p)";
    let expression = Expression::parse(text).expect("an expression");
    let mut names = Vec::new();
    expression.each_name(&mut |name, at| names.push((name.to_owned(), at)));
    // All single letters, once each.
    let is_alone = |at: usize| {
        let is_letter = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_alphabetic);
        is_letter(at) && !is_letter(at + 1) && (at == 0 || !is_letter(at - 1))
    };
    let want: Vec<(String, usize)> =
        (0..text.len()).filter(|at| is_alone(*at)).map(|at| (text[at..=at].to_owned(), at)).collect();
    assert_eq!(want.len(), 16);
    assert_eq!(names, want);
}

#[test]
fn an_error_is_where_its_part_begins() {
    for (text, at, problem) in [
        ("[1 2; 34 5 6]", 6, "row 2 has 3 elements, the rows above have 2"),
        ("[1; 2; 3 4]", 7, "row 3 has 2 elements, the rows above have 1"),
    ] {
        let error = matrix(text, &NoNames).expect_err("rows of different lengths");
        assert_eq!((error.at, &*error.problem), (at, problem), "{text}");
    }
}

/// A variable that is used by its element is one that its user depends on, as any other.
#[test]
fn variables_are_found_by_their_elements() {
    let with = |variables: &[(&str, &str)]| {
        let mut sketch = Sketch::new(1.0)
            .block(1, "Var/Static", &[("Value", &["a"])])
            .block(2, "exit y", &[])
            .wire("1.Output", "2.Input");
        variables.iter().for_each(|(name, value)| sketch.simulation.set_variable(name, Variable::new(value)));
        sketch.simulation
    };
    for order in [["a", "v", "w"], ["w", "v", "a"]] {
        let value = |name: &str| {
            if name == "a" {
                "10*v(2) + w(v(1))"
            } else if name == "v" {
                "[w(2) 5]"
            } else {
                "[7 1]"
            }
        };
        let simulation = with(&order.map(|name| (name, value(name))));
        assert_eq!(Run::new(&simulation, "simple").steps(1).exit("y"), [57.0]);
    }
    let found =
        compile(&with(&[("a", "v(1)"), ("v", "[2 a]")]), &Registry::standard()).expect_err("they need each other");
    assert!(found.iter().any(|problem| problem.message.contains("a → v → a")), "{found:?}");
}
