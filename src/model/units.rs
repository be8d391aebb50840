//! Checks the units of signals: warns where signals of different units are combined.
//!
//! A unit is a text on the wires of an output, compared literally. The block's tape tells which inputs must have the
//! same unit: those that are added, subtracted, compared or selected. The output of such a block, or of one that only
//! changes the sign, has the unit of its inputs; for all other outputs the unit must be declared. Units do not
//! propagate through model blocks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::{
    Block, BlockId, BlockKind, Connection, Diagnostic, InputKey, Model, Scope, Simulation, library_ports, settings_of,
};
use crate::block::math::UnitRule;
use crate::block::{BuildContext, Kernel, Op, Reg, Registry};

/// An output of a model: block and port.
type Output = (BlockId, Arc<str>);

/// Returns the warnings of a model, sorted by block.
pub(super) fn check_units(simulation: &Simulation, registry: &Registry, model: &Model) -> Vec<Diagnostic> {
    let declared: BTreeMap<Output, Arc<str>> =
        model.connections.values().filter_map(|wire| declared_by(wire)).collect();
    if declared.is_empty() {
        return Vec::new();
    }
    let mut check =
        Check { simulation, registry, model, known: declared.clone(), targets: HashMap::new(), found: BTreeMap::new() };
    for wire in model.connections.values() {
        check.targets.entry((wire.from, Arc::clone(&wire.output))).or_default().insert(wire.to);
    }
    let mut pending: BTreeSet<BlockId> = declared.keys().flat_map(|output| check.targets_of(output)).collect();
    // This terminates: every output gets a unit at most once.
    while let Some(id) = pending.pop_first() {
        let Some(block) = model.block(id) else { continue };
        for output in check.propagate(block) {
            pending.extend(check.targets_of(&output));
        }
    }
    let found = check.found.into_iter();
    found
        .map(|(id, message)| {
            let help = "insert a unit conversion, or correct the unit of the wire";
            Diagnostic::warning("mixed-units", message).help(help).on_block(&model.name, id)
        })
        .collect()
}

fn declared_by(wire: &Connection) -> Option<(Output, Arc<str>)> {
    let unit = wire.attributes.get(Connection::UNIT)?.trim();
    (!unit.is_empty()).then(|| ((wire.from, Arc::clone(&wire.output)), unit.into()))
}

struct Check<'a> {
    simulation: &'a Simulation,
    registry: &'a Registry,
    model: &'a Model,
    known: BTreeMap<Output, Arc<str>>,
    targets: HashMap<Output, BTreeSet<BlockId>>,
    found: BTreeMap<BlockId, String>,
}

impl Check<'_> {
    fn targets_of(&self, output: &Output) -> Vec<BlockId> {
        self.targets.get(output).into_iter().flatten().copied().collect()
    }

    /// Checks the inputs of a block; returns the outputs whose unit became known.
    fn propagate(&mut self, block: &Block) -> Vec<Output> {
        let BlockKind::Library { group, name } = &block.kind else { return Vec::new() };
        let Some(def) = self.registry.get(group, name) else { return Vec::new() };
        let settings = settings_of(def, block, &Scope::of_model(self.simulation, self.model)).0;
        let ports = library_ports(def, &settings);
        let unit = |input: &Arc<str>| {
            let source = self.model.connections.get(&InputKey { block: block.id, input: Arc::clone(input) })?;
            self.known.get(&(source.from, Arc::clone(&source.output))).cloned()
        };
        let units: Vec<Option<Arc<str>>> = ports.inputs.iter().map(unit).collect();
        let context = BuildContext::new(self.simulation.delta);
        // The compiler reports a block that cannot be built.
        let Ok(kernel) = Kernel::build(def, &settings, &vec![1; ports.inputs.len()], context) else {
            return Vec::new();
        };
        let flow = UnitFlow::of(&kernel, &units);
        if let Some((a, b)) = flow.clash {
            let text = |input: usize| {
                let unit = units.get(input).cloned().flatten().unwrap_or_default();
                format!("“{}” in {unit}", ports.inputs.get(input).map_or("", |name| name))
            };
            self.found.insert(block.id, format!("{} combines {} and {}", def.name, text(a), text(b)));
        }
        let mut new = Vec::new();
        for (output, made) in ports.outputs.iter().zip(&kernel.outputs) {
            let Some(Some(input)) = flow.from.get(made.reg as usize) else { continue };
            let Some(unit) = units.get(*input).cloned().flatten() else { continue };
            let key = (block.id, Arc::clone(output));
            match self.known.get(&key) {
                None => {
                    self.known.insert(key.clone(), unit);
                    new.push(key);
                }
                Some(declared) if *declared != unit && flow.clash.is_none() => {
                    self.found
                        .insert(block.id, format!("“{output}” is declared in {declared}, but the input is in {unit}"));
                }
                Some(_) => {}
            }
        }
        new
    }
}

/// The input that determines the unit of each register, and the first two inputs whose units differ.
struct UnitFlow {
    from: Vec<Option<usize>>,
    clash: Option<(usize, usize)>,
}

impl UnitFlow {
    fn of(kernel: &Kernel, units: &[Option<Arc<str>>]) -> UnitFlow {
        let mut flow = UnitFlow { from: Vec::with_capacity(kernel.ops.len()), clash: None };
        for op in &kernel.ops {
            let from = flow.step(op, units);
            flow.from.push(from);
        }
        flow
    }

    fn step(&mut self, op: &Op, units: &[Option<Arc<str>>]) -> Option<usize> {
        let of = |flow: &UnitFlow, reg: Reg| flow.from.get(reg as usize).copied().flatten();
        match op {
            Op::Input(input) => {
                let input = *input as usize;
                units.get(input).is_some_and(Option::is_some).then_some(input)
            }
            Op::Unary(op, a) if op.row().units == UnitRule::Same => of(self, *a),
            Op::Fold(op, a) if op.row().units == UnitRule::Same => of(self, *a),
            Op::Slice { of: a, .. } | Op::Pick { of: a, .. } => of(self, *a),
            Op::Binary(op, a, b) => {
                let agreed = |flow: &mut UnitFlow| flow.agree(of(flow, *a), of(flow, *b), units);
                match op.row().units {
                    UnitRule::Same => agreed(self),
                    UnitRule::Compared => {
                        agreed(self);
                        None
                    }
                    UnitRule::Unknown => None,
                }
            }
            Op::Select { yes, no, .. } => self.agree(of(self, *yes), of(self, *no), units),
            Op::Join(parts) => {
                let mut froms = parts.iter().map(|part| of(self, *part));
                let first = froms.next()??;
                let unit = units.get(first)?;
                froms.all(|from| from.is_some_and(|from| units.get(from) == Some(unit))).then_some(first)
            }
            _ => None,
        }
    }

    /// Requires equal units if both are known; an unknown unit is taken from the other.
    fn agree(&mut self, a: Option<usize>, b: Option<usize>, units: &[Option<Arc<str>>]) -> Option<usize> {
        if let (Some(a), Some(b)) = (a, b)
            && units.get(a) != units.get(b)
        {
            self.clash = self.clash.or(Some((a.min(b), a.max(b))));
            return None;
        }
        a.or(b)
    }
}
