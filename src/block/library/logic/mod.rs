//! Logic: true is 1, false is 0, and any nonzero input counts as true.

mod bits_to_integer;
mod bitwise;
mod combinatorial;
mod compare;
mod compare_to_constant;
mod compare_to_zero;
mod counter;
mod d_flip_flop;
mod d_latch;
mod detect_change;
mod detect_edge;
mod frequency_divider;
mod gate;
mod integer_to_bits;
mod interval_test;
mod interval_test_dynamic;
mod jk_flip_flop;
mod number_test;
mod shift;
mod sr_flip_flop;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[
    &compare::DEF,
    &gate::DEF,
    &compare_to_constant::DEF,
    &compare_to_zero::DEF,
    &number_test::DEF,
    &detect_change::DEF,
    &detect_edge::DEF,
    &interval_test::DEF,
    &interval_test_dynamic::DEF,
    &combinatorial::DEF,
    &d_flip_flop::DEF,
    &d_latch::DEF,
    &sr_flip_flop::DEF,
    &jk_flip_flop::DEF,
    &counter::DEF,
    &bitwise::DEF,
    &shift::DEF,
    &integer_to_bits::DEF,
    &bits_to_integer::DEF,
    &frequency_divider::DEF,
];
