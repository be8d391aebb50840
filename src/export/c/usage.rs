//! Where the cells of step code are written and read, in the functions of the code and their blocks.

use std::sync::Arc;

use super::layout::Layout;
use crate::engine::{Instruction, Operand, StepCode};

/// A function of the code, or a block in one: `if`, `else` or the body of a loop.
pub type Region = u32;

/// An action of a step; they are in order.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    Instruction(Instruction),
    /// A call of a function for a use of a model, by its number.
    Call(u32),
    /// A loop, by its number in the layout.
    Loop(u32),
    /// The continuous states are integrated.
    Integrate,
    /// The reports of blocks become the status.
    Report,
}

/// The use of one cell.
#[derive(Clone, Copy, Debug)]
pub struct CellUse {
    pub writes: u32,
    pub reads: u32,
    /// The function that uses it; `None` if several do.
    function: Option<u32>,
    is_used: bool,
    first_write: Option<Region>,
    /// The innermost block around all its uses.
    around: Region,
    /// Whether a value is always written, in this function, before it is read.
    is_written_first: bool,
    reader: (u32, u8),
    reader_region: Region,
    writer_region: Region,
}

impl CellUse {
    const NONE: CellUse = CellUse {
        writes: 0,
        reads: 0,
        function: None,
        is_used: false,
        first_write: None,
        around: 0,
        is_written_first: true,
        reader: (0, 0),
        reader_region: 0,
        writer_region: 0,
    };

    pub fn is_used(&self) -> bool {
        self.is_used
    }

    /// The function and the block that a local variable for the cell would be in, if it can be one.
    pub fn local(&self) -> Option<(u32, Region)> {
        let is_local = self.is_written_first && self.first_write == Some(self.around);
        self.function.filter(|_| is_local).map(|function| (function, self.around))
    }
}

/// The uses of all cells.
pub struct Usage<'a> {
    code: &'a StepCode,
    layout: Arc<Layout>,
    pub cells: Vec<CellUse>,
    parents: Vec<Option<Region>>,
    next: u32,
}

impl<'a> Usage<'a> {
    pub fn new(code: &'a StepCode, layout: &Arc<Layout>) -> Usage<'a> {
        Usage { code, layout: Arc::clone(layout), cells: vec![CellUse::NONE; code.cells], parents: Vec::new(), next: 0 }
    }

    /// Begins a block within another, or a function; returns its number, which is that of a function, too.
    pub fn region(&mut self, parent: Option<Region>) -> Region {
        self.parents.push(parent);
        self.parents.len() as Region - 1
    }

    /// Notes the instructions of a list.
    pub fn list(&mut self, list: &[Instruction], region: Region) {
        list.iter().for_each(|ins| self.ins(ins, region));
    }

    /// Notes instructions and loops.
    fn items(&mut self, items: &[Item], region: Region) {
        for item in items {
            match item {
                Item::Instruction(ins) => self.ins(ins, region),
                Item::Loop(number) => self.turns(*number, region),
                Item::Call(_) | Item::Integrate | Item::Report => {}
            }
        }
    }

    /// Notes the instructions of a loop.
    pub fn turns(&mut self, number: u32, region: Region) {
        let layout = Arc::clone(&self.layout);
        self.list(&layout.loops[number as usize].list, region);
    }

    pub fn ins(&mut self, ins: &Instruction, region: Region) {
        let (code, id) = (self.code, self.next);
        self.next += 1;
        for (number, (operand, elements)) in ins.reads().enumerate() {
            let count = if let Operand::Broadcast(_) = operand { 1 } else { elements };
            // The first argument of a call says whether it may fail, which those of the code cannot.
            let first = u32::from(matches!(ins.opcode, crate::engine::Opcode::Call { .. }));
            (first..count)
                .for_each(|element| self.read(operand.cell(&code.tables, element), region, (id, number as u8)));
        }
        if let crate::engine::Opcode::Branch(number) = ins.opcode {
            let branch = &code.branches[number as usize];
            self.read(branch.guard, region, (id, 0));
            let inner = self.region(Some(region));
            if let Some(repeat) = branch.repeat {
                self.write(repeat.iteration, inner);
            }
            let layout = Arc::clone(&self.layout);
            let [body, otherwise] = &layout.bodies[number as usize];
            self.items(body, inner);
            if let Some(condition) = branch.repeat.and_then(|repeat| repeat.condition) {
                self.next += 1;
                self.read(condition, inner, (self.next, 0));
            }
            let other = self.region(Some(region));
            self.items(otherwise, other);
        }
        (ins.dst..ins.dst + ins.written()).for_each(|cell| self.write(cell, region));
    }

    /// Notes a read that is in no instruction.
    pub fn read_alone(&mut self, cell: u32, region: Region) {
        self.next += 1;
        self.read(cell, region, (self.next, u8::MAX));
    }

    fn read(&mut self, cell: u32, region: Region, reader: (u32, u8)) {
        self.touch(cell, region);
        let is_inside = self.cells[cell as usize].first_write.is_some_and(|first| self.is_inside(region, first));
        let of = &mut self.cells[cell as usize];
        of.is_written_first &= is_inside;
        of.reads += 1;
        (of.reader, of.reader_region) = (reader, region);
    }

    pub fn write(&mut self, cell: u32, region: Region) {
        self.touch(cell, region);
        let of = &mut self.cells[cell as usize];
        of.writes += 1;
        of.first_write.get_or_insert(region);
        of.writer_region = region;
    }

    fn touch(&mut self, cell: u32, region: Region) {
        let function = self.function(region);
        let mut of = self.cells[cell as usize];
        if !of.is_used {
            (of.is_used, of.function, of.around) = (true, Some(function), region);
        } else if of.function == Some(function) {
            of.around = self.common(of.around, region);
        } else {
            of.function = None;
        }
        self.cells[cell as usize] = of;
    }

    fn function(&self, mut region: Region) -> u32 {
        while let Some(parent) = self.parents[region as usize] {
            region = parent;
        }
        region
    }

    fn is_inside(&self, mut region: Region, outer: Region) -> bool {
        // Inner blocks have higher numbers.
        while region > outer {
            let Some(parent) = self.parents[region as usize] else { return false };
            region = parent;
        }
        region == outer
    }

    fn common(&self, a: Region, b: Region) -> Region {
        let mut outer = a;
        while !self.is_inside(b, outer) {
            match self.parents[outer as usize] {
                Some(parent) => outer = parent,
                None => break,
            }
        }
        outer
    }

    /// Whether the values that an instruction writes are read by one operand of one other instruction in the same block,
    /// so that they can be written there as an expression.
    pub fn is_read_once(&self, first: u32, count: u32) -> bool {
        let cells = &self.cells[first as usize..(first + count) as usize];
        let reader = cells[0].reader;
        cells.iter().all(|cell| {
            cell.writes == 1
                && cell.reads == 1
                && cell.reader == reader
                && reader.1 != u8::MAX
                && cell.local().is_some()
                && cell.reader_region == cell.writer_region
        })
    }
}
