//! Orders the body of a loop, and straight-line code: each result shortly before it is read, so that few registers are
//! in use.

use std::collections::HashMap;

use super::fusion::{FusedGroup, FusionSchedule};
use crate::engine::step_code::{Opcode, Operand, StepCode};

/// A row of cells, given by its first cell, after `version` instructions of the body have written it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::engine) struct BodyRow {
    pub first: u32,
    pub version: u32,
}

/// An instruction of the body.
#[derive(Clone, Debug)]
pub(in crate::engine) struct BodyItem {
    pub at: u32,
    /// The row of each operand, if it is one.
    pub rows: [BodyRow; 3],
    pub result: BodyRow,
    /// The number of the sum, for a fold.
    pub sum: Option<usize>,
    /// Whether later instructions read the previous version of the row.
    pub is_read_later: bool,
}

/// Returns the body of a loop. Sums are numbered in the order of the group's list.
pub(in crate::engine) fn order(code: &StepCode, schedule: &FusionSchedule, group: &FusedGroup) -> Vec<BodyItem> {
    let mut versions: HashMap<u32, u32> = HashMap::new();
    let mut makers = HashMap::new();
    let mut items = Vec::with_capacity(group.list.len());
    let mut sum_count = 0;
    for (number, &at) in group.list.iter().enumerate() {
        let ins = &code.step[at as usize];
        let mut rows = [BodyRow::default(); 3];
        for ((row, arg), _) in rows.iter_mut().zip(ins.args).zip(ins.reads()) {
            if let Operand::Contiguous(first) = arg {
                *row = BodyRow { first, version: versions.get(&first).copied().unwrap_or(0) };
            }
        }
        let mut item = BodyItem { at, rows, result: BodyRow::default(), sum: None, is_read_later: false };
        if let Opcode::Fold(_) = ins.opcode {
            item.sum = Some(sum_count);
            sum_count += 1;
        } else {
            let version = versions.entry(ins.dst).or_insert(0);
            *version += 1;
            item.result = BodyRow { first: ins.dst, version: *version };
            makers.insert(item.result, number);
        }
        items.push(item);
    }
    let mut order =
        BodyOrder { code, items: &items, makers: &makers, is_done: vec![false; items.len()], list: Vec::new() };
    for (number, item) in items.iter().enumerate() {
        if item.sum.is_some() || schedule.is_stored[item.at as usize] {
            order.add(number);
        }
    }
    let mut list = order.list;
    // Later instructions that read the previous version of the row.
    for index in 0..list.len() {
        let BodyRow { first, version } = list[index].result;
        let is_old = |row: &BodyRow| version > 0 && *row == BodyRow { first, version: version - 1 };
        list[index].is_read_later = list[index + 1..].iter().any(|item| item.rows.iter().any(is_old));
    }
    list
}

struct BodyOrder<'a> {
    code: &'a StepCode,
    items: &'a [BodyItem],
    makers: &'a HashMap<BodyRow, usize>,
    is_done: Vec<bool>,
    list: Vec<BodyItem>,
}

impl BodyOrder<'_> {
    /// Adds an instruction after those that it needs. The recursion is at most as deep as the body is long.
    fn add(&mut self, number: usize) {
        if std::mem::replace(&mut self.is_done[number], true) {
            return;
        }
        let item = &self.items[number];
        let count = self.code.step[item.at as usize].reads().count();
        for row in &item.rows[..count] {
            if let Some(&maker) = self.makers.get(row) {
                self.add(maker);
            }
        }
        // The versions of a row are written in order.
        if item.result.version > 1
            && let Some(&before) = self.makers.get(&BodyRow { version: item.result.version - 1, ..item.result })
        {
            self.add(before);
        }
        self.list.push(item.clone());
    }
}

/// The last accesses to a cell so far, by indices in a list of instructions.
#[derive(Default)]
struct CellAccess {
    writer: Option<usize>,
    /// The instructions that read the written value.
    readers: Vec<usize>,
}

/// Returns the instructions of a straight-line group depth first: each that is stored after those that it needs, then
/// the others. The code generator leaves loads and stores in their order, and holds what was loaded in registers until
/// it is used; so what is computed is stored as soon as it can be.
pub(in crate::engine) fn depth_first(code: &StepCode, is_stored: &[bool], list: &[u32]) -> Vec<u32> {
    let mut uses: HashMap<u32, CellAccess> = HashMap::new();
    let mut needs: Vec<Vec<usize>> = vec![Vec::new(); list.len()];
    for (number, &at) in list.iter().enumerate() {
        let ins = &code.step[at as usize];
        code.each_read(ins, |cell, _| {
            let access = uses.entry(cell).or_default();
            needs[number].extend(access.writer);
            access.readers.push(number);
        });
        for cell in code.writes(ins) {
            let access = uses.entry(cell).or_default();
            needs[number].extend(access.writer.replace(number));
            needs[number].extend(access.readers.drain(..).filter(|reader| *reader != number));
        }
    }
    // Copies into memory, by the instructions that they need.
    let mut copies: Vec<Vec<usize>> = vec![Vec::new(); list.len()];
    for (number, needs) in needs.iter().enumerate() {
        let at = list[number] as usize;
        if is_stored[at] && code.step[at].opcode == Opcode::Copy {
            needs.iter().for_each(|need| copies[*need].push(number));
        }
    }
    let mut is_begun = vec![false; list.len()];
    let mut is_done = vec![false; list.len()];
    let mut order = Vec::with_capacity(list.len());
    let stored = (0..list.len()).filter(|number| is_stored[list[*number] as usize]);
    for first in stored.chain(0..list.len()) {
        if std::mem::replace(&mut is_begun[first], true) {
            continue;
        }
        // Each with the number of its needs that have been followed.
        let mut path = vec![(first, 0)];
        while let Some((number, followed)) = path.last_mut() {
            let Some(&need) = needs[*number].get(*followed) else {
                let mut done = vec![*number];
                path.pop();
                while let Some(number) = done.pop() {
                    is_done[number] = true;
                    order.push(list[number]);
                    for &copy in &copies[number] {
                        if !is_begun[copy] && needs[copy].iter().all(|need| is_done[*need]) {
                            is_begun[copy] = true;
                            done.push(copy);
                        }
                    }
                }
                continue;
            };
            *followed += 1;
            if !std::mem::replace(&mut is_begun[need], true) {
                path.push((need, 0));
            }
        }
    }
    order
}
