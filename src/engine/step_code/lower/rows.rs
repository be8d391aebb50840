//! Rows of equal units: which units stand side by side, so that one instruction reads adjacent cells for all of them.
//!
//! Units of one kernel and level are drawn in any order: of each mass of a ring one gain that reads its position and
//! one that reads its velocity. [`classes`] separates the two, so that each becomes a row.

use std::collections::HashMap;

use super::MIN_BATCH;
use super::batch::source;
use super::space::is_scalar;
use crate::engine::program::schedule::Schedule;
use crate::engine::{Program, UnitId, UnitMap};

/// Rounds of refinement: a row that is divided may divide its readers.
const ROUNDS: usize = 6;
/// An input divides a row if no row feeds more than this share of its units, in quarters. The remaining units are
/// exceptions, such as the neighbours of the first and the last.
const REGULAR: usize = 3;

/// Sorts the units of each kernel and level in rows that read equal rows, and returns the row of each unit. If units have
/// locations, each row is in one location.
pub(in crate::engine::step_code) fn classes(
    program: &Program,
    schedule: &mut Schedule,
    locations: Option<&UnitMap<u32>>,
) -> UnitMap<u32> {
    let key = |unit: UnitId| {
        let found = &program.units[unit];
        (found.subsystem, schedule.levels[unit], found.kernel)
    };
    let mut rows: Vec<Vec<UnitId>> =
        schedule.order.chunk_by(|a, b| key(*a) == key(*b)).map(<[UnitId]>::to_vec).collect();
    let mut classes = program.by_unit(0);
    for _ in 0..ROUNDS {
        // Units that run alone, or not at all, are rows of their own.
        classes.values_mut().zip(0..).for_each(|(class, unit)| *class = rows.len() as u32 + unit);
        for (row, number) in rows.iter().zip(0..) {
            row.iter().for_each(|&unit| classes[unit] = number);
        }
        let count = rows.len();
        rows = rows.into_iter().flat_map(|row| divided(program, &classes, row)).collect();
        if rows.len() == count {
            break;
        }
    }
    if let Some(locations) = locations {
        rows = rows.into_iter().flat_map(|row| by_locations(program, locations, row)).collect();
        for (row, number) in rows.iter().zip(0..) {
            row.iter().for_each(|&unit| classes[unit] = number);
        }
    }
    schedule.order = rows.concat();
    classes
}

/// Divides a row by the locations of its units; units that pass on their input stay in the order of the data.
fn by_locations(program: &Program, locations: &UnitMap<u32>, mut row: Vec<UnitId>) -> Vec<Vec<UnitId>> {
    if program.kernel(&program.units[row[0]]).is_pass_through() {
        return vec![row];
    }
    row.sort_by_key(|unit| locations[*unit]);
    row.chunk_by(|a, b| locations[*a] == locations[*b]).map(<[UnitId]>::to_vec).collect()
}

/// Divides a row by the rows that its units read.
fn divided(program: &Program, classes: &UnitMap<u32>, row: Vec<UnitId>) -> Vec<Vec<UnitId>> {
    let kernel = program.kernel(&program.units[row[0]]);
    if row.len() < 2 * MIN_BATCH || kernel.is_pass_through() || !is_scalar(kernel) {
        return vec![row];
    }
    let of_input = |unit: UnitId, input: usize| {
        let mut from = source(program, unit, input)?;
        // Through units that pass on their input.
        loop {
            let number = program.outputs[from].unit;
            let unit = &program.units[number];
            match program.sources_of(unit).first() {
                Some(&Some(before)) if program.kernel(unit).is_pass_through() => from = before,
                _ => return Some((classes[number], from - unit.first_output)),
            }
        }
    };
    let mut keys = vec![Vec::new(); row.len()];
    for input in 0..kernel.inputs.len() {
        let read: Vec<_> = row.iter().map(|&unit| of_input(unit, input)).collect();
        let mut counts: HashMap<_, usize> = HashMap::new();
        read.iter().for_each(|from| *counts.entry(from).or_default() += 1);
        let most = counts.values().copied().max().unwrap_or(0);
        if most * 4 < row.len() * REGULAR {
            keys.iter_mut().zip(read).for_each(|(key, from)| key.push(from));
        }
    }
    let mut counts: HashMap<&[_], usize> = HashMap::new();
    keys.iter().for_each(|key| *counts.entry(key).or_default() += 1);
    if counts.values().all(|count| *count < MIN_BATCH || *count == row.len()) {
        return vec![row];
    }
    // In the order of their first units; those without enough of their kind stay together.
    let mut numbers: HashMap<&[_], usize> = HashMap::new();
    let mut parts: Vec<Vec<UnitId>> = Vec::new();
    let mut rest = Vec::new();
    for (&unit, key) in row.iter().zip(&keys) {
        if counts[&key[..]] < MIN_BATCH {
            rest.push(unit);
            continue;
        }
        let number = *numbers.entry(key).or_insert(parts.len());
        if number == parts.len() {
            parts.push(Vec::new());
        }
        parts[number].push(unit);
    }
    parts.push(rest);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether most units read the cell after that of the unit before, or most the same one. Then one instruction for all of
/// them, with exceptions, is better than rows of different lengths.
pub(in crate::engine::step_code) fn is_regular(units: &[UnitId], cell: impl Fn(UnitId) -> i64) -> bool {
    [0, 1].into_iter().any(|stride| {
        let mut counts: HashMap<i64, usize> = HashMap::new();
        for (&unit, index) in units.iter().zip(0..) {
            *counts.entry(cell(unit) - stride * index).or_default() += 1;
        }
        counts.values().any(|count| count * 4 >= units.len() * REGULAR)
    })
}
