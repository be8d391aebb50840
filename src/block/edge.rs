//! Edges of a control signal: one rule for all blocks and all roles of entries.

use super::Expr;

/// The choices of a parameter for the direction of an edge.
pub const EDGES: [&str; 3] = ["rising", "falling", "either"];

/// Returns 1 where the signal has an edge from the previous step to this one. There is no edge in the first step: a
/// signal that is high from the start has not risen.
pub fn edge_of<'b>(kind: &str, signal: Expr<'b>) -> Expr<'b> {
    edge(kind, signal.b.before(signal, f64::NAN), signal)
}

/// Returns 1 where the signal has an edge from `before` to `now`: rising where it was ≤ 0 and is > 0, falling where it was
/// > 0 and is ≤ 0, either where it is one of them. NaN is on neither side. `kind` is one of [`EDGES`].
pub fn edge<'b>(kind: &str, before: Expr<'b>, now: Expr<'b>) -> Expr<'b> {
    let rising = before.le(0.0).and(now.gt(0.0));
    let falling = before.gt(0.0).and(now.le(0.0));
    match kind {
        "rising" => rising,
        "falling" => falling,
        _ => rising.or(falling),
    }
}
