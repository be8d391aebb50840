//! Pairs the units of a program with those of its predecessor.

use std::collections::HashMap;

use super::super::Program;
use super::super::compile::template::{ModelTemplate, TemplateKind};
use super::super::compile::instances::Use;

/// For each unit of a program, the same unit of the old program.
pub struct Pairs {
    pub of: Vec<Result<usize, Mismatch>>,
}

/// The reason why a unit has no counterpart to take its state from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    New,
    OtherKind,
    /// It is this unit of the old program, but its states have another shape.
    OtherStates(usize),
}

impl Pairs {
    pub fn new(from: &Program, to: &Program) -> Pairs {
        let mut pairs = Pairs { of: vec![Err(Mismatch::New); to.units.len()] };
        let instances = instances(from, to);
        for (instance, old) in instances.iter().enumerate() {
            let Some(old) = *old else { continue };
            let (new_instance, old_instance) = (&to.tree.instances[instance], &from.tree.instances[old]);
            let (template, old_template) = (template_of(to, instance), template_of(from, old));
            for block in &template.blocks {
                let TemplateKind::Unit { number, def, .. } = &block.kind else { continue };
                let Some(place) = old_template.place(block.id) else { continue };
                let here = new_instance.first_unit as usize + number;
                pairs.of[here] = match &old_template.block(place).kind {
                    TemplateKind::Unit { number, def: old_def, .. }
                        if (def.group, def.name) == (old_def.group, old_def.name) =>
                    {
                        pair(from, old_instance.first_unit as usize + number, to, here)
                    }
                    _ => Err(Mismatch::OtherKind),
                };
            }
        }
        pairs.unseen(from, to, &instances);
        pairs.loops(from, to);
        pairs
    }

    /// The old program's unit of the same kind, whether or not its state is kept.
    pub fn same_kind(&self, unit: usize) -> Option<usize> {
        match self.of[unit] {
            Ok(old) | Err(Mismatch::OtherStates(old)) => Some(old),
            Err(_) => None,
        }
    }

    /// Pairs the hidden units of model blocks: enable conditions, splits and joins.
    fn unseen(&mut self, from: &Program, to: &Program, instances: &[Option<usize>]) {
        for of in &to.tree.uses {
            let Some(old) = old_use(from, to, instances, of.parent) else { continue };
            let (template, old_template) =
                (&to.templates[of.template as usize], &from.templates[old.template as usize]);
            let shape = |of: &Use, template: &ModelTemplate| {
                (of.subsystem.is_some(), template.flow.each.len(), of.hidden_count(template))
            };
            if shape(of, template) == shape(old, old_template) {
                for unit in 0..of.hidden_count(template) {
                    let (here, there) = (of.first_hidden as usize + unit, old.first_hidden as usize + unit);
                    self.of[here] = pair(from, there, to, here);
                }
            }
        }
    }

    /// Pairs the loop solvers: they are the same if the same outputs are torn.
    fn loops(&mut self, from: &Program, to: &Program) {
        let known: HashMap<&[usize], usize> = from.loops.iter().map(|of| (&*of.torn, of.unit)).collect();
        for of in &to.loops {
            let torn: Option<Vec<usize>> = of.torn.iter().map(|&output| self.old_output(from, to, output)).collect();
            if let Some(&old) = torn.as_deref().and_then(|torn| known.get(torn)) {
                self.of[of.unit] = pair(from, old, to, of.unit);
            }
        }
    }

    /// The output of the program before that an output was.
    fn old_output(&self, from: &Program, to: &Program, output: usize) -> Option<usize> {
        let unit = to.outputs[output].unit as usize;
        let old = &from.units[self.of[unit].ok()?];
        let number = output - to.units[unit].first_output as usize;
        from.outputs_of(old).nth(number)
    }
}

/// A unit that was another, where its states have the same shape.
fn pair(from: &Program, old: usize, to: &Program, new: usize) -> Result<usize, Mismatch> {
    let shapes = |program: &Program, unit: usize| {
        let states = &program.kernel(&program.units[unit]).states;
        states.iter().map(|state| (state.kind, state.width, state.mode)).collect::<Vec<_>>()
    };
    if shapes(from, old) == shapes(to, new) { Ok(old) } else { Err(Mismatch::OtherStates(old)) }
}

/// For each use of a model in a program the one that it was.
fn instances(from: &Program, to: &Program) -> Vec<Option<usize>> {
    let mut known: Vec<Option<usize>> = Vec::with_capacity(to.tree.instances.len());
    for (number, instance) in to.tree.instances.iter().enumerate() {
        let old = match instance.parent {
            None => (!from.tree.instances.is_empty()
                && is_same_model(from, template_of(from, 0), template_of(to, number)))
            .then_some(0),
            Some(parent) => old_use(from, to, &known, parent).and_then(|old| {
                let of = &to.tree.uses[instance.of? as usize];
                let is_same =
                    is_same_model(from, &from.templates[old.template as usize], &to.templates[of.template as usize]);
                let has_iteration = old.iterations.is_some() == of.iterations.is_some()
                    && instance.iteration < old.iterations.unwrap_or(1);
                (is_same && has_iteration).then_some((old.first + instance.iteration) as usize)
            }),
        };
        known.push(old);
    }
    known
}

/// The use of a model that the model block at a place was; `instances` has those around it.
fn old_use<'a>(
    from: &'a Program,
    to: &Program,
    instances: &[Option<usize>],
    (instance, place): (u32, u32),
) -> Option<&'a Use> {
    let old = (*instances.get(instance as usize)?)?;
    let id = template_of(to, instance as usize).block(place as usize).id;
    let template = template_of(from, old);
    match template.block(template.place(id)?).kind {
        TemplateKind::Child { number, .. } => from.tree.uses.get(from.tree.instances[old].first_use as usize + number),
        TemplateKind::Unit { .. } => None,
    }
}

fn template_of(program: &Program, instance: usize) -> &ModelTemplate {
    &program.templates[program.tree.instances[instance].template as usize]
}

/// A model that has another name now, or was copied for this use alone, is the same; one that was there before is not.
fn is_same_model(from: &Program, old: &ModelTemplate, new: &ModelTemplate) -> bool {
    old.model == new.model || from.templates.iter().all(|template| template.model != new.model)
}
