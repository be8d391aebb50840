//! How often each signal changes, and with it when a block acts that inherits its sample time.
//!
//! A signal changes in the steps of one [`SampleTime`], or never. What a block makes of several signals changes when
//! one of them does; a block with a state or a clock of its own changes in every step, a sampled one at its hits. Round
//! a loop of blocks that all inherit, nothing is said: there they act in every step. In a conditional or iterated
//! subsystem they act in every run, whenever that is.
//!
//! A signal is held where all that makes it change are blocks with a sample time, their own or inherited, be it as long
//! as a step: it is drawn as stairs.

use super::flatten::UntypedUnits;
use super::widths::{Kernels, UnitReaders};
use crate::block::{Kernel, Rate, SampleTime};

/// For each block when it acts or its outputs change; none where never.
pub(super) fn rates(UntypedUnits { untyped, places }: &UntypedUnits, kernels: &Kernels) -> Vec<Option<SampleTime>> {
    let own = |block: usize| {
        let kernel = kernels.of[block].map(|kernel| &*kernels.list[kernel as usize]);
        own(kernel?).or_else(|| places[block].subsystem.map(|_| SampleTime::EVERY))
    };
    let own: Vec<Option<SampleTime>> = (0..untyped.len()).map(own).collect();
    let mut rates = own.clone();
    let readers = UnitReaders::new(untyped);
    let mut ahead: Vec<usize> = (0..untyped.len()).filter(|&block| rates[block].is_some()).collect();
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

/// For each block whether its outputs hold their value from one hit of a sample time to the next.
pub(super) fn held(
    UntypedUnits { untyped, .. }: &UntypedUnits,
    kernels: &Kernels,
    rates: &[Option<SampleTime>],
) -> Vec<bool> {
    let kernel = |block: usize| kernels.of[block].map(|kernel| &*kernels.list[kernel as usize]);
    let is_sampled =
        |block: usize| kernel(block).is_some_and(|kernel| matches!(kernel.rate, Rate::Own(_) | Rate::Inherited));
    let is_source = |block: usize| !is_sampled(block) && kernel(block).is_some_and(|kernel| own(kernel).is_some());
    let mut ahead: Vec<usize> = (0..untyped.len()).filter(|&block| is_source(block)).collect();
    let mut is_held: Vec<bool> = rates.iter().map(Option::is_some).collect();
    ahead.iter().for_each(|&block| is_held[block] = false);
    let readers = UnitReaders::new(untyped);
    while let Some(block) = ahead.pop() {
        for reader in readers.list[readers.places(block)].iter().map(|&reader| reader as usize) {
            if is_held[reader] && !is_sampled(reader) {
                is_held[reader] = false;
                ahead.push(reader);
            }
        }
    }
    is_held
}

/// What a block says by itself.
fn own(kernel: &Kernel) -> Option<SampleTime> {
    match kernel.rate {
        Rate::Own(sample) => Some(sample),
        Rate::Continuous => Some(SampleTime::EVERY),
        Rate::Inherited if kernel.inputs.is_empty() => Some(SampleTime::EVERY),
        Rate::Inherited => None,
        Rate::Unsampled => kernel.is_time_varying().then_some(SampleTime::EVERY),
    }
}
