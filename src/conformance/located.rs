//! Whether solvers of variable step find out where a block has kinks and jumps.

use super::NonConformance;
use crate::block::language::NoNames;
use crate::block::{BlockDef, BuildContext, Kernel, ParamKind, Settings, TagRole};

type Texts = Vec<(&'static str, Vec<&'static str>)>;

/// Returns each choice of settings that the examples and the parameters offer.
fn ways(def: &'static BlockDef) -> Vec<Texts> {
    let mut ways = vec![Vec::new()];
    for example in def.examples {
        ways.push(example.options.iter().map(|(name, values)| (*name, values.to_vec())).collect());
    }
    for param in def.params {
        match param.kind {
            ParamKind::Choice { of, .. } => ways.extend(of.iter().map(|choice| vec![(param.name, vec![*choice])])),
            _ if param.name == "Equations" => ways.push(vec![(param.name, vec!["x' = abs(u)"])]),
            _ => ways.push(vec![(param.name, vec!["1"])]),
        }
    }
    ways
}

/// Returns the kernels of a block for solvers of variable step, with each choice of settings and a few widths.
#[doc(hidden)]
pub fn located_kernels(def: &'static BlockDef) -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for way in ways(def) {
        let texts = |name: &str| way.iter().find(|(known, _)| *known == name).map(|(_, values)| values.clone());
        let (settings, errors) = Settings::read(def, texts, &NoNames);
        if !errors.is_empty() {
            continue;
        }
        let names = usize::from(def.tag().is_some_and(|(_, _, role)| role == TagRole::Receiver));
        let inputs = def.inputs.names(&settings).len() + names;
        for width in [1, 2, 3] {
            let context = BuildContext { locates: true, ..BuildContext::new(0.1) };
            kernels.extend(Kernel::build(def, &settings, &vec![width; inputs], context));
        }
    }
    kernels
}

/// Returns an error for a block with kinks or jumps that are neither located nor left to the error control on purpose.
pub(super) fn located(def: &'static BlockDef) -> Option<NonConformance> {
    let kernels = located_kernels(def);
    kernels.iter().any(|kernel| kernel.has_unlocated_switch() && !kernel.is_unlocated).then(|| {
        let problem = "a value has a kink or a jump, and a solver of variable step is not told where: call \
                       Builder::crossing, decided or mode, or Builder::leaves_unlocated if that is meant";
        NonConformance(problem.to_owned())
    })
}
