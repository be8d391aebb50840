//! The report of an import: how each block is represented. The document keeps a part of it, so it is defined there.

pub use crate::model::imported::{Class, Entry, Missing, Report};
