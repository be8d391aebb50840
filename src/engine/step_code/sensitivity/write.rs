//! Writes the lists of step code with tangents.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::activity::Activity;
use super::calls::CallTangent;
use super::liveness::Liveness;
use super::{NoTangents, Sources, TangentRequest};
use crate::block::{HostFn, StateKind};
use crate::engine::step_code::differentiate::Builder;
use crate::engine::step_code::lower::copy;
use crate::engine::step_code::{
    Binding, Bindings, Branch, Driven, Instruction, Opcode, Operand, RateTangents, Ring, StepCode,
};

/// The written code.
pub(super) struct Written {
    /// The cells whose tangents last.
    pub lasting: Vec<u32>,
    /// The first cell of these tangents.
    pub homes: u32,
    /// For each watched output the first cell of its tangents: all elements of one direction after those of another.
    pub results: Vec<u32>,
}

/// Writes values and tangents, list by list.
pub(super) struct Writer<'a> {
    builder: Builder<'a>,
    /// The branches without tangents, and those with them.
    old: Arc<Vec<Branch>>,
    branches: Vec<Branch>,
    activity: &'a Activity,
    liveness: &'a Liveness,
    /// For each ring with tangents, where its tangents are.
    rings: &'a BTreeMap<u32, u32>,
    request: &'a TangentRequest<'a>,
    driven: Option<Driven>,
}

impl<'a> Writer<'a> {
    /// Replaces the lists of the step code by those with tangents.
    pub fn write(
        code: &'a mut StepCode,
        sources: &'a Sources,
        rings: &'a BTreeMap<u32, u32>,
    ) -> Result<Written, NoTangents> {
        let (once, step) = (std::mem::take(&mut code.once), std::mem::take(&mut code.step));
        let (before, after) = step.split_at(code.sampled);
        let (driven, old) = (code.driven.take(), std::mem::take(&mut code.branches));
        let mut builder = Builder::new(code, sources.request.directions);
        builder.seed(&sources.seeds);
        let (activity, liveness) = (&sources.activity, &sources.liveness);
        let (branches, request) = (Vec::new(), sources.request);
        let mut writer = Writer { builder, old, branches, activity, liveness, rings, request, driven };
        writer.list(&once)?;
        let once = std::mem::take(&mut writer.builder.list);
        let lasting = sources.lasting.clone();
        let homes = writer.homes(&lasting);
        writer.list(before)?;
        let results = writer.results(&sources.watched);
        let sampled = writer.builder.list.len();
        writer.list(after)?;
        writer.leave(&lasting, homes);
        let step = std::mem::take(&mut writer.builder.list);
        let driven = writer.driven.take().map(|driven| writer.plainly_driven(driven));
        let branches = Arc::new(writer.branches);
        (code.once, code.step, code.sampled, code.driven, code.branches) = (once, step, sampled, driven, branches);
        Ok(Written { lasting, homes, results })
    }

    /// Gives these cells adjacent tangents of their own; returns the first.
    fn homes(&mut self, cells: &[u32]) -> u32 {
        let directions = self.builder.directions;
        let first = self.builder.allocate(cells.len() as u32 * directions);
        for (number, &cell) in cells.iter().enumerate() {
            self.builder.tangents.insert(cell, first + number as u32 * directions);
        }
        first
    }

    /// The cells of the tangents of some cells, as they are now.
    fn rows(&self, cells: &[u32], tangents: &HashMap<u32, u32>) -> Vec<u32> {
        let Builder { zeros, directions, .. } = self.builder;
        let first = |cell: &u32| tangents.get(cell).copied().unwrap_or(zeros);
        cells.iter().map(first).flat_map(|first| first..first + directions).collect()
    }

    /// Copies the tangents of cells, as they are now, to adjacent cells from `homes` on. None of them is overwritten before
    /// it is read.
    fn leave(&mut self, cells: &[u32], homes: u32) {
        let tangents = std::mem::take(&mut self.builder.tangents);
        let rows = self.rows(cells, &tangents);
        self.builder.tangents = tangents;
        if rows.is_empty() || rows.iter().copied().eq(homes..homes + rows.len() as u32) {
            return;
        }
        let elements = rows.len() as u32;
        let is_home = |cell: &u32| (homes..homes + elements).contains(cell);
        let mut from = self.builder.operand_of(rows.clone());
        if rows.iter().any(is_home) {
            let args = [from, Operand::Broadcast(0), Operand::Broadcast(0)];
            from = Operand::Contiguous(self.builder.push(Opcode::Copy, elements, args));
        }
        self.builder.list.push(copy(homes, from, elements));
    }

    /// Copies the tangents of watched outputs, direction by direction, to cells of their own.
    fn results(&mut self, watched: &[(u32, u32)]) -> Vec<u32> {
        let mut results = Vec::new();
        for &(first, width) in watched {
            let cells: Vec<u32> = (first..first + width).collect();
            let rows = self.rows(&cells, &self.builder.tangents);
            let directions = self.builder.directions as usize;
            let by_direction = (0..directions).flat_map(|direction| rows.iter().skip(direction).step_by(directions));
            let by_direction: Vec<u32> = by_direction.copied().collect();
            let elements = by_direction.len() as u32;
            if elements == 0 {
                results.push(self.builder.zeros);
                continue;
            }
            let from = self.builder.operand_of(by_direction);
            let args = [from, Operand::Broadcast(0), Operand::Broadcast(0)];
            results.push(self.builder.push(Opcode::Copy, elements, args));
        }
        results
    }

    fn list(&mut self, list: &[Instruction]) -> Result<(), NoTangents> {
        list.iter().try_for_each(|ins| self.instruction(ins))
    }

    fn instruction(&mut self, ins: &Instruction) -> Result<(), NoTangents> {
        match ins.opcode {
            Opcode::Branch(number) => return self.branch(ins, number),
            Opcode::Push(ring) | Opcode::Fill(ring) => {
                self.builder.list.push(*ins);
                if let Some(of_tangents) = self.ring(ring, ins.elements) {
                    let cells: Vec<u32> = self.cells_of(ins, 0, ins.elements);
                    let rows = self.rows(&cells, &self.builder.tangents);
                    let elements = rows.len() as u32;
                    let mut tangents = *ins;
                    tangents.opcode = match ins.opcode {
                        Opcode::Push(_) => Opcode::Push(of_tangents),
                        _ => Opcode::Fill(of_tangents),
                    };
                    tangents.elements = elements;
                    tangents.args[0] = self.builder.operand_of(rows);
                    self.builder.list.push(tangents);
                }
                return Ok(());
            }
            Opcode::Past(ring) => {
                self.builder.list.push(*ins);
                let of_tangents = self.ring(ring, ins.elements);
                let directions = self.builder.directions;
                let first =
                    of_tangents.map(|ring| self.builder.push(Opcode::Past(ring), ins.elements * directions, ins.args));
                self.set(ins, first);
                return Ok(());
            }
            Opcode::Solve { reads } if self.request.directions > 0 => return self.solve(ins, reads),
            _ if !self.is_active(ins) => {
                self.builder.list.push(*ins);
                self.set(ins, None);
                return Ok(());
            }
            Opcode::Call { number, reads } => {
                self.builder.list.push(*ins);
                let first = self.call(ins, number, reads);
                self.set(ins, Some(first));
                return Ok(());
            }
            _ => {}
        }
        let cells = self.builder.code.cells;
        match self.builder.write(ins) {
            Some(()) => Ok(()),
            None => Err(self.refusal(ins, cells)),
        }
    }

    fn refusal(&self, ins: &Instruction, cells: usize) -> NoTangents {
        let has_rule = ins.opcode.is_pure();
        match has_rule && cells > 0 {
            true => NoTangents::TooMany,
            false => NoTangents::Unit(self.builder.code.owner(ins.dst)),
        }
    }

    fn is_active(&self, ins: &Instruction) -> bool {
        let mut is_active = false;
        self.builder.code.each_read(ins, |cell, _| is_active |= self.builder.tangents.contains_key(&cell));
        is_active
    }

    /// Sets the tangents of the results of an instruction, which are adjacent.
    fn set(&mut self, ins: &Instruction, first: Option<u32>) {
        for (number, cell) in (ins.dst..ins.dst + ins.written()).enumerate() {
            match first {
                Some(first) => {
                    self.builder.tangents.insert(cell, first + number as u32 * self.builder.directions);
                }
                None => {
                    self.builder.tangents.remove(&cell);
                }
            }
        }
    }

    fn cells_of(&self, ins: &Instruction, operand: usize, elements: u32) -> Vec<u32> {
        let of = ins.args.get(operand).copied().unwrap_or(Operand::Broadcast(0));
        (0..elements).map(|element| of.cell(&self.builder.code.tables, element)).collect()
    }

    /// The ring of the tangents of a ring.
    fn ring(&self, ring: Ring, elements: u32) -> Option<Ring> {
        let first = *self.rings.get(&ring.first)?;
        (elements > 0).then_some(Ring { first, length: ring.length })
    }

    /// Writes the tangents of a function in Rust; returns the first.
    fn call(&mut self, ins: &Instruction, number: u32, reads: u32) -> u32 {
        let directions = self.builder.directions;
        let mut cells = self.cells_of(ins, 0, reads);
        let rows = self.rows(cells.get(1..).unwrap_or_default(), &self.builder.tangents);
        let arguments = cells.len().saturating_sub(1);
        cells.extend(rows);
        let code = &mut *self.builder.code;
        let (at, reads) = (code.tables.len() as u32, cells.len() as u32);
        code.tables.extend(cells);
        let (of, unit) = code.calls[number as usize].clone();
        let call = CallTangent { of, arguments, directions: directions as usize };
        code.calls.push((HostFn(Arc::new(call)), unit));
        let number = code.calls.len() as u32 - 1;
        let args = [Operand::Gather(at), Operand::Broadcast(0), Operand::Broadcast(0)];
        self.builder.push(Opcode::Call { number, reads }, ins.elements * directions, args)
    }

    fn branch(&mut self, ins: &Instruction, number: u32) -> Result<(), NoTangents> {
        let old = self.old[number as usize].clone();
        let live: Vec<u32> =
            self.liveness.live(number).iter().copied().filter(|cell| self.activity.is_active(*cell)).collect();
        // A branch that runs again begins with what the last run has left.
        let loops = old.repeat.is_some();
        let mut homes = 0;
        if loops {
            let rows = self.rows(&live, &self.builder.tangents);
            let elements = rows.len() as u32;
            homes = self.homes(&live);
            if elements > 0 {
                let from = self.builder.operand_of(rows);
                self.builder.list.push(copy(homes, from, elements));
            }
        }
        let before = self.builder.tangents.clone();
        let outer = std::mem::take(&mut self.builder.list);
        self.list(&old.body)?;
        let body_tangents = std::mem::replace(&mut self.builder.tangents, before.clone());
        let body = std::mem::take(&mut self.builder.list);
        self.list(&old.otherwise)?;
        let other_tangents = std::mem::replace(&mut self.builder.tangents, before);
        let otherwise = std::mem::take(&mut self.builder.list);
        // The same tangents whichever list has run.
        let differs = |cell: &u32| loops || body_tangents.get(cell) != other_tangents.get(cell);
        let differing: Vec<u32> = live.iter().copied().filter(differs).collect();
        old.writes.iter().flat_map(|range| range.cells()).for_each(|cell| {
            match body_tangents.get(&cell) {
                Some(row) if live.binary_search(&cell).is_ok() => self.builder.tangents.insert(cell, *row),
                _ => self.builder.tangents.remove(&cell),
            };
        });
        if !loops {
            homes = self.homes(&differing);
        } else {
            let directions = self.builder.directions;
            live.iter().zip(0..).for_each(|(cell, at)| {
                self.builder.tangents.insert(*cell, homes + at * directions);
            });
        }
        let mut ends = [(body, body_tangents), (otherwise, other_tangents)].map(|(list, tangents)| {
            self.builder.list = list;
            let now = std::mem::replace(&mut self.builder.tangents, tangents);
            self.leave(&differing, homes);
            self.builder.tangents = now;
            std::mem::take(&mut self.builder.list)
        });
        self.builder.list = outer;
        let (body, otherwise) = (std::mem::take(&mut ends[0]), std::mem::take(&mut ends[1]));
        self.branches.push(Branch { body, otherwise, ..old });
        let number = self.branches.len() as u32 - 1;
        self.builder.list.push(Instruction { opcode: Opcode::Branch(number), ..*ins });
        Ok(())
    }

    /// Returns a list with the new numbers of its branches, without tangents.
    fn plain(&mut self, list: &[Instruction]) -> Vec<Instruction> {
        let renumbered = list.iter().map(|ins| {
            let Opcode::Branch(number) = ins.opcode else { return *ins };
            let old = self.old[number as usize].clone();
            let (body, otherwise) = (self.plain(&old.body), self.plain(&old.otherwise));
            self.branches.push(Branch { body, otherwise, ..old });
            Instruction { opcode: Opcode::Branch(self.branches.len() as u32 - 1), ..*ins }
        });
        renumbered.collect()
    }

    fn plainly_driven(&mut self, mut driven: Driven) -> Driven {
        driven.list = self.plain(&driven.list);
        driven
    }

    /// Writes the step of a solver that asks for rates: the tangents of its states at the end of the step are further
    /// results, and all tangents that it needs are further operands.
    fn solve(&mut self, ins: &Instruction, reads: u32) -> Result<(), NoTangents> {
        let Some(driven) = self.driven.take() else { return Ok(()) };
        let made = self.solved(ins, reads, &driven);
        self.driven = Some(Driven { tangents: Some(made?), ..driven });
        Ok(())
    }

    fn solved(&mut self, ins: &Instruction, reads: u32, driven: &Driven) -> Result<RateTangents, NoTangents> {
        let (program, directions) = (self.request.program, self.builder.directions);
        if let Some((unit, _)) = program
            .units
            .iter()
            .find(|(_, unit)| program.states_of(unit).iter().any(|slot| slot.kind == StateKind::Record))
        {
            return Err(NoTangents::Unit(Some(unit)));
        }
        let n = program.continuous_count as u32;
        let zeros = self.builder.zeros;
        let begin: Vec<u32> = self.cells_of(ins, 0, n);
        let begin: Vec<u32> =
            begin.iter().map(|cell| self.builder.tangents.get(cell).copied().unwrap_or(zeros)).collect();
        let by_offset = |bindings: &Bindings, count: usize, tangents: &HashMap<u32, u32>| {
            let mut rows = vec![zeros; count];
            for &Binding { offset, cell, count } in &bindings.0 {
                for element in 0..count {
                    if let (Some(row), Some(first)) =
                        (rows.get_mut((offset + element) as usize), tangents.get(&(cell + element)))
                    {
                        *row = *first;
                    }
                }
            }
            rows
        };
        let discrete = by_offset(&self.builder.code.discrete, program.discrete_count, &self.builder.tangents);
        let mut next = discrete.clone();
        let nexts = by_offset(&driven.nexts, program.discrete_count, &self.builder.tangents);
        for &Binding { offset, count, .. } in &driven.nexts.0 {
            let range = offset as usize..(offset + count) as usize;
            next[range.clone()].copy_from_slice(&nexts[range]);
        }
        // The list that computes the rates, with its own tangents of the states.
        let outer = std::mem::take(&mut self.builder.list);
        let tangents = self.builder.tangents.clone();
        let states = self.builder.allocate(n * directions);
        for &Binding { offset, cell, count } in &driven.x.0 {
            for element in 0..count {
                self.builder.tangents.insert(cell + element, states + (offset + element) * directions);
            }
        }
        self.list(&driven.list)?;
        let rates = by_offset(&driven.rates, n as usize, &self.builder.tangents);
        self.builder.tangents = tangents;
        let list = std::mem::replace(&mut self.builder.list, outer);
        // The other cells that the solver reads and writes.
        let mut read: Vec<u32> = self.builder.tangents.values().copied().collect();
        read.sort_unstable();
        read.dedup();
        let old = self.cells_of(ins, 0, reads);
        let elements = ins.elements + n * directions;
        let dst = self.builder.allocate(elements);
        let code = &mut *self.builder.code;
        let at = code.tables.len() as u32;
        code.tables.extend(old);
        code.tables.extend(read.iter().flat_map(|&first| first..first + directions));
        let reads = code.tables.len() as u32 - at;
        let args = [Operand::Gather(at), Operand::Broadcast(0), Operand::Broadcast(0)];
        self.builder.list.push(Instruction { opcode: Opcode::Solve { reads }, elements, dst, args });
        let from = if ins.elements == 1 { Operand::Broadcast(dst) } else { Operand::Contiguous(dst) };
        self.builder.list.push(copy(ins.dst, from, ins.elements));
        let end = dst + ins.elements;
        self.set(ins, None);
        for state in 0..n {
            self.builder.tangents.insert(ins.dst + state, end + state * directions);
        }
        // Decisions and held values change with a fault only, or to what is constant.
        let kept = driven.modes.0.iter().chain(&driven.held.0).flat_map(|piece| piece.cell..piece.cell + piece.count);
        for (cell, to) in kept.zip(ins.dst + n..) {
            if let Some(&row) = self.builder.tangents.get(&cell) {
                self.builder.tangents.insert(to, row);
            }
        }
        let size = |ring: u32| {
            let slots = program.states.iter().filter(|slot| slot.offset == ring);
            let sizes = slots.filter_map(|slot| match slot.kind {
                StateKind::History { length } => Some(length as u32 * slot.width),
                _ => None,
            });
            sizes.max().unwrap_or_default()
        };
        let rings = self.rings.iter().map(|(&ring, &first)| (ring, size(ring), first)).collect();
        let (seeds, directions) = (self.request.seeds.to_vec(), directions as usize);
        Ok(RateTangents { list, directions, states, rates, begin, end, discrete, next, seeds, rings })
    }
}
