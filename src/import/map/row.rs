//! A row of the table: how a kind of block is mapped.

use super::block::Cx;
use super::made::{Made, library};

/// How a kind of block is mapped.
#[derive(Clone, Copy)]
pub enum How {
    /// The same block under another name: its options with the parameters that they take as they are.
    Same(&'static str, &'static str, &'static [(&'static str, &'static str)]),
    /// The same with a sample time.
    Sampled(&'static str, &'static str, &'static [(&'static str, &'static str)]),
    /// A function of its parameters.
    By(fn(&mut Cx) -> Result<Made, String>),
    /// No counterpart, with the reason.
    Missing(&'static str),
}

/// A kind of block, or the name of a block of the program's own libraries.
pub type Row = (&'static str, How);

/// A block that passes its input on.
pub fn unchanged() -> Made {
    library("Math", "Gain").with_option("Gain", &["1"]).into()
}

/// Maps a block as its row says.
///
/// # Errors
/// With the reason why it has no counterpart.
pub fn apply(cx: &mut Cx, how: How) -> Result<Made, String> {
    match how {
        How::Same(group, name, options) => {
            let mut block = library(group, name);
            for (option, parameter) in options {
                cx.set(&mut block, option, parameter)?;
            }
            cx.note_type();
            Ok(block.into())
        }
        How::Sampled(group, name, options) => {
            let mut block = library(group, name);
            for (option, parameter) in options {
                cx.set(&mut block, option, parameter)?;
            }
            cx.set_sample_time(&mut block);
            Ok(block.into())
        }
        How::By(map) => map(cx),
        How::Missing(reason) => Err(reason.to_owned()),
    }
}
