//! The sample times of all units of a program.

use std::collections::BTreeMap;

use crate::block::SampleTime;
use crate::engine::{UnitId, UnitMap};

/// For each unit the sample time at which it acts or its outputs change; `None` if never. Most units have one of a few,
/// so that each is stored once.
#[derive(Clone, Debug, Default)]
pub struct UnitRates {
    /// In ascending order.
    distinct: Vec<Option<SampleTime>>,
    /// For each unit an index in `distinct`.
    units: UnitMap<u32>,
}

impl UnitRates {
    pub fn new(rates: &UnitMap<Option<SampleTime>>) -> UnitRates {
        let mut distinct: BTreeMap<Option<SampleTime>, u32> = BTreeMap::new();
        let mut before = None;
        for rate in rates.values() {
            if before.replace(*rate) != Some(*rate) {
                distinct.insert(*rate, 0);
            }
        }
        distinct.values_mut().zip(0..).for_each(|(index, number)| *index = number);
        let units = rates.values().map(|rate| distinct[rate]).collect();
        UnitRates { distinct: distinct.into_keys().collect(), units }
    }

    /// Units that solve algebraic loops have none.
    pub fn get(&self, unit: UnitId) -> Option<SampleTime> {
        let index = self.units.get(unit)?;
        self.distinct[*index as usize]
    }

    /// Returns each sample time once, in ascending order.
    pub fn distinct(&self) -> impl Iterator<Item = SampleTime> {
        self.distinct.iter().flatten().copied()
    }

    /// Returns the rates of a program with each unit `count` times in succession.
    pub(in crate::engine) fn repeated(&self, count: usize) -> UnitRates {
        let units = self.units.values().flat_map(|rate| std::iter::repeat_n(*rate, count)).collect();
        UnitRates { distinct: self.distinct.clone(), units }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sample_time_is_stored_once_and_found_again() {
        let slow = SampleTime { period: 10, offset: 2 };
        let rates = [Some(slow), None, Some(SampleTime::EVERY), Some(slow)];
        let stored = UnitRates::new(&rates.to_vec().into());
        assert_eq!(stored.units.keys().map(|unit| stored.get(unit)).collect::<Vec<_>>(), rates);
        assert_eq!(stored.distinct().collect::<Vec<_>>(), [SampleTime::EVERY, slow]);
        let twice = stored.repeated(2);
        assert_eq!(
            twice.units.keys().map(|unit| twice.get(unit)).collect::<Vec<_>>(),
            rates.map(|rate| [rate; 2]).concat()
        );
    }
}
