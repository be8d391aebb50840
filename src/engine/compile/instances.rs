//! The instances of models in breadth-first order, and the subsystems that they form.

use std::collections::{BTreeMap, VecDeque};

use super::template::{ModelTemplate, TemplateKind};
use crate::model::Diagnostic;

/// All instances of models in a program, the root first.
#[derive(Debug)]
pub(in crate::engine) struct Tree {
    pub instances: Vec<Instance>,
    /// The model blocks of all instances, in order.
    pub uses: Vec<Use>,
    /// The conditional and iterated subsystems, each after the one that contains it.
    pub subsystems: Vec<SubsystemScope>,
    /// Number of units of blocks; the units after them are hidden.
    pub visible: usize,
    /// Number of all units, hidden ones included.
    pub units: usize,
}

/// One use of a model, or one element of a use that runs for each element.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Instance {
    pub template: u32,
    /// The instance it stands in and the block's place in that one's plan; the root has none.
    pub parent: Option<(u32, u32)>,
    pub first_unit: u32,
    /// Where its model blocks begin among the uses.
    pub first_use: u32,
    /// Its own model block.
    pub of: Option<u32>,
    pub iteration: u32,
    /// The subsystem that its blocks belong to.
    pub subsystem: Option<u32>,
    /// How many model blocks it stands in.
    pub depth: u32,
}

/// A model block of an instance.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Use {
    /// The instance that the model block stands in, and its place there.
    pub parent: (u32, u32),
    pub template: u32,
    /// Its instance, the first of as many as it has elements.
    pub first: u32,
    /// How many elements it is run for, where it is run for each.
    pub iterations: Option<u32>,
    /// The subsystem it is, where it is conditional or iterated.
    pub subsystem: Option<u32>,
    /// Its unseen units: what decides, then for each split entry what splits, then for each exit what joins.
    pub first_hidden: u32,
}

/// A conditional or iterated subsystem, as it stands in others.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct SubsystemScope {
    pub parent: Option<u32>,
    pub of: u32,
    depth: u32,
}

/// For each model block that runs for each element, by its places from the root, the number of elements.
pub(in crate::engine) type IterationCounts = BTreeMap<Vec<u32>, u32>;

/// More blocks than this are refused: models nested twofold thirty levels deep would not end.
const MOST_UNITS: usize = 5_000_000;
/// What a use gives its model's variables is worked out level by level, on the stack.
const MOST_LEVELS: u32 = 200;
/// Engines keep a place for each conditional subsystem around the one that runs.
const MOST_DEPTH: u32 = 100;

impl Use {
    /// How many unseen units it has.
    pub fn hidden_count(&self, template: &ModelTemplate) -> usize {
        let ports = if self.iterations.is_some() { template.flow.each.len() + template.exits.len() } else { 0 };
        usize::from(self.subsystem.is_some()) + ports
    }

    /// The unit that evaluates the enable condition.
    pub fn enable_unit(&self) -> Option<u32> {
        self.subsystem.map(|_| self.first_hidden)
    }

    /// The unit that splits an input into elements, if it is split.
    pub fn split(&self, template: &ModelTemplate, input: usize) -> Option<u32> {
        self.iterations?;
        let number = template.flow.each.iter().position(|&split| split == input)?;
        Some(self.first_hidden + u32::from(self.subsystem.is_some()) + number as u32)
    }

    /// The unit that joins an output, where it has elements.
    pub fn join(&self, template: &ModelTemplate, output: usize) -> Option<u32> {
        self.iterations?;
        let first = self.first_hidden + u32::from(self.subsystem.is_some()) + template.flow.each.len() as u32;
        (output < template.exits.len()).then_some(first + output as u32)
    }
}

impl Tree {
    /// # Errors
    /// Where there are too many blocks, or conditional subsystems stand too deep in each other.
    pub fn new(
        templates: &[ModelTemplate],
        root: usize,
        iterations: &IterationCounts,
    ) -> Result<Tree, Vec<Diagnostic>> {
        let mut tree = Tree { instances: Vec::new(), uses: Vec::new(), subsystems: Vec::new(), visible: 0, units: 0 };
        let instance = |template, parent, of, iteration| Instance {
            template,
            parent,
            of,
            iteration,
            first_unit: 0,
            first_use: 0,
            subsystem: None,
            depth: 0,
        };
        let mut ahead = VecDeque::from([instance(root as u32, None, None, 0)]);
        let mut instance_count = 1;
        while let Some(mut next) = ahead.pop_front() {
            let number = tree.instances.len() as u32;
            let template = &templates[next.template as usize];
            (next.first_unit, next.first_use) = (tree.visible as u32, tree.uses.len() as u32);
            tree.visible += template.unit_count;
            tree.instances.push(next);
            for (place, block) in template.blocks.iter().enumerate() {
                let TemplateKind::Child { template, .. } = block.kind else { continue };
                let flow = &templates[template].flow;
                let parent = (number, place as u32);
                let count = (!flow.each.is_empty()).then(|| iterations.get(&tree.path(parent)).copied().unwrap_or(1));
                let of = tree.uses.len() as u32;
                let subsystem = match &flow.enable {
                    Some(_) => Some(tree.add_subsystem(next.subsystem, of)?),
                    None => None,
                };
                let (template, first) = (template as u32, instance_count);
                tree.uses.push(Use { parent, template, first, iterations: count, subsystem, first_hidden: 0 });
                let numbers = 0..count.unwrap_or(1);
                instance_count += numbers.end;
                // Where there are too many they need not be made.
                if tree.visible + instance_count as usize > MOST_UNITS {
                    return Err(too_large());
                }
                let (subsystem, depth) = (subsystem.or(next.subsystem), next.depth + 1);
                if depth > MOST_LEVELS {
                    return Err(too_deep());
                }
                let inside =
                    |iteration| Instance { subsystem, depth, ..instance(template, Some(parent), Some(of), iteration) };
                ahead.extend(numbers.map(inside));
            }
            if tree.visible.max(tree.uses.len()) > MOST_UNITS {
                return Err(too_large());
            }
        }
        tree.units = tree.visible;
        for of in &mut tree.uses {
            of.first_hidden = tree.units as u32;
            tree.units += of.hidden_count(&templates[of.template as usize]);
        }
        Ok(tree)
    }

    fn add_subsystem(&mut self, parent: Option<u32>, of: u32) -> Result<u32, Vec<Diagnostic>> {
        let depth = 1 + parent.map_or(0, |parent| self.subsystems[parent as usize].depth);
        if depth > MOST_DEPTH {
            let message = format!("more than {MOST_DEPTH} conditional or iterated models stand in each other");
            return Err(vec![Diagnostic::error("too-large", message)]);
        }
        self.subsystems.push(SubsystemScope { parent, of, depth });
        Ok(self.subsystems.len() as u32 - 1)
    }

    /// The places of a model block from the root.
    pub fn path(&self, (mut instance, place): (u32, u32)) -> Vec<u32> {
        let mut path = vec![place];
        while let Some((parent, place)) = self.instances[instance as usize].parent {
            path.push(place);
            instance = parent;
        }
        path.reverse();
        path
    }

    /// The unit and output that `output` of the block at `place` is, through any model blocks.
    pub fn resolve(
        &self,
        templates: &[ModelTemplate],
        mut instance: usize,
        mut place: usize,
        mut output: usize,
    ) -> Option<(usize, usize)> {
        loop {
            let Instance { template, first_unit, first_use, .. } = self.instances[instance];
            match templates[template as usize].block(place).kind {
                TemplateKind::Unit { number, .. } => return Some((first_unit as usize + number, output)),
                TemplateKind::Child { number, template } => {
                    let of = &self.uses[first_use as usize + number];
                    if let Some(join) = of.join(&templates[template], output) {
                        return Some((join as usize, 0));
                    }
                    instance = of.first as usize;
                    place = *templates[template].exits.get(output)?;
                    output = 0;
                }
            }
        }
    }

    /// Whether a subsystem is another one or stands in it, at any depth.
    pub fn is_within(&self, mut subsystem: Option<u32>, outer: u32) -> bool {
        while let Some(number) = subsystem {
            if number == outer {
                return true;
            }
            subsystem = self.subsystems[number as usize].parent;
        }
        false
    }
}

fn too_deep() -> Vec<Diagnostic> {
    let message = format!("models stand in each other more than {MOST_LEVELS} levels deep");
    vec![Diagnostic::error("too-large", message).help("put what is deepest into one model")]
}

fn too_large() -> Vec<Diagnostic> {
    let message = format!("the models inside each other come to more than {MOST_UNITS} blocks");
    vec![Diagnostic::error("too-large", message).help("use fewer uses of models within models")]
}
