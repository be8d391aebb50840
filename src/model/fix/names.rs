//! Fixes of names: of models, ports, tags and written files.

use std::sync::Arc;

use super::{Site, most_similar, similarity};
use crate::block::ParamKind;
use crate::model::simulation::free_name;
use crate::model::{Block, BlockKind, Change, Edit, Model, bad_name};

impl Site<'_> {
    pub(super) fn rename(&self) -> Option<Change> {
        let model = self.model?;
        let name = || Arc::clone(&model.name);
        let Some(block) = self.block else {
            let to = self.simulation.free_model_name(&valid_name(&model.name));
            let edit = Edit::RenameModel { from: name(), to: to.as_str().into() };
            return Some(Change::one(format!("Rename model to {to}"), edit));
        };
        match &block.kind {
            BlockKind::Entry { name: old } | BlockKind::Exit { name: old } => {
                let to = model.free_port_name(&valid_name(old));
                let edit = Edit::RenamePort { model: name(), id: block.id, name: to.as_str().into() };
                Some(Change::one(format!("Rename {old} to {to}"), edit))
            }
            BlockKind::Library { .. } => self.rename_tag(model, block),
            BlockKind::Model { .. } => None,
        }
    }

    /// Renames a tag or a written file that two blocks have, or reads a tag that exists.
    fn rename_tag(&self, model: &Arc<Model>, block: &Block) -> Option<Change> {
        let BlockKind::Library { group, name } = &block.kind else { return None };
        let def = self.registry.get(group, name)?;
        let text_of = |block: &Block, param: &str| block.option_texts(param).map(|texts| texts.concat());
        let (param, to) = match def.tag() {
            Some((param, space, role)) => {
                let old = text_of(block, param).unwrap_or_default();
                let others = model.blocks.values().filter_map(|other| {
                    let BlockKind::Library { group, name } = &other.kind else { return None };
                    let (param, of, role) = self.registry.get(group, name)?.tag()?;
                    (of == space && role.is_origin() && other.id != block.id).then(|| text_of(other, param))?
                });
                let others: Vec<String> = others.collect();
                let to = match role {
                    role if role.is_origin() => free(&old, &others),
                    _ => most_similar(others.into_iter().map(|name| (similarity(&old, &name), name)))
                        .into_iter()
                        .next()?,
                };
                (param, to)
            }
            None => {
                let file = def.params.iter().find(|param| matches!(param.kind, ParamKind::File { .. }))?;
                let old = text_of(block, file.name)?;
                let others = model.blocks.values().filter(|other| other.id != block.id);
                let others: Vec<String> = others.filter_map(|other| text_of(other, file.name)).collect();
                let (stem, extension) = old.rsplit_once('.').map_or((&*old, ""), |(stem, extension)| (stem, extension));
                let names = (2..).map(|number: u64| match extension {
                    "" => format!("{stem} {number}"),
                    _ => format!("{stem} {number}.{extension}"),
                });
                (file.name, names.into_iter().find(|name| !others.contains(name))?)
            }
        };
        let id = block.id;
        let edit =
            Edit::SetOption { model: Arc::clone(&model.name), id, name: param.into(), values: Some(vec![to.clone()]) };
        Some(Change::one(format!("Set {param} of {} {id} to {to}", block.title()), edit))
    }
}

fn free(name: &str, taken: &[String]) -> String {
    free_name(name, |name| taken.iter().any(|taken| taken == name))
}

/// Returns a name without what no name may contain.
fn valid_name(name: &str) -> String {
    const LENGTH: usize = 100;
    if bad_name(name).is_none() {
        return name.to_owned();
    }
    let line: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LENGTH).collect();
    let line = line.trim();
    if line.is_empty() { "Unnamed".to_owned() } else { line.to_owned() }
}
