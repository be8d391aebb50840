//! Schedules of step code: which instructions share a loop, and how their operands are read in it. Machine code and
//! exported C are both written from them.
//!
//! | pass | from | to |
//! |---|---|---|
//! | [`gathers`] | a list of instructions | replaces gathered operands by rules ([`regular`]) or by [`segments`] |
//! | [`fusion`] | step code | groups instructions into loops and straight lines, and finds the results to be stored |
//! | [`for_c`] | a list | both of these, for exported C |
//! | [`sink`] | groups | moves instructions into the later loop that alone reads them |
//! | [`order`] | a group | orders its instructions so that few registers are in use |
//! | [`truths`] | groups | finds the scalars that are always 0 or 1, which are carried as masks |

pub(in crate::engine) mod cell_lists;
pub(crate) mod for_c;
pub(in crate::engine) mod fusion;
pub(in crate::engine) mod gathers;
pub(in crate::engine) mod order;
pub(in crate::engine) mod regular;
pub(in crate::engine) mod segments;
pub(in crate::engine) mod sink;
pub(in crate::engine) mod truths;
