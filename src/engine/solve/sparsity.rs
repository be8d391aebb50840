//! The sparsity of the Jacobian: which rates depend on which states, and which states can share a direction.

use std::cell::Cell;
use std::rc::Rc;

use super::super::{Program, Unit};
use super::evaluate::Visit;
use crate::block::{Kernel, Op, Reg, StateKind, Update};

/// The states that an element depends on, in ascending order.
type Set = Rc<[u32]>;

/// The sparsity pattern of the Jacobian.
#[derive(Debug, Default)]
pub struct Sparsity {
    /// For each state the rates that depend on it.
    pub rows: Vec<Vec<u32>>,
    /// For each state its colour: no rate depends on two states of the same colour.
    pub colour: Vec<u32>,
    pub colour_count: usize,
}

impl Sparsity {
    pub fn new(program: &Program, visits: &[Visit]) -> Sparsity {
        // Without a limit there is always one.
        Sparsity::within(program, visits, usize::MAX).unwrap_or_default()
    }

    /// Returns `None` if more than `most` elements would have to be kept to find it.
    pub fn within(program: &Program, visits: &[Visit], most: usize) -> Option<Sparsity> {
        let sets = Sets { none: Rc::from([]), left: Cell::new(Some(most)) };
        let mut values = vec![Rc::clone(&sets.none); program.value_count];
        let mut rows = vec![Vec::new(); program.continuous_count];
        for visit in visits {
            let unit = &program.units[visit.unit];
            let kernel = program.kernel(unit);
            let registers = registers(program, unit, kernel, visit.list(kernel), &values, &sets);
            sets.left.get()?;
            for (output, made) in visit.published(program) {
                values[program.outputs[output].elements()].clone_from_slice(&registers[made.reg as usize]);
            }
            if visit.is_begin {
                continue;
            }
            for update in &kernel.updates {
                let Update::Derivative { state, value } = *update else { continue };
                let slot = program.state(unit, state);
                let elements = &registers[value as usize];
                for element in 0..slot.width as usize {
                    let row = slot.offset + element as u32;
                    let set = element_of(elements, element);
                    sets.take(set.len())?;
                    set.iter().for_each(|&column| rows[column as usize].push(row));
                }
            }
        }
        for row in &mut rows {
            row.sort_unstable();
            row.dedup();
        }
        // Each colour is a direction, for which all values are kept.
        let of_direction = program.value_count + 2 * program.continuous_count;
        let (colour, colour_count) = colours(&rows, most / of_direction.max(1))?;
        Some(Sparsity { rows, colour, colour_count })
    }
}

/// Chooses colours greedily: each state gets the first colour that none of its rates has yet. Returns `None` if `most`
/// colours are too few.
fn colours(rows: &[Vec<u32>], most: usize) -> Option<(Vec<u32>, usize)> {
    let mut taken: Vec<Vec<bool>> = Vec::new();
    let mut colour = Vec::with_capacity(rows.len());
    for rows_of in rows {
        let free = taken.iter().position(|taken| rows_of.iter().all(|&row| !taken[row as usize]));
        let chosen = free.unwrap_or(taken.len());
        if chosen >= most {
            return None;
        }
        if chosen == taken.len() {
            taken.push(vec![false; rows.len()]);
        }
        rows_of.iter().for_each(|&row| taken[chosen][row as usize] = true);
        colour.push(chosen as u32);
    }
    Some((colour, taken.len()))
}

/// Returns, for each register, the states that its elements depend on.
fn registers(
    program: &Program,
    unit: &Unit,
    kernel: &Kernel,
    list: &[Reg],
    values: &[Set],
    sets: &Sets,
) -> Vec<Vec<Set>> {
    let none = &sets.none;
    let mut registers: Vec<Vec<Set>> = vec![Vec::new(); kernel.ops.len()];
    for &reg in list {
        let width = kernel.width(reg);
        let of = |operand: Reg| &registers[operand as usize];
        let both = |a: Reg, b: Reg| {
            (0..width).map(|element| sets.union(element_of(of(a), element), element_of(of(b), element))).collect()
        };
        let empty = || vec![Rc::clone(none); width];
        registers[reg as usize] = match &kernel.ops[reg as usize] {
            Op::Const(_)
            | Op::Param(_)
            | Op::Held(_)
            | Op::Clock(_)
            | Op::Ran(_)
            | Op::Past { .. }
            | Op::Random { .. } => empty(),
            Op::Input(input) => match program.source(unit, *input as usize) {
                Some(source) => values[program.outputs[source].offset as usize..][..width].to_vec(),
                None => empty(),
            },
            Op::State(state) => {
                let slot = program.state(unit, *state as usize);
                match slot.kind {
                    StateKind::Continuous => (slot.offset..slot.offset + slot.width).map(|x| Rc::from([x])).collect(),
                    _ => empty(),
                }
            }
            Op::Recorded { at, now, .. } => {
                let at = sets.all(of(*at));
                (0..width).map(|element| sets.union(&at, element_of(of(*now), element))).collect()
            }
            Op::Unary(op, _) if op.row().is_flat => empty(),
            Op::Unary(_, a) => of(*a).clone(),
            Op::Binary(op, ..) if op.row().is_flat => empty(),
            Op::Binary(_, a, b) => both(*a, *b),
            Op::Select { yes, no, .. } => both(*yes, *no),
            Op::Fold(_, a) => vec![sets.all(of(*a))],
            Op::Loop { number, inputs, .. } => {
                let seen = inputs.iter().fold(Rc::clone(none), |seen, &input| sets.union(&seen, &sets.all(of(input))));
                let members = program.loops[*number as usize].members.iter().map(|&member| &program.units[member]);
                let own: Vec<u32> = members.flat_map(|unit| continuous(program, unit)).collect();
                vec![sets.union(&seen, &Rc::from(own)); width]
            }
            Op::Call { args, .. } => {
                let seen = args.iter().fold(Rc::clone(none), |seen, &arg| sets.union(&seen, &sets.all(of(arg))));
                vec![seen; width]
            }
            Op::Slice { of: from, start } => of(*from)[*start as usize..][..width].to_vec(),
            Op::Join(parts) => parts.iter().flat_map(|&part| of(part).iter().cloned()).collect(),
            Op::Pick { of: from, .. } => vec![sets.all(of(*from)); width],
        };
    }
    registers
}

/// Returns the continuous states of a unit.
fn continuous<'a>(program: &'a Program, unit: &'a Unit) -> impl Iterator<Item = u32> + 'a {
    let slots = program.states[unit.first_state as usize..].iter().take(program.kernel(unit).states.len());
    let slots = slots.filter(|slot| slot.kind == StateKind::Continuous);
    slots.flat_map(|slot| slot.offset..slot.offset + slot.width)
}

fn element_of(elements: &[Set], element: usize) -> &Set {
    if elements.len() == 1 { &elements[0] } else { &elements[element] }
}

/// Makes sets, up to a limit on their elements.
struct Sets {
    none: Set,
    /// How many elements may still be kept; `None` beyond the limit, where sets stay empty.
    left: Cell<Option<usize>>,
}

impl Sets {
    fn take(&self, count: usize) -> Option<()> {
        self.left.set(self.left.get().and_then(|left| left.checked_sub(count)));
        self.left.get().map(|_| ())
    }

    fn all(&self, elements: &[Set]) -> Set {
        let mut sets = elements.iter().filter(|set| !set.is_empty());
        let Some(first) = sets.next() else { return Rc::clone(&self.none) };
        match sets.all(|set| Rc::ptr_eq(set, first)) {
            true => Rc::clone(first),
            false => self.merged(elements),
        }
    }

    fn union(&self, a: &Set, b: &Set) -> Set {
        if b.is_empty() || Rc::ptr_eq(a, b) {
            return Rc::clone(a);
        }
        if a.is_empty() {
            return Rc::clone(b);
        }
        self.merged(&[Rc::clone(a), Rc::clone(b)])
    }

    fn merged(&self, sets: &[Set]) -> Set {
        if self.take(sets.iter().map(|set| set.len()).sum()).is_none() {
            return Rc::clone(&self.none);
        }
        let mut all: Vec<u32> = sets.iter().flat_map(|set| set.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all.into()
    }
}
