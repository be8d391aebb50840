//! A run as its user sees it: [`runner`] runs it on a thread of its own, [`recording`] keeps its signals.

pub(super) mod difference;
pub(super) mod recording;
pub(super) mod runner;
