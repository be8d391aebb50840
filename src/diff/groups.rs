//! Blocks that were grouped into a new model, taken out of one, or moved into another.

use std::sync::Arc;

use super::matching::{FIRST, Matching, SECOND, kind_text, name_of};
use super::state::{Site, is_port, options_text};
use crate::model::Block;

/// A model of one state whose blocks lie in a model of the other.
pub struct Group {
    /// Its only instance.
    pub instance: Site,
    /// How many blocks came from the other model.
    pub count: usize,
    /// That model, in the other state.
    pub origin: usize,
}

/// Finds groups and moves once the models are matched.
pub struct Grouping<'m, 'a>(pub &'m mut Matching<'a>);

impl Grouping<'_, '_> {
    pub fn find(&mut self) {
        self.find_groups();
        self.moves();
    }

    /// Finds new models that have blocks of the first state, and models that are gone and whose blocks the second has.
    pub fn find_groups(&mut self) {
        for side in [SECOND, FIRST] {
            while self.find_one(side) {}
        }
    }

    /// Finds a further group; returns whether there was one. A group in a group is found after the outer one.
    fn find_one(&mut self, side: usize) -> bool {
        let matching = &mut *self.0;
        for model in 0..matching.states[side].models.len() {
            let is_open = matching.model_partner(side, model).is_none() && !matching.groups[side].contains_key(&model);
            let instance = matching.states[side].only_instance(model).filter(|_| is_open);
            let Some(instance) = instance.filter(|site| matching.partner(side, *site).is_none()) else { continue };
            let around = matching.groups[side].get(&instance.model).map(|group| group.origin);
            let Some(origin) = matching.model_partner(side, instance.model).or(around) else { continue };
            let inside: Vec<(Site, &Block)> =
                matching.unmatched(side, model).into_iter().filter(|(_, block)| !is_port(block)).collect();
            let outside: Vec<(Site, &Block)> =
                matching.unmatched(1 - side, origin).into_iter().filter(|(_, block)| !is_port(block)).collect();
            if inside.is_empty() || outside.is_empty() {
                continue;
            }
            matching.match_by(side, &inside, &outside, &|block| Some((block.id, kind_text(block))));
            matching.match_by(side, &inside, &outside, &|block| name_of(block).map(|name| (kind_text(block), name)));
            matching.match_by(side, &inside, &outside, &|block| Some((kind_text(block), options_text(block))));
            let count = inside.iter().filter(|(site, _)| matching.partner(side, *site).is_some()).count();
            if count > 0 {
                matching.groups[side].insert(model, Group { instance, count, origin });
                return true;
            }
        }
        false
    }

    /// Matches blocks with a name that are gone from one model and new in another.
    fn moves(&mut self) {
        let matching = &mut *self.0;
        let open = |side: usize| -> Vec<(Site, Arc<Block>)> {
            let models = 0..matching.states[side].models.len();
            models
                .filter(|model| matching.model_partner(side, *model).is_some())
                .flat_map(|model| matching.states[side].sites(model))
                .filter(|(site, block)| matching.partner(side, *site).is_none() && !is_port(block))
                .map(|(site, block)| (site, Arc::clone(block)))
                .collect()
        };
        let (old, new) = (open(FIRST), open(SECOND));
        fn borrowed(list: &[(Site, Arc<Block>)]) -> Vec<(Site, &Block)> {
            list.iter().map(|(site, block)| (*site, &**block)).collect()
        }
        let key = |block: &Block| name_of(block).map(|name| (kind_text(block), name, options_text(block)));
        matching.match_by(FIRST, &borrowed(&old), &borrowed(&new), &key);
    }
}
