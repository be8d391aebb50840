//! Differentiates step code: to instructions that compute values it adds those that compute their tangents, in several
//! directions at once (forward mode; Griewank and Walther, Evaluating Derivatives, chapter 3).
//!
//! The rules are those of the operations ([`Unary::tangent`], [`Binary::tangent`]), so that the result has the bits of
//! the interpreted tangents. The tangents of a cell in all directions are adjacent; what depends on no direction has none.

use std::cell::RefCell;
use std::collections::HashMap;

use super::{Binding, Instruction, Opcode, Operand, StepCode};
use crate::block::math::{Real, real_operators};
use crate::block::{Binary, Unary};
use crate::engine::{Program, StepPattern};

/// Code that computes tangents.
#[derive(Clone, Debug)]
pub(crate) struct Derivative {
    /// Computes the values that the tangents depend on, and the tangents.
    pub list: Vec<Instruction>,
    pub directions: u32,
    /// For each result, the first of the adjacent cells of its tangents.
    pub results: Vec<u32>,
}

/// More cells and elements of tables than this are not added.
const MAX_SIZE: usize = 1 << 20;

/// Adds the cells, constants and tables of the derivative of `list` to the step code, and returns it: the tangents of the
/// cells in `results`, where each cell of `seeds` has the tangent 1 in its direction. Returns `None` if an instruction
/// that depends on a seed has no tangent in code, or there would be too many cells.
pub(crate) fn differentiate(
    code: &mut StepCode,
    list: &[Instruction],
    (seeds, directions): (&[(u32, u32)], u32),
    results: &[u32],
) -> Option<Derivative> {
    let (cells, tables, constants) = (code.cells, code.tables.len(), code.constants.len());
    let made = Builder::new(code, directions).run(list, seeds, results);
    if made.is_none() {
        code.cells = cells;
        code.tables.truncate(tables);
        code.constants.truncate(constants);
    }
    made
}

impl StepCode {
    /// Adds the derivative of the rates, for a solver that needs it.
    pub(super) fn differentiate_rates(&mut self, program: &Program) {
        if !program.solver.is_implicit() {
            return;
        }
        let Some(mut driven) = self.driven.take() else { return };
        let StepPattern { colour, colour_count, .. } = StepPattern::new(program);
        let time = colour_count as u32;
        let cells = |Binding { offset, cell, count }: &Binding| (*offset..offset + count).zip(*cell..);
        let states = driven.x.0.iter().flat_map(cells).map(|(offset, cell)| (cell, colour[offset as usize]));
        let seeds: Vec<(u32, u32)> = states.chain([(driven.time, time)]).collect();
        let mut rates = vec![0; colour.len()];
        driven.rates.0.iter().flat_map(cells).for_each(|(offset, cell)| rates[offset as usize] = cell);
        driven.derivative = differentiate(self, &driven.list, (&seeds, time + 1), &rates);
        self.driven = Some(driven);
    }
}

/// Writes the derivative of one instruction after the other.
pub(super) struct Builder<'a> {
    pub(super) code: &'a mut StepCode,
    /// The values and the tangents.
    pub(super) list: Vec<Instruction>,
    pub(super) directions: u32,
    /// The cells of constants, by their bits.
    constants: HashMap<u64, u32>,
    /// The constants of the step code, by cell.
    known: HashMap<u32, f64>,
    /// For each cell that has tangents, the first of their cells.
    pub(super) tangents: HashMap<u32, u32>,
    /// As many cells as there are directions, all 0.
    pub(super) zeros: u32,
    /// The instruction whose tangent is written.
    current: Instruction,
    /// The limit on the number of cells and elements of tables.
    most: usize,
}

/// An instruction that no other is equal to.
const NO_INSTRUCTION: Instruction =
    Instruction { opcode: Opcode::Step, elements: 0, dst: 0, args: [Operand::Broadcast(0); 3] };

impl<'a> Builder<'a> {
    pub(super) fn new(code: &'a mut StepCode, directions: u32) -> Builder<'a> {
        let known = code.constants.iter().copied().collect();
        let most = code.cells + code.tables.len() + MAX_SIZE;
        let (list, constants, tangents) = (Vec::new(), HashMap::new(), HashMap::new());
        Builder { code, list, directions, constants, known, tangents, zeros: 0, current: NO_INSTRUCTION, most }
    }

    /// Gives each of these cells the tangent 1 in its direction.
    pub(super) fn seed(&mut self, seeds: &[(u32, u32)]) {
        // The tangents of all seeds are parts of one row of constants: zeros, a 1, and zeros again.
        self.zeros = self.allocate(2 * self.directions);
        for at in 0..2 * self.directions {
            let value = if at == self.directions { 1.0 } else { 0.0 };
            self.code.constants.push((self.zeros + at, value));
        }
        for &(cell, direction) in seeds {
            self.tangents.insert(cell, self.zeros + self.directions - direction);
        }
    }

    fn run(&mut self, list: &[Instruction], seeds: &[(u32, u32)], results: &[u32]) -> Option<Derivative> {
        self.seed(seeds);
        for ins in list {
            self.list.push(*ins);
            self.differentiate(ins)?;
        }
        let results: Vec<u32> =
            results.iter().map(|cell| self.tangents.get(cell).copied().unwrap_or(self.zeros)).collect();
        let list = self.needed(&results);
        Some(Derivative { list, directions: self.directions, results })
    }

    /// Writes the tangents of an instruction's results. Returns `None` if they have none in code.
    fn differentiate(&mut self, ins: &Instruction) -> Option<()> {
        let mut is_active = matches!(ins.opcode, Opcode::Branch(_));
        let tangents = &self.tangents;
        self.code.each_read(ins, |cell, _| is_active |= tangents.contains_key(&cell));
        let written = ins.dst..ins.dst + ins.written();
        if !is_active {
            written.for_each(|cell| {
                self.tangents.remove(&cell);
            });
            return Some(());
        }
        if !self.has_room(ins) || self.is_overwriting(ins) {
            return None;
        }
        self.current = *ins;
        self.write_tangents(ins)
    }

    /// Writes an instruction together with the tangents of its results, which may replace its operands. Returns `None` if
    /// they have none in code.
    pub(super) fn write(&mut self, ins: &Instruction) -> Option<()> {
        let mut is_active = false;
        let tangents = &self.tangents;
        self.code.each_read(ins, |cell, _| is_active |= tangents.contains_key(&cell));
        if !is_active || !self.is_overwriting(ins) {
            self.list.push(*ins);
            return self.differentiate(ins);
        }
        if !self.has_room(ins) {
            return None;
        }
        self.current = NO_INSTRUCTION;
        self.write_tangents(ins)?;
        self.list.push(*ins);
        Some(())
    }

    /// Whether the tangents of an instruction stay within the limit.
    fn has_room(&self, ins: &Instruction) -> bool {
        let elements: usize = ins.reads().map(|(_, elements)| elements as usize).sum();
        self.code.cells + self.code.tables.len() + elements * self.directions as usize <= self.most
    }

    /// Whether a result replaces a value that the instruction reads, which can then no longer be read.
    fn is_overwriting(&self, ins: &Instruction) -> bool {
        let written = ins.dst..ins.dst + ins.written();
        let mut is_overwriting = false;
        self.code.each_read(ins, |cell, _| is_overwriting |= written.contains(&cell));
        is_overwriting
    }

    /// Writes the tangents of an active instruction's results.
    fn write_tangents(&mut self, ins: &Instruction) -> Option<()> {
        let (written, directions) = (ins.dst..ins.dst + ins.written(), self.directions);
        let first = match ins.opcode {
            Opcode::Fold(op) => self.fold(op, ins),
            Opcode::Pick { count } => self.pick(count, ins),
            _ => self.by_rule(ins)?,
        };
        for (number, cell) in written.enumerate() {
            match first {
                Some(first) => self.tangents.insert(cell, first + number as u32 * directions),
                None => self.tangents.remove(&cell),
            };
        }
        Some(())
    }

    /// Writes the tangent of an operation, element by element, and returns the first of its cells; `None` inside if it is 0.
    fn by_rule(&mut self, ins: &Instruction) -> Option<Option<u32>> {
        let builder = RefCell::new(&mut *self);
        let [a, b] = std::array::from_fn(|arg| Term::value(&builder, ins, arg));
        let [da, db, dc] = std::array::from_fn(|arg| Term::tangent(&builder, ins, arg));
        let tangent = match ins.opcode {
            Opcode::Copy => da,
            Opcode::Unary(op) => op.tangent(a, da),
            Opcode::Binary(op) => op.tangent((a, da), (b, db)),
            Opcode::Select => a.choose(db, dc),
            // These do not change with what they read.
            Opcode::Random { .. } | Opcode::Past(_) | Opcode::RefuseNonFinite => a.constant(0.0),
            _ => return None,
        };
        let number = tangent.number;
        Some(builder.into_inner().place(number, ins.elements))
    }

    /// Returns the first of the adjacent cells that have a tangent; `None` if it is 0.
    fn place(&mut self, number: Number, elements: u32) -> Option<u32> {
        let count = elements * self.directions;
        match number {
            Number::Constant(0.0) => None,
            // A seed, or what was just computed.
            Number::Wide(Operand::Contiguous(first)) => Some(first),
            Number::Wide(Operand::Broadcast(cell)) if count == 1 => Some(cell),
            other => {
                let args = [self.operand(other, elements), Operand::Broadcast(0), Operand::Broadcast(0)];
                Some(self.push(Opcode::Copy, count, args))
            }
        }
    }

    /// The tangent of a fold, in which the tangents of the elements follow those of the values.
    fn fold(&mut self, op: Binary, ins: &Instruction) -> Option<u32> {
        let tables = &self.code.tables;
        let start = ins.args[0].cell(tables, 0);
        let mut cells: Vec<u32> = (0..ins.elements).map(|element| ins.args[1].cell(tables, element)).collect();
        let is_neutral = |value: &f64| op.neutral().is_some_and(|neutral| neutral.to_bits() == value.to_bits());
        // A neutral start value, which is there only for convenience, has no tangent.
        if !self.known.get(&start).is_some_and(is_neutral) {
            cells.insert(0, start);
        }
        let builder = RefCell::new(&mut *self);
        let of = |cell: u32| (Term::of_cell(&builder, cell), Term::tangent_of_cell(&builder, cell));
        let mut cells = cells.into_iter().map(of);
        let first = cells.next()?;
        let last = cells.fold(first, |(all, d_all), (element, d_element)| {
            (all.binary(op, element), op.tangent((all, d_all), (element, d_element)))
        });
        let number = last.1.number;
        builder.into_inner().place(number, 1)
    }

    /// The tangent of an element that an index chooses.
    fn pick(&mut self, count: u32, ins: &Instruction) -> Option<u32> {
        let directions = self.directions;
        let cells: Vec<u32> = (0..count).map(|element| ins.args[0].cell(&self.code.tables, element)).collect();
        if cells.iter().all(|cell| !self.tangents.contains_key(cell)) {
            return None;
        }
        let first = self.allocate(ins.elements * directions);
        for element in 0..ins.elements {
            let index = Operand::Broadcast(ins.args[1].cell(&self.code.tables, element));
            for direction in 0..directions {
                let of = |cell: &u32| self.tangents.get(cell).map_or(self.zeros, |tangent| tangent + direction);
                let of = cells.iter().map(of).collect();
                let args = [self.operand_of(of), index, Operand::Broadcast(0)];
                let dst = first + element * directions + direction;
                self.list.push(Instruction { opcode: Opcode::Pick { count }, elements: 1, dst, args });
            }
        }
        Some(first)
    }

    /// Returns the instructions that the results need.
    fn needed(&self, results: &[u32]) -> Vec<Instruction> {
        let mut is_needed = vec![false; self.code.cells];
        let mut mark = |cell: u32| is_needed[cell as usize] = true;
        results.iter().for_each(|first| (0..self.directions).for_each(|direction| mark(first + direction)));
        let mut list = Vec::new();
        for ins in self.list.iter().rev() {
            if ins.opcode.is_effect() || self.code.writes(ins).any(|cell| is_needed[cell as usize]) {
                self.code.each_read(ins, |cell, _| is_needed[cell as usize] = true);
                list.push(*ins);
            }
        }
        list.reverse();
        list
    }

    pub(super) fn allocate(&mut self, count: u32) -> u32 {
        let first = self.code.cells as u32;
        self.code.cells += count as usize;
        first
    }

    fn constant(&mut self, value: f64) -> u32 {
        if let Some(cell) = self.constants.get(&value.to_bits()) {
            return *cell;
        }
        let cell = self.allocate(1);
        self.code.constants.push((cell, value));
        self.constants.insert(value.to_bits(), cell);
        cell
    }

    pub(super) fn push(&mut self, opcode: Opcode, elements: u32, args: [Operand; 3]) -> u32 {
        let dst = self.allocate(elements);
        self.list.push(Instruction { opcode, elements, dst, args });
        dst
    }

    /// Returns the operand that reads these cells.
    pub(super) fn operand_of(&mut self, cells: Vec<u32>) -> Operand {
        let first = cells[0];
        if cells.iter().all(|cell| *cell == first) {
            return Operand::Broadcast(first);
        }
        if cells.iter().zip(first..).all(|(cell, next)| *cell == next) {
            return Operand::Contiguous(first);
        }
        let at = self.code.tables.len() as u32;
        self.code.tables.extend(cells);
        Operand::Gather(at)
    }

    /// The operand with all elements of a number in all directions.
    fn operand(&mut self, number: Number, elements: u32) -> Operand {
        match number {
            Number::Constant(value) => Operand::Broadcast(self.constant(value)),
            Number::Wide(operand) | Number::Plain(operand @ Operand::Broadcast(_)) => operand,
            Number::Plain(operand) if self.directions == 1 => operand,
            Number::Plain(operand) => {
                let tables = &self.code.tables;
                let each = (0..elements).map(|element| operand.cell(tables, element));
                let cells = each.flat_map(|cell| (0..self.directions).map(move |_| cell)).collect();
                self.operand_of(cells)
            }
        }
    }

    /// Writes an operation on numbers, of which not all are constants.
    fn apply(&mut self, opcode: Opcode, numbers: &[Number], elements: u32) -> Number {
        let is_wide = numbers.iter().any(|number| matches!(number, Number::Wide(_)));
        let mut args = [Operand::Broadcast(0); 3];
        for (arg, &number) in args.iter_mut().zip(numbers) {
            *arg = match number {
                Number::Plain(operand) if !is_wide => operand,
                other => self.operand(other, elements),
            };
        }
        // The value of the instruction itself is often part of its derivative.
        if !is_wide && opcode == self.current.opcode && args == self.current.args {
            return Number::Plain(row(self.current.dst, elements));
        }
        let count = if is_wide { elements * self.directions } else { elements };
        let made = row(self.push(opcode, count, args), count);
        if is_wide { Number::Wide(made) } else { Number::Plain(made) }
    }
}

/// The operand that reads a row.
fn row(first: u32, elements: u32) -> Operand {
    if elements == 1 { Operand::Broadcast(first) } else { Operand::Contiguous(first) }
}

/// The elements of a number in a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Constant(f64),
    /// The same in all directions.
    Plain(Operand),
    /// For each element one in each direction, side by side.
    Wide(Operand),
}

/// A number in a rule that writes code.
#[derive(Clone, Copy)]
struct Term<'t, 'b, 'a> {
    builder: &'t RefCell<&'b mut Builder<'a>>,
    number: Number,
    elements: u32,
}

impl<'t, 'b, 'a> Term<'t, 'b, 'a> {
    fn value(builder: &'t RefCell<&'b mut Builder<'a>>, ins: &Instruction, arg: usize) -> Self {
        let operand = ins.args[arg];
        let constant = match operand {
            Operand::Broadcast(cell) => builder.borrow().known.get(&cell).copied(),
            _ => None,
        };
        let number = constant.map_or(Number::Plain(operand), Number::Constant);
        Term { builder, number, elements: ins.elements }
    }

    fn tangent(builder: &'t RefCell<&'b mut Builder<'a>>, ins: &Instruction, arg: usize) -> Self {
        let number = match ins.reads().nth(arg) {
            None => Number::Constant(0.0),
            Some((operand, elements)) => {
                let cells = (0..elements).map(|element| operand.cell(&builder.borrow().code.tables, element)).collect();
                tangent_of(*builder.borrow_mut(), cells)
            }
        };
        Term { builder, number, elements: ins.elements }
    }

    fn of_cell(builder: &'t RefCell<&'b mut Builder<'a>>, cell: u32) -> Self {
        let constant = builder.borrow().known.get(&cell).copied();
        let number = constant.map_or(Number::Plain(Operand::Broadcast(cell)), Number::Constant);
        Term { builder, number, elements: 1 }
    }

    fn tangent_of_cell(builder: &'t RefCell<&'b mut Builder<'a>>, cell: u32) -> Self {
        Term { builder, number: tangent_of(*builder.borrow_mut(), vec![cell]), elements: 1 }
    }

    fn apply(self, opcode: Opcode, others: &[Self]) -> Self {
        let numbers: Vec<Number> = std::iter::once(&self).chain(others).map(|term| term.number).collect();
        let number = self.builder.borrow_mut().apply(opcode, &numbers, self.elements);
        Term { number, ..self }
    }
}

/// The tangents of cells in all directions.
fn tangent_of(builder: &mut Builder, cells: Vec<u32>) -> Number {
    if cells.iter().all(|cell| !builder.tangents.contains_key(cell)) {
        return Number::Constant(0.0);
    }
    let first_of = |cell: &u32| builder.tangents.get(cell).copied().unwrap_or(builder.zeros);
    let cells = cells.iter().map(first_of).flat_map(|first| first..first + builder.directions).collect();
    Number::Wide(builder.operand_of(cells))
}

impl Real for Term<'_, '_, '_> {
    fn constant(self, value: f64) -> Self {
        Term { number: Number::Constant(value), ..self }
    }

    fn unary(self, op: Unary) -> Self {
        match self.number {
            Number::Constant(value) => self.constant(op.value(value)),
            _ => self.apply(Opcode::Unary(op), &[]),
        }
    }

    fn binary(self, op: Binary, other: Self) -> Self {
        match (self.number, other.number) {
            (Number::Constant(a), Number::Constant(b)) => self.constant(op.value(a, b)),
            _ => self.apply(Opcode::Binary(op), &[other]),
        }
    }

    fn choose(self, yes: Self, no: Self) -> Self {
        match self.number {
            Number::Constant(0.0) => no,
            Number::Constant(_) => yes,
            _ if yes.is_zero() && no.is_zero() => yes,
            _ => self.apply(Opcode::Select, &[yes, no]),
        }
    }

    fn is_zero(self) -> bool {
        self.number == Number::Constant(0.0)
    }

    fn unless_zero(self, value: impl FnOnce() -> Self) -> Self {
        if self.is_zero() {
            return self;
        }
        let value = value();
        match self.number {
            Number::Constant(_) => value,
            _ => self.choose(value, self.constant(0.0)),
        }
    }
}

real_operators!(['t, 'b, 'a] Term<'t, 'b, 'a>);

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Operand = Operand::Broadcast(0);

    fn ins(opcode: Opcode, elements: u32, dst: u32, args: [Operand; 3]) -> Instruction {
        Instruction { opcode, elements, dst, args }
    }

    /// Executes the instructions that occur here.
    fn execute(code: &StepCode, list: &[Instruction], cells: &mut [f64]) {
        for ins in list {
            let read = |arg: usize, element: u32| cells[ins.args[arg].cell(&code.tables, element) as usize];
            let result = |element: u32| match ins.opcode {
                Opcode::Copy => read(0, element),
                Opcode::Unary(op) => op.value(read(0, element)),
                Opcode::Binary(op) => op.value(read(0, element), read(1, element)),
                Opcode::Select if read(0, element) != 0.0 => read(1, element),
                Opcode::Select => read(2, element),
                Opcode::Fold(op) => (0..ins.elements).fold(read(0, 0), |all, element| op.value(all, read(1, element))),
                Opcode::Pick { .. } => read(0, read(1, element) as u32),
                other => panic!("{other:?} is not expected"),
            };
            let results: Vec<f64> = (0..ins.written()).map(result).collect();
            cells[ins.dst as usize..][..results.len()].copy_from_slice(&results);
        }
    }

    /// Returns the tangents of `results` in both directions, those of the cells 0 and 1.
    fn tangents(mut code: StepCode, list: &[Instruction], results: &[u32], values: &[f64]) -> Vec<[f64; 2]> {
        let derivative = differentiate(&mut code, list, (&[(0, 0), (1, 1)], 2), results).expect("all is code");
        let mut cells = vec![f64::NAN; code.cells];
        cells[..values.len()].copy_from_slice(values);
        code.constants.iter().for_each(|&(cell, value)| cells[cell as usize] = value);
        execute(&code, &derivative.list, &mut cells);
        let of = |&first: &u32| [cells[first as usize], cells[first as usize + 1]];
        derivative.results.iter().map(of).collect()
    }

    fn code(cells: usize, constants: &[(u32, f64)], tables: &[u32]) -> StepCode {
        StepCode { cells, constants: constants.to_vec(), tables: tables.to_vec(), ..StepCode::default() }
    }

    #[test]
    fn tangents_are_those_of_closed_forms() {
        use Operand::{Broadcast, Contiguous};
        let (a, b) = (0.7, 1.9_f64);
        let list = [
            // a·b, sin(a·b), b³ and their quotient, beside a value that depends on neither.
            ins(Opcode::Binary(Binary::Mul), 1, 3, [Broadcast(0), Broadcast(1), NONE]),
            ins(Opcode::Unary(Unary::Sin), 1, 4, [Broadcast(3), NONE, NONE]),
            ins(Opcode::Binary(Binary::Pow), 1, 5, [Broadcast(1), Broadcast(2), NONE]),
            ins(Opcode::Binary(Binary::Div), 1, 6, [Broadcast(4), Broadcast(5), NONE]),
            ins(Opcode::Unary(Unary::Exp), 1, 7, [Broadcast(2), NONE, NONE]),
            // All of them side by side: their product, and twice each of them.
            ins(Opcode::Fold(Binary::Mul), 3, 8, [Broadcast(2), Contiguous(4), NONE]),
            ins(Opcode::Binary(Binary::Add), 3, 9, [Contiguous(4), Contiguous(4), NONE]),
        ];
        let got = tangents(code(12, &[(2, 3.0)], &[]), &list, &[3, 6, 7, 8, 11], &[a, b]);
        let (s, c, p) = ((a * b).sin(), (a * b).cos(), b.powi(3));
        let quotient = [b * c / p, (a * c * p - s * 3.0 * b * b) / (p * p)];
        // The product is 3·s·b³·(s/b³) = 3·s².
        let want = [[b, a], quotient, [0.0, 0.0], [6.0 * s * b * c, 6.0 * s * a * c], quotient.map(|q| 2.0 * q)];
        for (got, want) in got.iter().flatten().zip(want.iter().flatten()) {
            assert!((got - want).abs() < 1e-14 * want.abs().max(1.0), "{got} instead of {want}");
        }
    }

    #[test]
    fn a_choice_has_the_tangent_of_what_is_chosen() {
        use Operand::{Broadcast, Gather};
        let list = [
            ins(Opcode::Binary(Binary::Lt), 1, 3, [Broadcast(0), Broadcast(1), NONE]),
            ins(Opcode::Select, 1, 4, [Broadcast(3), Broadcast(0), Broadcast(1)]),
            ins(Opcode::Binary(Binary::Max), 1, 5, [Broadcast(0), Broadcast(1), NONE]),
            ins(Opcode::Pick { count: 2 }, 1, 6, [Gather(0), Broadcast(2), NONE]),
        ];
        for (a, b, chosen) in [(1.0, 2.0, [[1.0, 0.0], [0.0, 1.0]]), (2.0, 1.0, [[0.0, 1.0], [1.0, 0.0]])] {
            // The index 1 picks cell 0.
            let got = tangents(code(7, &[(2, 1.0)], &[1, 0]), &list, &[4, 5, 6], &[a, b]);
            assert_eq!(got, [chosen[0], chosen[1], [1.0, 0.0]]);
        }
    }

    #[test]
    fn what_has_no_tangent_in_code_leaves_all_as_it_is() {
        let mut code = code(4, &[(2, 1.0)], &[]);
        let call = ins(Opcode::Call { number: 0, reads: 1 }, 1, 3, [Operand::Broadcast(0), NONE, NONE]);
        assert!(differentiate(&mut code, &[call], (&[(0, 0)], 1), &[3]).is_none());
        assert_eq!((code.cells, code.constants.len(), code.tables.len()), (4, 1, 0));
    }
}
