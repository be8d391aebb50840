//! The table of blocks of Xcos. The parameters are `exprs(1)` and on, the texts of its dialog in their order;
//! what the events of a block are is in `SampleTime` and `EventProblem`.
//!
//! | module | contents |
//! |---|---|
//! | `sources`, `math`, `dynamics`, `logic`, `matrix`, `sinks` | rows by palette |
//! | `params` | texts of dialogs |
//! | `polynomial` | polynomials in s and z |

mod dynamics;
mod logic;
mod math;
mod matrix;
mod params;
mod polynomial;
mod sinks;
mod sources;

use super::block::{Cx, short};
use super::made::{Ends, Made, library};
use super::row::{Row, apply};
use super::subsystem::subsystem;
use super::table;

/// Blocks whose kind is that of every program.
const COMMON: [&str; 8] =
    ["Inport", "Outport", "Goto", "From", "GotoTagVisibility", "ToWorkspace", "SubSystem", "EnablePort"];

/// Blocks that only make, pass or take events; what they do is in the sample times of others.
const EVENTS: [&str; 20] = [
    "CLOCK_c",
    "CLOCK_f",
    "SampleCLK",
    "EVTDLY_c",
    "EVTDLY_f",
    "EVTGEN_f",
    "MFCLCK_f",
    "MCLOCK_f",
    "CLKOUT_f",
    "CLKOUTV_f",
    "CLKINV_f",
    "CLKIN_f",
    "CLKGOTO",
    "CLKFROM",
    "CLKGotoTagVisibility",
    "CLKSOM_f",
    "CLKSOMV_f",
    "CLINDUMMY_f",
    "END_c",
    "ENDBLK",
];

/// Hardware, files of sound and code in other languages.
const MISSING: [(&str, &str); 11] = [
    ("CBLOCK", "its code is C"),
    ("CBLOCK4", "its code is C"),
    ("c_block", "its code is C"),
    ("fortran_block", "its code is Fortran"),
    ("generic_block", "its code lies in another file"),
    ("generic_block2", "its code lies in another file"),
    ("generic_block3", "its code lies in another file"),
    ("scifunc_block", "its code is a function of Scilab"),
    ("scifunc_block5", "its code is a function of Scilab"),
    ("MBLOCK", "its code is Modelica"),
    ("MPBLOCK", "its code is Modelica"),
];

fn rows() -> impl Iterator<Item = &'static Row> {
    [sources::ROWS, math::ROWS, dynamics::ROWS, logic::ROWS, matrix::ROWS, sinks::ROWS].into_iter().flatten()
}

/// A block with event inputs to which nothing is connected never runs.
fn still(cx: &mut Cx) -> Made {
    cx.note("no event ever activates it: its outputs stay at 0");
    let outputs = cx.block.outputs.unwrap_or(0).max(cx.wired_outputs);
    let parts = (0..outputs).map(|_| library("Var", "Static").with_option("Value", &["0"])).collect();
    let outputs = (0..outputs).map(|part| (part, "Output".into())).collect();
    Made { parts, ends: Ends::Listed { inputs: Vec::new(), outputs }, ..Made::default() }
}

/// Maps a block of Xcos.
///
/// # Errors
/// With the reason why it has no counterpart.
pub fn map(cx: &mut Cx) -> Result<Made, String> {
    let kind = cx.block.kind.clone();
    if cx.is_on("IsImplicit") {
        return Err("it belongs to an acausal network (Modelica), whose wires have no direction".to_owned());
    }
    if EVENTS.contains(&&*kind) {
        return Ok(Made::nothing());
    }
    let is_sink = sinks::ROWS.iter().any(|(known, _)| *known == kind) || kind == "ToWorkspace";
    if let Some((_, how)) = rows().find(|(known, _)| *known == kind) {
        let problem = cx.text("EventProblem").to_owned();
        if !problem.is_empty() && is_sink {
            cx.note("it records at every step, not only at its events");
        } else if problem == "no event" {
            return Ok(still(cx));
        } else if !problem.is_empty() && kind != "INTEGRAL_m" {
            return Err(format!("what activates it is {problem}, which has no counterpart"));
        }
        return apply(cx, *how);
    }
    if COMMON.contains(&&*kind) || cx.block.params.get("InterfaceFunction").is_some() {
        return table::map(cx);
    }
    if let Some((_, reason)) = MISSING.iter().find(|(known, _)| *known == kind) {
        return Err((*reason).to_owned());
    }
    if cx.block.system.is_some() {
        return subsystem(cx);
    }
    if kind.starts_with("mdaq") {
        return Err("it belongs to hardware".to_owned());
    }
    Err(format!("blocks of the type {} have no counterpart", short(&kind)))
}
