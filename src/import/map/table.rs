//! The table: a row for each kind of block, in lists by library section.

use super::block::{Cx, short};
use super::made::Made;
use super::row::{How, Row, apply, unchanged};
use super::{
    checks, choices, code, continuous, discrete, linked, logic, lookup, math, routing, sinks, sources, subsystem,
};

const OTHERS: &[Row] = &[
    ("SubSystem", How::By(subsystem::subsystem)),
    ("Reference", How::By(linked::reference)),
    ("ModelReference", How::By(linked::model_reference)),
    ("Fcn", How::By(code::fcn)),
    ("MATLABFcn", How::By(code::matlab_fcn)),
    ("If", How::By(code::if_block)),
    ("SwitchCase", How::By(code::switch_case)),
    ("FunctionCallSplit", How::By(split)),
    ("S-Function", How::Missing("its code is compiled or lies in another file")),
    ("M-S-Function", How::Missing("its code lies in another file")),
    ("MATLABSystem", How::Missing("its code lies in another file")),
    ("CCaller", How::Missing("its code lies in another file")),
    ("PythonCode", How::Missing("its code lies in another file")),
    ("CFunction", How::Missing("it runs code in C, which is kept")),
    ("FunctionCaller", How::Missing("it calls a function of another system by its name")),
    ("ArgIn", How::Missing("it is a part of a function that others call by its name")),
    ("ArgOut", How::Missing("it is a part of a function that others call by its name")),
    ("EventListener", How::Missing("it runs at the start or at the end of a run only")),
    ("StateReader", How::Missing("the state of another block is no signal")),
    ("StateWriter", How::Missing("the state of another block is no signal")),
    ("ParameterWriter", How::Missing("it changes a parameter of another block in a run")),
    ("Send", How::Missing("messages between blocks are not there")),
    ("Receive", How::Missing("messages between blocks are not there")),
    ("Queue", How::Missing("messages between blocks are not there")),
    ("StringConstant", How::Missing("texts as signals are not there")),
    ("StringConcatenate", How::Missing("texts as signals are not there")),
    ("StringToDouble", How::Missing("texts as signals are not there")),
    ("ToString", How::Missing("texts as signals are not there")),
    ("ComposeString", How::Missing("texts as signals are not there")),
    ("ScanString", How::Missing("texts as signals are not there")),
    ("UnitConversion", How::Missing("the units of its signals are not in the file")),
    ("DescriptorStateSpace", How::Missing("a descriptor system, whose mass matrix may be singular, is not there")),
    ("PMIOPort", How::Missing("it belongs to a physical network, whose wires have no direction")),
    ("PMComponent", How::Missing("it belongs to a physical network, whose wires have no direction")),
    ("SimscapeBlock", How::Missing("it belongs to a physical network, whose wires have no direction")),
    ("ConnectionLabel", How::Missing("it belongs to a physical network, whose wires have no direction")),
    ("SimscapeMultibodyBlock", How::Missing("it belongs to a physical network, whose wires have no direction")),
];

/// All rows of block types.
fn rows() -> impl Iterator<Item = &'static Row> {
    let lists = [
        OTHERS,
        checks::ROWS,
        choices::ROWS,
        sources::ROWS,
        sinks::ROWS,
        math::ROWS,
        continuous::ROWS,
        discrete::ROWS,
        logic::ROWS,
        lookup::ROWS,
        routing::ROWS,
    ];
    lists.into_iter().flatten()
}

/// The rows of the program's own libraries, by the name of the block there.
fn library_rows() -> impl Iterator<Item = &'static Row> {
    let lists = [
        checks::LIBRARY,
        choices::LIBRARY,
        sources::LIBRARY,
        math::LIBRARY,
        continuous::LIBRARY,
        discrete::LIBRARY,
        logic::LIBRARY,
        lookup::LIBRARY,
        routing::LIBRARY,
        sinks::LIBRARY,
    ];
    lists.into_iter().flatten()
}

/// Libraries that belong to the program: their blocks are known by name.
const OWN: [&str; 8] = [
    "simulink",
    "simulink_extras",
    "slpidlib",
    "simulink_need_slupdate",
    "discretizing",
    "dspsigattribs",
    "simulink_hmi_blocks",
    "SignalEditorBlockLib",
];

/// Libraries of add-ons with blocks of the same name as the program's own.
const SIMILAR: [&str; 2] = ["vrlib", "sharedutil"];

/// Libraries of physical networks.
const PHYSICAL: [&str; 18] = [
    "nesl_utility",
    "fl_lib",
    "sm_lib",
    "ee_lib",
    "mblibv1",
    "powerlib",
    "powerlib_lf_lib",
    "SimscapeFluids_lib",
    "simscape",
    "elec_lib",
    "foundation",
    "sdl_lib",
    "scuba",
    "spsgroundlib",
    "spsPowerguiLib",
    "spsMeasurementsLib",
    "spsSourcesLib",
    "pneumatic_lib",
];

/// Maps a block by its kind.
///
/// # Errors
/// With the reason why it has no counterpart.
pub fn map(cx: &mut Cx) -> Result<Made, String> {
    let kind = cx.block.kind.clone();
    match rows().find(|(known, _)| *known == kind) {
        Some((_, how)) => apply(cx, *how),
        None => Err(format!("blocks of the type {} have no counterpart", short(&kind))),
    }
}

/// Maps a block of the program's own libraries; none if the library is another.
pub fn of_library(cx: &mut Cx, path: &str) -> Option<Result<Made, String>> {
    let parts = linked::parts(path);
    let (first, last) = (parts.first()?, parts.last()?);
    if PHYSICAL.iter().any(|known| first == known || first.starts_with(&format!("{known}_")))
        || first.starts_with("sps")
    {
        return Some(Err("it belongs to a physical network, whose wires have no direction".to_owned()));
    }
    let is_own = OWN.contains(&&**first);
    if !is_own && !SIMILAR.contains(&&**first) {
        return None;
    }
    if let Some((_, how)) = library_rows().find(|(known, _)| known == last) {
        return Some(apply(cx, *how));
    }
    if !is_own {
        return None;
    }
    // Some blocks of the library are links to plain blocks.
    let plain: String = last.split_whitespace().collect();
    if let Some((_, how)) = rows().find(|(known, _)| *known == plain) {
        return Some(apply(cx, *how));
    }
    Some(Err(format!("the library block {} has no counterpart", short(path))))
}

/// A call that goes to several models.
fn split(cx: &mut Cx) -> Result<Made, String> {
    let outputs = (0..cx.wired_outputs.max(2)).map(|_| (0, "Output".into())).collect();
    let inputs = vec![(0, "Input".into())];
    Ok(Made { ends: super::made::Ends::Listed { inputs, outputs }, ..unchanged() })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::block::Registry;
    use crate::import::{Class, ImportOptions, import_bytes};
    use crate::model::{BlockKind, check};

    /// Kinds that mean nothing without other blocks or without parameters.
    const OTHERWISE: &[&str] = &[
        "SubSystem",
        "Reference",
        "ModelReference",
        "Function-Call Generator",
        "Index Vector",
        "FromWorkspace",
        "BusSelector",
        "From",
        "DataStoreRead",
        "Enumerated Constant",
        "Discretized Transfer Fcn",
        "ForEach",
        "VariantSource",
        "Repeating Sequence Interpolated",
        "Transfer Fcn Direct Form II",
        "Extract Bits",
        // The size of their input follows from the blocks before them.
        "Extract Diagonal",
        "Matrix Square",
        "Hermitian Transpose",
        "Transpose",
    ];

    #[test]
    fn each_row_gives_a_block_that_accepts_the_defaults() {
        let own = rows().map(|(kind, how)| (*kind, format!("BlockType {kind}\nName \"{kind}\"\n"), *how));
        let linked = library_rows().map(|(name, how)| {
            (*name, format!("BlockType Reference\nName \"{name}\"\nSourceBlock \"simulink/x/{name}\"\n"), *how)
        });
        let mut faults = String::new();
        for (kind, block, how) in own.chain(linked).filter(|(kind, ..)| !OTHERWISE.contains(kind)) {
            let text = format!("Model {{\nSystem {{\nBlock {{\n{block}\n}}\n}}\n}}\n");
            let imported = import_bytes("m", text.as_bytes(), &ImportOptions::default()).expect(kind);
            let entry = &imported.report.entries[0];
            if matches!(how, How::Missing(_)) != (entry.class == Class::Placeholder) {
                let _ = writeln!(faults, "{kind}: {:?} {:?}", entry.class, entry.notes);
            }
            let root = imported.simulation.root_model().expect("the root");
            for block in root.blocks.values().filter(|block| !block.is_placeholder()) {
                let BlockKind::Library { group, name } = &block.kind else { continue };
                let Some(def) = Registry::standard().get(group, name) else {
                    let _ = writeln!(faults, "{kind}: there is no block {group}/{name}");
                    continue;
                };
                let unknown = block.options().find(|option| def.param(&option.name).is_none());
                let _ = unknown.map(|option| writeln!(faults, "{kind}: {group}/{name} has no option {}", option.name));
            }
            for found in check(&imported.simulation, &Registry::standard()) {
                if found.is_error() && !["placeholder", "missing-value", "unconnected-input"].contains(&found.code) {
                    let _ = writeln!(faults, "{kind}: [{}] {}", found.code, found.message);
                }
            }
        }
        assert!(faults.is_empty(), "{faults}");
    }
}
