//! The last samples of a signal, reduced to one value.

use crate::block::{Binary, Builder, Expr, ParamDef};

/// The length of a window.
pub(super) const LENGTH: ParamDef =
    ParamDef::integer("Window", 10, 1, 10_000).doc("The number of samples N, the current one included");
/// The content of a window before it is full.
pub(super) const START: ParamDef = ParamDef::choice("Start", &["samples so far", "initial value"])
    .doc("Before N samples have arrived: the result of these, or with the initial value in place of the others");
pub(super) const INITIAL: ParamDef = ParamDef::number("Initial Value", &[0.0])
    .vector()
    .doc("The value in place of the samples before the first, if Start selects it");

/// Reduces the samples of the window from the oldest to the newest, each element of a vector separately, and returns the
/// result and the number of samples. All samples are reduced again in each step: a sum that is only updated would
/// drift, and keep a not-a-number forever. `prepare` is applied to each sample and must give 0 for 0.
pub(super) fn reduced<'b>(
    b: &'b Builder<'b>,
    op: Binary,
    prepare: impl Fn(Expr<'b>) -> Expr<'b>,
) -> (Expr<'b>, Expr<'b>) {
    let (u, initial) = (b.input(0), b.param(INITIAL.name));
    let past_length = b.settings().integer(LENGTH.name) as usize - 1;
    let is_filled = b.settings().choice(START.name) == "initial value";
    let width = b.common_width(&[u, initial]);
    let newest = b.widen(prepare(u), width);
    if past_length == 0 {
        return (newest, b.constant(1.0));
    }
    let initial = match (is_filled, initial.width()) {
        (false, _) => b.constant(0.0),
        (true, 1) => prepare(initial),
        (true, _) => b.join(&vec![prepare(initial); past_length]),
    };
    let past = b.state(past_length.saturating_mul(width), initial);
    let sample = |number: usize| past.value.slice(number * width, width);
    let of_past = match width {
        1 => past.value.fold(op),
        _ => (1..past_length).fold(sample(0), |result, number| result.binary(op, sample(number))),
    };
    let shifted = past.value.width() - width;
    past.next(if shifted == 0 { newest } else { b.join(&[past.value.slice(width, shifted), newest]) });
    let most = b.constant(past_length as f64 + 1.0);
    let count = if is_filled {
        most
    } else {
        let before = b.state(1, b.constant(0.0));
        let count = (before.value + 1.0).min(most);
        before.next(count);
        count
    };
    (of_past.binary(op, newest), count)
}
