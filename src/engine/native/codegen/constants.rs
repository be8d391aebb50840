//! Constants in memory behind the cells, for code in which they would not stay in registers.

use std::collections::HashMap;

/// Constants of which both lanes of a vector are read from memory: held in registers throughout a loop with branches,
/// they would be stored and loaded again in each iteration.
pub(in crate::engine::native) struct ConstantPairs {
    /// The first cell.
    first: u32,
    values: Vec<u64>,
    numbers: HashMap<u64, u32>,
}

impl ConstantPairs {
    pub fn new(first: u32) -> ConstantPairs {
        ConstantPairs { first, values: Vec::new(), numbers: HashMap::new() }
    }

    /// Returns the offset of a pair from the address of the cells in bytes.
    pub fn offset(&mut self, value: f64) -> i32 {
        let bits = value.to_bits();
        let number = *self.numbers.entry(bits).or_insert_with(|| {
            self.values.push(bits);
            self.values.len() as u32 - 1
        });
        // Machine code is refused where there are more cells than fit.
        ((self.first + 2 * number) * 8) as i32
    }

    /// The number of cells with those of the pairs.
    pub fn cells(&self) -> usize {
        self.first as usize + 2 * self.values.len()
    }

    /// Fills the cells of the pairs.
    pub fn fill(&self, cells: &mut [f64]) {
        let pairs = cells[self.first as usize..].chunks_exact_mut(2);
        pairs.zip(&self.values).for_each(|(pair, bits)| pair.fill(f64::from_bits(*bits)));
    }
}
