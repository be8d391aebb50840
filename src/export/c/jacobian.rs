//! The computation of the derivatives of all rates by all states: the values and tangents that are needed, and where
//! they are kept.
//!
//! The list of instructions that computes the rates is executed with values first, as far as tangents depend on them, and
//! then with tangents, once for each colour of the states. All rates that depend on a state of the colour get their
//! derivative by it.

use std::collections::{BTreeMap, BTreeSet};

use super::tangent::reads_value;
use super::types::Type;
use super::variables::{Home, Section, Variable, Variables};
use crate::engine::{Driven, Instruction, Opcode, Program, StepCode, StepPattern};

/// The derivatives of the rates, for a solver that is implicit.
#[derive(Debug)]
pub struct Jacobian {
    /// The matrix, in the order of the states in the context.
    pub pattern: StepPattern,
    /// Whether the derivatives by the time are computed, too.
    pub has_time: bool,
    /// Whether any derivative can differ from 0.
    pub has_any: bool,
    /// The instructions that compute the values, and those whose tangents are computed.
    pub values: Vec<Instruction>,
    pub slopes: Vec<Instruction>,
    /// For each cell that has one, its index in the arrays of values and tangents.
    pub value_index: BTreeMap<u32, u32>,
    pub slope_index: BTreeMap<u32, u32>,
}

impl Jacobian {
    /// Returns `None` for a solver that needs none.
    pub fn new(program: &Program, code: &StepCode) -> Option<Jacobian> {
        let driven = code.driven.as_ref().filter(|_| program.solver.is_implicit())?;
        let has_time = program.solver.theta().is_none();
        let pattern = StepPattern::new(program);
        let active = active(code, driven, has_time.then_some(driven.time));
        let is_active = |ins: &&Instruction| code.writes(ins).any(|cell| active.contains(&cell));
        let mut slopes: Vec<Instruction> = driven.list.iter().filter(is_active).copied().collect();
        let has_any = has_time || pattern.rows.iter().any(|rows| !rows.is_empty());
        if !has_any {
            slopes.clear();
        }
        let mut wanted = BTreeSet::new();
        slopes.iter().for_each(|ins| want(code, ins, &active, &mut wanted));
        let mut values = Vec::new();
        for ins in driven.list.iter().rev() {
            if code.writes(ins).any(|cell| wanted.contains(&cell)) {
                code.each_read(ins, |cell, _| {
                    wanted.insert(cell);
                });
                values.push(*ins);
            }
        }
        values.reverse();
        let index = |list: &[Instruction], is_kept: &dyn Fn(u32) -> bool| -> BTreeMap<u32, u32> {
            let cells: BTreeSet<u32> =
                list.iter().flat_map(|ins| code.writes(ins)).filter(|cell| is_kept(*cell)).collect();
            cells.into_iter().zip(0..).collect()
        };
        let (value_index, slope_index) = (index(&values, &|_| true), index(&slopes, &|cell| active.contains(&cell)));
        Some(Jacobian { pattern, has_time, has_any, values, slopes, value_index, slope_index })
    }

    /// The number of states.
    pub fn size(&self) -> u32 {
        self.pattern.colour.len() as u32
    }

    /// The variables of the code, with the values that are computed here in an array `values`.
    pub fn value_variables(&self, outer: &Variables) -> Variables {
        let mut found = copied(outer);
        let computed = add(&mut found, Section::Solver, "values", self.value_index.len() as u32);
        for (&cell, &at) in &self.value_index {
            found.homes[cell as usize] = Home::Element(computed, at);
        }
        found
    }

    /// The variables of tangents: those of the states in an array `dx`, that of the time in `dtime`, those that are
    /// computed in an array `slopes`, whose number is returned, too; all others are 0.
    pub fn slope_variables(&self, outer: &Variables, driven: &Driven) -> (Variables, u32) {
        let mut found = copied(outer);
        found.homes.fill(Home::Constant(0.0));
        let dx = add(&mut found, Section::Assumed, "dx", outer.continuous);
        for piece in &driven.x.0 {
            for cell in piece.cell..piece.cell + piece.count {
                if let Home::Element(_, at) = outer.homes[cell as usize] {
                    found.homes[cell as usize] = Home::Element(dx, at);
                }
            }
        }
        if self.has_time {
            let dtime = add(&mut found, Section::Local, "dtime", 1);
            found.homes[driven.time as usize] = Home::Element(dtime, 0);
        }
        let computed = add(&mut found, Section::Solver, "slopes", self.slope_index.len() as u32);
        for (&cell, &at) in &self.slope_index {
            found.homes[cell as usize] = Home::Element(computed, at);
        }
        (found, computed)
    }
}

/// Adds a variable and returns its number.
fn add(variables: &mut Variables, section: Section, name: &str, width: u32) -> u32 {
    let (name, comment) = (name.to_owned(), String::new());
    variables.all.push(Variable { name, section, first: 0, width, kind: Type::Number, comment });
    variables.all.len() as u32 - 1
}

fn copied(outer: &Variables) -> Variables {
    Variables {
        homes: outer.homes.clone(),
        types: outer.types.clone(),
        all: outer.all.clone(),
        rings: outer.rings.clone(),
        cell_names: BTreeMap::new(),
        state_names: outer.state_names.clone(),
        ..*outer
    }
}

/// Finds the cells that can have a tangent other than 0, without those of the states and the time themselves.
fn active(code: &StepCode, driven: &Driven, time: Option<u32>) -> BTreeSet<u32> {
    let states = driven.x.0.iter().flat_map(|piece| piece.cell..piece.cell + piece.count);
    let seeds: BTreeSet<u32> = states.chain(time).collect();
    let mut active = seeds.clone();
    loop {
        let before = active.len();
        driven.list.iter().for_each(|ins| activate(code, ins, &mut active));
        if active.len() == before {
            return &active - &seeds;
        }
    }
}

/// Adds the cells that an instruction writes, if its tangent, or that of a part of it, may differ from 0.
fn activate(code: &StepCode, ins: &Instruction, active: &mut BTreeSet<u32>) {
    if let Opcode::Branch(number) = ins.opcode {
        let branch = &code.branches[number as usize];
        return branch.body.iter().chain(&branch.otherwise).for_each(|ins| activate(code, ins, active));
    }
    let has_tangent = match ins.opcode {
        Opcode::Unary(op) => !op.row().is_flat,
        Opcode::Binary(op) => !op.row().is_flat,
        Opcode::Copy | Opcode::Select | Opcode::Fold(_) | Opcode::Pick { .. } | Opcode::Call { .. } => true,
        _ => false,
    };
    let depends = |arg: usize| match ins.opcode {
        Opcode::Select => arg > 0,
        Opcode::Pick { .. } => arg == 0,
        _ => true,
    };
    let mut is_active = (ins.dst..ins.dst + ins.written()).any(|cell| active.contains(&cell));
    if has_tangent {
        code.each_read(ins, |cell, arg| is_active |= depends(arg) && active.contains(&cell));
    }
    if is_active {
        active.extend(ins.dst..ins.dst + ins.written());
    }
}

/// Adds the cells whose values the tangents of an instruction are computed from.
fn want(code: &StepCode, ins: &Instruction, active: &BTreeSet<u32>, wanted: &mut BTreeSet<u32>) {
    if let Opcode::Branch(number) = ins.opcode {
        let branch = &code.branches[number as usize];
        return branch.body.iter().chain(&branch.otherwise).for_each(|ins| want(code, ins, active, wanted));
    }
    if !(ins.dst..ins.dst + ins.written()).any(|cell| active.contains(&cell)) {
        return;
    }
    code.each_read(ins, |cell, arg| {
        if reads_value(ins.opcode, arg) {
            wanted.insert(cell);
        }
    });
}
