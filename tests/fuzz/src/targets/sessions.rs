//! Messages of sessions with remote blocks over a pool: what opens one, and frames in parts. Whatever arrives in between, a
//! frame whose parts all come is the one that was sent.

use simulate::pool::message::PoolMessage;
use simulate::pool::{BlockOpen, BlockOpened, FrameJoiner, parts_of};

use super::pool::same;
use super::{MEGABYTE, Memory};

pub const MEMORY: Memory = Memory { fixed: 8 * MEGABYTE, times: 200 };

/// A frame of two parts begins with this kind.
const LONG: u8 = 200;

pub fn run(data: &[u8]) {
    same::<BlockOpen>(data);
    same::<BlockOpened>(data);
    let mut joiner = FrameJoiner::default();
    let (mut rest, mut length) = (data, 0);
    // Messages one after the other, each behind its length.
    while let Some((&count, behind)) = rest.split_first() {
        let (message, behind) = behind.split_at(behind.len().min(count.into()));
        length += message.len();
        if let Some(frame) = joiner.take(message) {
            assert!(frame.content.len() < length, "a frame has only bytes that came");
        }
        rest = behind;
    }
    let Some((&kind, content)) = data.split_first() else { return };
    let content = if kind == LONG { content.repeat(3 * MEGABYTE / 4 / content.len().max(1)) } else { content.to_vec() };
    let parts = parts_of(kind, &content);
    let frames: Vec<_> = parts.iter().filter_map(|part| joiner.take(part)).collect();
    assert_eq!(frames.len(), 1, "a frame that comes whole is read");
    assert!(frames.iter().all(|frame| frame.kind == kind && frame.content == content));
}

/// What opens a session, frames in one and in two parts, and parts without the others.
pub fn seeds() -> Vec<Vec<u8>> {
    let open = BlockOpen { model: "5".repeat(64), inbox: "_INBOX.abc".to_owned() };
    let opened = BlockOpened { worker: "host/1".to_owned(), subject: "_INBOX.def".to_owned() };
    let part = |number: u32, count: u32| [&[9][..], &number.to_le_bytes(), &count.to_le_bytes(), &[7]].concat();
    vec![
        open.to_bytes(),
        opened.to_bytes(),
        [part(0, 2), part(1, 2)].concat(),
        [part(1, 2), part(0, 1), part(0, 0)].concat(),
        [part(0, 3), part(2, 3), part(1, 3)].concat(),
        part(u32::MAX, 2),
        [&[LONG][..], &[1, 2, 3]].concat(),
    ]
}
