//! How often each signal changes, and with it the steps in which a unit acts that inherits its sample time.
//!
//! A signal changes in the steps of one [`SampleTime`], or never. The outputs of a unit with several inputs change when
//! one of these does; a unit with a state or a clock of its own changes in every step, a sampled one at its hits. In a
//! loop of units that all inherit, nothing determines the rate: they act in every step. In a conditional or iterated
//! subsystem units act in every run.
//!
//! A signal is held if every unit that makes it change has a sample time, its own or an inherited one, also if that is
//! every step: it is drawn as stairs.

use super::flatten::FlatUnit;
use super::widths::Kernels;
use crate::block::{Kernel, Rate, SampleTime};
use crate::engine::program::graph::Graph;
use crate::engine::{UnitId, UnitMap};

/// For each unit, the sample time at which it acts or its outputs change; `None` if never. `readers` has for each unit
/// the units that read its outputs.
pub(super) fn rates(
    units: &UnitMap<FlatUnit>,
    kernels: &Kernels,
    readers: &Graph<UnitId>,
) -> UnitMap<Option<SampleTime>> {
    let own = |unit: UnitId| own(kernels.kernel(unit)?).or_else(|| units[unit].subsystem.map(|_| SampleTime::EVERY));
    let own: UnitMap<Option<SampleTime>> = units.keys().map(own).collect();
    let mut rates = own.clone();
    let mut pending: Vec<UnitId> = units.keys().filter(|&unit| rates[unit].is_some()).collect();
    // Rates only ever become finer, so this ends.
    while let Some(unit) = pending.pop() {
        let Some(rate) = rates[unit] else { continue };
        for &reader in readers.successors(unit) {
            if own[reader].is_some() {
                continue;
            }
            let finer = rates[reader].map_or(rate, |known| known.with(rate));
            if rates[reader] != Some(finer) {
                rates[reader] = Some(finer);
                pending.push(reader);
            }
        }
    }
    rates
}

/// For each unit, whether its outputs hold their value from one hit of a sample time to the next.
pub(super) fn held(kernels: &Kernels, readers: &Graph<UnitId>, rates: &UnitMap<Option<SampleTime>>) -> UnitMap<bool> {
    let kernel = |unit: UnitId| kernels.kernel(unit);
    let is_sampled =
        |unit: UnitId| kernel(unit).is_some_and(|kernel| matches!(kernel.rate, Rate::Own(_) | Rate::Inherited));
    let is_source = |unit: UnitId| !is_sampled(unit) && kernel(unit).is_some_and(|kernel| own(kernel).is_some());
    let mut pending: Vec<UnitId> = rates.keys().filter(|&unit| is_source(unit)).collect();
    let mut is_held: UnitMap<bool> = rates.values().map(Option::is_some).collect();
    pending.iter().for_each(|&unit| is_held[unit] = false);
    while let Some(unit) = pending.pop() {
        for &reader in readers.successors(unit) {
            if is_held[reader] && !is_sampled(reader) {
                is_held[reader] = false;
                pending.push(reader);
            }
        }
    }
    is_held
}

/// The sample time that a unit has whatever its inputs.
fn own(kernel: &Kernel) -> Option<SampleTime> {
    match kernel.rate {
        Rate::Own(sample) => Some(sample),
        Rate::Continuous => Some(SampleTime::EVERY),
        Rate::Inherited if kernel.inputs.is_empty() => Some(SampleTime::EVERY),
        Rate::Inherited => None,
        Rate::Unsampled => kernel.is_time_varying().then_some(SampleTime::EVERY),
    }
}
