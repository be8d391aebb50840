//! How often each signal changes, and with it when a block acts that inherits its sample time.
//!
//! A signal changes in the steps of one [`Sample`], or never. What a block makes of several signals changes when one of
//! them does; a block with a state or a clock of its own changes in every step, a sampled one at its hits. Round a loop
//! of blocks that all inherit, nothing is said: there they act in every step. In a conditional or iterated part they act
//! in every run, whenever that is.

use super::skeleton::Drafts;
use super::widths::{Kernels, Readers};
use crate::block::{Kernel, Rate, Sample};

/// For each block when it acts or its outputs change; none where never.
pub(super) fn rates(Drafts { bare, places }: &Drafts, kernels: &Kernels) -> Vec<Option<Sample>> {
    let own = |block: usize| {
        let kernel = kernels.of[block].map(|kernel| &*kernels.list[kernel as usize]);
        own(kernel?).or_else(|| places[block].region.map(|_| Sample::EVERY))
    };
    let own: Vec<Option<Sample>> = (0..bare.len()).map(own).collect();
    let mut rates = own.clone();
    let readers = Readers::new(bare);
    let mut ahead: Vec<usize> = (0..bare.len()).filter(|&block| rates[block].is_some()).collect();
    // Rates only ever become finer, so this ends.
    while let Some(block) = ahead.pop() {
        let Some(rate) = rates[block] else { continue };
        for reader in readers.list[readers.places(block)].iter().map(|&reader| reader as usize) {
            if own[reader].is_some() {
                continue;
            }
            let finer = rates[reader].map_or(rate, |known| known.with(rate));
            if rates[reader] != Some(finer) {
                rates[reader] = Some(finer);
                ahead.push(reader);
            }
        }
    }
    rates
}

/// What a block says by itself.
fn own(kernel: &Kernel) -> Option<Sample> {
    match kernel.rate {
        Rate::Own(sample) => Some(sample),
        Rate::Inherited if kernel.inputs.is_empty() => Some(Sample::EVERY),
        Rate::Inherited => None,
        Rate::Unsampled => kernel.is_restless().then_some(Sample::EVERY),
    }
}
