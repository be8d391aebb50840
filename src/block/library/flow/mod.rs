//! Blocks that control which part of a model runs, and how often.

mod function_call;
mod if_else;
mod merge;
mod repeat;
mod switch_case;

use crate::block::{BlockDef, Builder, Expr};

pub const DEFS: &[&BlockDef] = &[&if_else::DEF, &switch_case::DEF, &merge::DEF, &function_call::DEF, &repeat::DEF];

/// Sets the output of the first condition that holds to 1, or the last output if none does, and all others to 0.
fn first_of<'b>(b: &'b Builder<'b>, conditions: impl Iterator<Item = Expr<'b>>) {
    let mut is_open = b.constant(1.0);
    for (output, condition) in conditions.enumerate() {
        b.output(output, is_open.and(condition));
        is_open = is_open.and(!condition);
    }
    b.output(b.output_count() - 1, is_open);
}
