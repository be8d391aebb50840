//! The manual lists what solvers of variable step locate, and the kernels of the blocks agree.

use std::collections::BTreeSet;

use simulate::block::language::NoNames;
use simulate::block::{Binary, BlockDef, BuildContext, Kernel, Op, ParamKind, Rate, Settings, TagRole, Unary, library};

/// What the kernels of a block do with a solver of variable step, in any of its settings.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    has_crossings: bool,
    has_time_events: bool,
    /// A value has a kink or a jump where an input or a state passes a limit, and no crossing says where.
    switches: bool,
}

/// Returns each choice of settings that the examples and the parameters offer.
fn ways(def: &'static BlockDef) -> Vec<Vec<(&'static str, Vec<&'static str>)>> {
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

fn found(def: &'static BlockDef) -> Found {
    let mut found = Found::default();
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
            let Ok(kernel) = Kernel::build(def, &settings, &vec![width; inputs], context) else { continue };
            found.has_crossings |= !kernel.crossings.is_empty();
            found.has_time_events |= !kernel.time_events.is_empty();
            found.switches |= kernel.crossings.is_empty() && kernel.rate == Rate::Unsampled && switches(&kernel);
        }
    }
    found
}

/// Whether a value of the tape that is computed from inputs or continuous states has a kink or a jump.
fn switches(kernel: &Kernel) -> bool {
    let mut varies = vec![false; kernel.ops.len()];
    let mut found = false;
    for (reg, op) in kernel.ops.iter().enumerate() {
        let depends = op.operands().any(|operand| varies[operand as usize]);
        varies[reg] = depends || matches!(op, Op::Input(_) | Op::State(_));
        let is_bent = match op {
            Op::Unary(op, _) => {
                matches!(op, Unary::Abs | Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc)
            }
            Op::Binary(op, ..) | Op::Fold(op, _) => matches!(
                op,
                Binary::Min
                    | Binary::Max
                    | Binary::Rem
                    | Binary::Mod
                    | Binary::Lt
                    | Binary::Le
                    | Binary::Gt
                    | Binary::Ge
            ),
            _ => false,
        };
        found |= depends && is_bent && kernel.run.contains(&(reg as u32));
    }
    found
}

/// The blocks in the first column of the table of the manual that begins with a line.
fn listed(head: &str) -> BTreeSet<String> {
    let manual = include_str!("../../../assets/manual/solvers.md");
    let (_, rest) = manual.split_once(head).expect("the table");
    let rows = rest.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.filter_map(|row| row.split('|').nth(1)).map(|block| block.trim().to_owned()).collect()
}

#[test]
fn the_manual_lists_what_is_located() {
    let (mut located, mut unlocated) = (BTreeSet::new(), BTreeSet::new());
    for def in library::defs() {
        let found = found(def);
        // The table of sources lists time events of sources; the event indicators of an FMU are those of its file.
        let is_listed = found.has_crossings || found.has_time_events && def.group != "Var" || def.name == "FMU";
        if is_listed {
            located.insert(def.title().to_owned());
        } else if found.switches && !found.has_time_events {
            unlocated.insert(def.title().to_owned());
        }
    }
    let compare = |head: &str, want: &BTreeSet<String>| {
        let got = listed(head);
        let missing: Vec<&String> = want.difference(&got).collect();
        let wrong: Vec<&String> = got.difference(want).collect();
        assert!(
            missing.is_empty() && wrong.is_empty(),
            "“{head}” lacks {missing:?}, and has {wrong:?} against the kernels"
        );
    };
    compare("| block | what is located |", &located);
    compare("| block | what it does |", &unlocated);
}
