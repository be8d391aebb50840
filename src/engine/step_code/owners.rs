//! The owners of cells: for each cell the unit that it belongs to, of units that were generated together the first.

/// The units that allocated cells, with the first cell of each, in both spaces of [`super::lower::space`].
#[derive(Debug, Default)]
pub(crate) struct Owners {
    fixed: Vec<(u32, u32)>,
    stage: Vec<(u32, u32)>,
    /// The first cell of the minor-step space, and its length.
    stages_from: u32,
    stages: u32,
}

/// Marks cells without an owner.
pub(crate) const NOBODY: u32 = u32::MAX;

impl Owners {
    /// Cells that are allocated from here on belong to the unit.
    pub(super) fn begin(&mut self, (fixed, stage): (u32, u32), unit: u32) {
        for (list, next) in [(&mut self.fixed, fixed), (&mut self.stage, stage)] {
            match list.last_mut() {
                Some(last) if last.0 == next => last.1 = unit,
                _ => list.push((next, unit)),
            }
        }
    }

    pub(super) fn settle(&mut self, stages_from: u32, stages: u32) {
        (self.stages_from, self.stages) = (stages_from, stages);
    }

    /// Returns the cell of the major step for one of minor steps, and any other cell itself.
    #[cfg(feature = "pool")]
    pub fn major(&self, cell: u32) -> u32 {
        let is_minor = cell >= self.stages_from + self.stages && cell < self.stages_from + 2 * self.stages;
        if is_minor { cell - self.stages } else { cell }
    }

    pub fn owner(&self, cell: u32) -> u32 {
        let (list, at) = match cell.checked_sub(self.stages_from) {
            None => (&self.fixed, cell),
            Some(stage) if stage < self.stages => (&self.stage, stage),
            Some(stage) => (&self.stage, stage - self.stages),
        };
        let behind = list.partition_point(|(first, _)| *first <= at);
        behind.checked_sub(1).map_or(NOBODY, |index| list[index].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The minor-step space is laid out twice, and both copies of a cell have one owner.
    #[test]
    fn cells_belong_to_the_unit_that_allocated_them() {
        let mut owners = Owners::default();
        owners.begin((0, 0), 7);
        owners.begin((2, 3), 8);
        owners.settle(4, 4);
        let found: Vec<u32> = (0..12).map(|cell| owners.owner(cell)).collect();
        assert_eq!(found, [7, 7, 8, 8, 7, 7, 7, 8, 7, 7, 7, 8]);
    }
}
