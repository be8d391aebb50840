//! Sinks. They change no values; what decides when they write is a note.

use super::super::block::Cx;
use super::super::made::{Made, library};
use super::super::row::{How, Row};

pub const ROWS: &[Row] = &[
    ("CSCOPE", How::By(scope)),
    ("CMSCOPE", How::By(scope)),
    ("CFSCOPE", How::By(floating)),
    ("CSCOPXY", How::By(plane)),
    ("CSCOPXY3D", How::By(plane)),
    ("CANIMXY", How::By(plane)),
    ("CANIMXY3D", How::By(plane)),
    ("BARXY", How::By(plane)),
    ("CEVSCPE", How::By(events)),
    ("CEVENTSCOPE", How::By(events)),
    ("CMAT3D", How::By(picture)),
    ("CMATVIEW", How::By(picture)),
    ("AFFICH_m", How::By(display)),
    ("AFFICH_f", How::By(display)),
    ("TRASH_f", How::Same("Sink", "Terminator", &[])),
    ("WRITEC_f", How::By(file)),
    ("WFILE_f", How::By(file)),
    ("WRITEAU_f", How::By(file)),
    ("HALT_f", How::Missing("it ends the run at an event")),
    ("STOP_f", How::Missing("it ends the run at an event")),
];

/// The clock of a sink divides the samples of the run.
fn clocked(cx: &mut Cx) {
    let _ = cx.sample_time("SampleTime");
}

fn scope(cx: &mut Cx) -> Result<Made, String> {
    clocked(cx);
    let inputs = cx.block.inputs.unwrap_or(1).max(cx.wired_inputs).max(1);
    Ok(library("Sink", "Scope").with_option("Inputs", &[inputs.to_string()]).into())
}

fn floating(cx: &mut Cx) -> Result<Made, String> {
    cx.note("it shows signals by number, without wires");
    Ok(Made::nothing())
}

fn plane(cx: &mut Cx) -> Result<Made, String> {
    cx.note("the signals are shown over time, not against each other");
    scope(cx)
}

fn picture(cx: &mut Cx) -> Result<Made, String> {
    cx.note("the elements of the matrix are shown over time, not as a picture");
    scope(cx)
}

fn events(cx: &mut Cx) -> Result<Made, String> {
    cx.note("it shows events, which are no signals here");
    Ok(Made::nothing())
}

fn display(cx: &mut Cx) -> Result<Made, String> {
    clocked(cx);
    Ok(library("Sink", "Display").into())
}

fn file(cx: &mut Cx) -> Result<Made, String> {
    clocked(cx);
    cx.note("it writes a table (.csv) at every step");
    let inputs = cx.block.inputs.unwrap_or(1).max(cx.wired_inputs).max(1);
    let name = format!("{}.csv", super::super::names::clean(&cx.block.title()));
    Ok(library("Sink", "To File").with_option("Inputs", &[inputs.to_string()]).with_option("File", &[name]).into())
}
