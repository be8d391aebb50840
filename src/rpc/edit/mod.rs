//! The operations of an edit: together one change of the document, applied all or none.
//!
//! | module | contents |
//! |---|---|
//! | `operation` | the operations as a client writes them, with their schema |
//! | `draft` | turns operations into edits of the document, each on what those before it have made |
//! | `value` | the values of parameters, from JSON |

mod draft;
mod operation;
mod value;

pub use self::draft::EditDraft;
pub use self::operation::{operations_schema, parse};
