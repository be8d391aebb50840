//! Model blocks in workers: the transport of the model and of the engine's requests.
//!
//! | module | what lives there |
//! |---|---|
//! | `bundle` | a model and the number of a block as they are sent |
//! | `message` | the opening of a session, and frames in parts |
//! | `serve` | the process that computes a block, a child on pipes |
//! | `session` | the other side: the beginning of a session, and its silence |
//! | `child` | sessions with processes of this computer |
//!
//! The contents of requests and answers are defined by [`crate::engine::RemoteService`]. `nats` has sessions over a
//! pool.

mod bundle;
mod child;
mod message;
mod serve;
mod session;

pub use bundle::{BlockBundle, BlockHead};
pub use child::{BlockProcessOptions, ChildWorkers};
pub use message::{BlockOpen, BlockOpened, FrameJoiner, parts_of};
pub use serve::serve_block;
pub use session::{BlockLink, BlockSession};

/// A bundle. Answered by [`READY`] or [`REFUSED`].
pub(super) const LOAD: u8 = 48;
/// A request of the engine. Answered by [`ANSWER`], and by [`BEAT`] while that takes long.
pub(super) const ASK: u8 = 49;
/// The session ends.
pub(super) const CLOSE: u8 = 50;
/// The fingerprint of the prepared block, as 8 bytes.
pub(super) const READY: u8 = 176;
/// The answer of the engine.
pub(super) const ANSWER: u8 = 177;
/// The worker is at work.
pub(super) const BEAT: u8 = 178;
/// Why there is no answer, as text.
pub(super) const REFUSED: u8 = 179;

/// How often a worker says that it is at work, in milliseconds.
pub(super) const BEAT_MS: u64 = 500;
