//! A list of numbers for each cell of step code.

/// Lists of numbers, one for each cell, all in one piece of memory: step code of wide vectors has many millions of cells,
/// and a list of its own for each would take ten times the memory of the values.
pub(in crate::engine) struct CellLists {
    /// Where the list of each cell begins in `all`; the last has the length of `all`.
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl CellLists {
    /// Returns the lists for `cells` cells. `visit` calls its argument with each cell and number, and is called twice;
    /// the numbers of a cell are in the order of the calls.
    pub fn new(cells: usize, visit: impl Fn(&mut dyn FnMut(u32, u32))) -> CellLists {
        let mut starts = vec![0u32; cells + 1];
        visit(&mut |cell, _| starts[cell as usize + 1] += 1);
        for cell in 0..cells {
            starts[cell + 1] += starts[cell];
        }
        let mut all = vec![0; starts[cells] as usize];
        // Each start is moved to the end of its list, which is the start of the next.
        visit(&mut |cell, number| {
            let end = &mut starts[cell as usize];
            all[*end as usize] = number;
            *end += 1;
        });
        starts.rotate_right(1);
        starts[0] = 0;
        CellLists { starts, all }
    }

    pub fn of(&self, cell: u32) -> &[u32] {
        let cell = cell as usize;
        &self.all[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }
}
