//! Where sessions with remote blocks are opened, and how they are kept.

/// The subject at which a worker of this build is requested.
pub(super) fn open_subject(build_key: &str) -> String {
    format!("simulate.block.{build_key}")
}

/// The workers of a pool, of which one hears each call.
pub(super) const GROUP: &str = "workers";

/// The session is still wanted.
pub(super) const KEEP: u8 = 51;
