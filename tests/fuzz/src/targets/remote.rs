//! Requests to a worker that computes a model block: whatever arrives is refused, or is answered, and ends.

use std::cell::RefCell;
use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{RemoteService, compile};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader};
use simulate::pool::BlockBundle;
use simulate::pool::message::PoolMessage;

use super::{MEGABYTE, Memory};

pub const MEMORY: Memory = Memory { fixed: 64 * MEGABYTE, times: 200 };

/// A block with states, a delay and an output.
const FILE: &[u8] = include_bytes!("remote.simx");

thread_local! {
    static SERVICE: RefCell<Option<RemoteService>> = const { RefCell::new(None) };
}

fn service() -> RemoteService {
    let simulation = Simx.read(FILE, &LoadOptions::default()).expect("it is well formed").simulation;
    let program = Arc::new(compile(&simulation, &Registry::standard()).expect("it compiles"));
    RemoteService::new(&program, 0).expect("a remote block")
}

pub fn run(data: &[u8]) {
    if let Ok(bundle) = BlockBundle::of_bytes(data) {
        assert_eq!(BlockBundle::of_bytes(&bundle.to_bytes()), Ok(bundle));
    }
    SERVICE.with_borrow_mut(|service| {
        let service = service.get_or_insert_with(self::service);
        // The sequence number comes back.
        if let Ok(answer) = service.answer(data) {
            assert_eq!(answer.get(..8), data.get(..8));
        }
    });
}

/// A begin of a run, and each further item behind it.
pub fn seeds() -> Vec<Vec<u8>> {
    let begin = [&7u64.to_le_bytes()[..], &[5], &3u64.to_le_bytes(), &[2, 0, 0, 0], &0u32.to_le_bytes()].concat();
    let mut seeds = vec![begin.clone()];
    for body in 0..4u32 {
        seeds.push([&begin[..], &[1], &body.to_le_bytes(), &[0, 3, 4]].concat());
    }
    let changes = [&[2][..], &2u32.to_le_bytes(), &1u32.to_le_bytes(), &f64::NAN.to_le_bytes()].concat();
    seeds.push([&begin[..], &[1, 0, 0, 0, 0], &changes].concat());
    // A begin that breaks off, and a body behind it.
    seeds.push(begin[..begin.len() - 2].to_vec());
    seeds.push([&7u64.to_le_bytes()[..], &[1], &0u32.to_le_bytes(), &[0]].concat());
    let watched = [&7u64.to_le_bytes()[..], &[2, 0, 0, 0], &2u32.to_le_bytes(), &[0; 4], &[9; 4]].concat();
    seeds.push(watched);
    seeds
}
