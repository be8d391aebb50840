//! Changes by model, and the marks of the blocks that they are at.

use std::collections::BTreeMap;

use super::change::{Change, ChangeKind, Place, Subject};
use crate::model::BlockId;

/// How a place is marked in a diagram. The largest of several is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Only the layout has changed.
    Moved,
    Changed,
    Removed,
    Added,
}

impl Mark {
    /// The mark of a change itself.
    pub fn of(change: &Change) -> Mark {
        match change.kind {
            _ if change.is_layout => Mark::Moved,
            ChangeKind::Added => Mark::Added,
            ChangeKind::Removed => Mark::Removed,
            _ => Mark::Changed,
        }
    }

    /// The mark of the block that a change is at: a wire that comes or goes changes the block that it leads to.
    fn of_block(change: &Change) -> Mark {
        let is_wire = change.subject == Subject::Wire && !change.is_layout;
        if is_wire { Mark::Changed } else { Mark::of(change) }
    }
}

/// The changes of a model, or of the simulation itself.
pub struct Section<'c> {
    pub title: &'c str,
    /// The model in the first state, if it is there.
    pub first: Option<&'c str>,
    pub second: Option<&'c str>,
    pub changes: Vec<&'c Change>,
}

/// Sorts changes by the model of the second state; models that are gone come last.
pub fn sections(changes: &[Change]) -> Vec<Section<'_>> {
    let mut sections: Vec<Section> = Vec::new();
    for change in changes {
        let model = |place: &'_ Option<Place>| -> Option<String> { place.as_ref().map(|place| place.model.clone()) };
        let (first, second) = (model(&change.first_place), model(&change.second_place));
        let known = sections.iter_mut().find(|section| match (&second, &first) {
            (Some(second), _) => section.second == Some(second),
            (None, Some(first)) => section.first == Some(first),
            (None, None) => section.first.or(section.second).is_none(),
        });
        match known {
            Some(section) => {
                section.changes.push(change);
                let place = change.first_place.as_ref().map(|place| &*place.model);
                section.first = section.first.or(place);
            }
            None => {
                let first = change.first_place.as_ref().map(|place| &*place.model);
                let second = change.second_place.as_ref().map(|place| &*place.model);
                let title = second.or(first).unwrap_or("Simulation");
                sections.push(Section { title, first, second, changes: vec![change] });
            }
        }
    }
    sections
}

impl Section<'_> {
    /// The marks of the blocks in the first state (side 0) or the second (side 1).
    pub fn marks(&self, side: usize) -> BTreeMap<BlockId, Mark> {
        let mut marks: BTreeMap<BlockId, Mark> = BTreeMap::new();
        let model = if side == 0 { self.first } else { self.second };
        for change in &self.changes {
            let place = if side == 0 { &change.first_place } else { &change.second_place };
            let place = place.as_ref().filter(|place| Some(&*place.model) == model);
            if let Some(block) = place.and_then(|place| place.block) {
                let mark = Mark::of_block(change);
                let known = marks.entry(block).or_insert(mark);
                *known = mark.max(*known);
            }
        }
        marks
    }
}
