//! The open document: its parts, and how it is opened, saved and edited.
//!
//! | module | contents |
//! |---|---|
//! | `open_file` | [`OpenFile`](open_file::OpenFile): the open document and all that belongs to it |
//! | `state` | the state that the window keeps for all documents |
//! | `files`, `editing` | carry out the commands and actions on files, and those that edit |
//! | `opening`, `saving`, `recovery`, `changed_outside` | its file: read, written, copied, changed by another program |
//! | `imported` | the bar above a file of another program |
//! | `exchange` | models and FMUs from and to other files |
//! | `block_source`, `file_permissions` | the blocks, where they find files, and which outside the folder they may use |
//! | `review` | compares the document with other states |
//! | `libraries` | the user's own blocks |

pub mod block_source;
mod changed_outside;
mod driven;
mod editing;
mod exchange;
mod file_permissions;
mod files;
mod imported;
mod libraries;
pub mod open_file;
mod opening;
pub mod recovery;
mod review;
mod saving;
pub mod state;
