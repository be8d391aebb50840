//! The owners of cells: for each cell the unit that it belongs to, of units that were generated together the first.

use super::lower::space::SpaceMark;
use crate::engine::UnitId;

/// The units that allocated cells, with the first cell of each, in both spaces of [`super::lower::space`].
#[derive(Debug, Default)]
pub(crate) struct Owners {
    fixed: Vec<OwnedCells>,
    stage: Vec<OwnedCells>,
    /// The first cell of the minor-step space, and its length.
    stages_from: u32,
    stages: u32,
}

/// The cells from `first` on to those of the next unit.
#[derive(Debug)]
struct OwnedCells {
    first: u32,
    unit: Option<UnitId>,
}

impl Owners {
    /// Cells that are allocated from here on belong to the unit.
    pub(super) fn begin(&mut self, mark: SpaceMark, unit: Option<UnitId>) {
        for (list, first) in [(&mut self.fixed, mark.fixed), (&mut self.stage, mark.stage)] {
            match list.last_mut() {
                Some(last) if last.first == first => last.unit = unit,
                _ => list.push(OwnedCells { first, unit }),
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

    pub fn owner(&self, cell: u32) -> Option<UnitId> {
        let (list, at) = match cell.checked_sub(self.stages_from) {
            None => (&self.fixed, cell),
            Some(stage) if stage < self.stages => (&self.stage, stage),
            Some(stage) if stage < 2 * self.stages => (&self.stage, stage - self.stages),
            Some(_) => return None,
        };
        let behind = list.partition_point(|cells| cells.first <= at);
        list[behind.checked_sub(1)?].unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The minor-step space is laid out twice, and both copies of a cell have one owner.
    #[test]
    fn cells_belong_to_the_unit_that_allocated_them() {
        let mut owners = Owners::default();
        owners.begin(SpaceMark { fixed: 0, stage: 0 }, Some(UnitId::from_u32(7)));
        owners.begin(SpaceMark { fixed: 2, stage: 3 }, Some(UnitId::from_u32(8)));
        owners.settle(4, 4);
        let found: Vec<u32> = (0..12).filter_map(|cell| owners.owner(cell)).map(UnitId::as_u32).collect();
        assert_eq!(found, [7, 7, 8, 8, 7, 7, 7, 8, 7, 7, 7, 8]);
    }
}
