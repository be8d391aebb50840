//! Pictures: the diagram of a model, and the curves of runs.

use serde_json::json;

use super::common::FILE;
use super::run::RUN_NAME;
use crate::rpc::argument::{ArgumentDef, ArgumentKind, CallArguments};
use crate::rpc::call::{CallControl, Effect, RpcCall};
use crate::rpc::call_result::CallResult;
use crate::rpc::error::RpcError;
use crate::rpc::session::{Artist, PlotCurve, Session};

pub const PICTURE: RpcCall = RpcCall {
    name: "picture",
    title: "Picture of a diagram",
    doc: "Draws the diagram of a model as a picture",
    arguments: &[FILE, ArgumentDef::optional("model", ArgumentKind::Text, "The model [default: the root model]")],
    effect: Effect::Reads,
    answer: picture,
};

pub const PLOT: RpcCall = RpcCall {
    name: "plot",
    title: "Plot signals",
    doc: "Draws signals of one run or of several runs over time as a picture",
    arguments: &[
        RUN_NAME,
        ArgumentDef::optional("runs", ArgumentKind::Texts, "Several runs, whose curves are drawn over each other"),
        ArgumentDef::optional(
            "signals",
            ArgumentKind::Texts,
            "The signals [default: the first eight that were recorded]",
        ),
        ArgumentDef::optional("from", ArgumentKind::Number, "The beginning in seconds"),
        ArgumentDef::optional("to", ArgumentKind::Number, "The end in seconds"),
    ],
    effect: Effect::Reads,
    answer: plot,
};

/// The maximum number of curves of a plot.
const MAX_CURVES: usize = 16;
/// The maximum number of points of a curve; of more, the least and the greatest of neighbours are drawn.
const MAX_POINTS: usize = 4_000;
/// The maximum size of a picture in bytes.
const MAX_BYTES: usize = 4 << 20;

fn artist(session: &Session) -> Result<Artist, RpcError> {
    session.artist.ok_or_else(|| RpcError::refused("this program was built without the window, which draws pictures"))
}

fn picture(session: &mut Session, args: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    let artist = artist(session)?;
    let simulation = session.host.simulation(args.text("file"))?;
    let document = simulation.document();
    let model = args.text("model").unwrap_or(&document.simulation().root).to_owned();
    if document.simulation().model(&model).is_none() {
        return Err(RpcError::refused(format!("there is no model “{model}”")));
    }
    let drawn = (artist.diagram)(document.simulation(), document.registry(), &model).map_err(RpcError::refused)?;
    finished(drawn, &format!("the diagram of “{model}”"))
}

fn plot(session: &mut Session, args: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    let artist = artist(session)?;
    let names = args.texts("runs");
    let runs = match &names {
        Some(names) => names.iter().map(|name| session.run(Some(name))).collect::<Result<Vec<_>, _>>()?,
        None => vec![session.run(args.text("run"))?],
    };
    let (from, to) = (args.number("from").unwrap_or(f64::MIN), args.number("to").unwrap_or(f64::MAX));
    let mut curves = Vec::new();
    for run in &runs {
        let signals = match args.texts("signals") {
            Some(names) => names.iter().map(|name| run.signal(name)).collect::<Result<Vec<_>, _>>()?,
            None => run.signals.iter().take(8).collect(),
        };
        for signal in signals {
            let points = run.times.iter().copied().zip(signal.values.iter().copied());
            let points: Vec<(f64, f64)> = points.filter(|(time, _)| (from..=to).contains(time)).collect();
            let name = if runs.len() > 1 { format!("{} ({})", signal.name, run.name) } else { signal.name.clone() };
            curves.push(PlotCurve { name, points: thinned(points) });
        }
    }
    if curves.len() > MAX_CURVES {
        return Err(RpcError::refused(format!("a plot has at most {MAX_CURVES} curves: name fewer signals or runs")));
    }
    let title = runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>().join(", ");
    let drawn = (artist.plot)(&curves, &title).map_err(RpcError::refused)?;
    let what: Vec<&str> = curves.iter().map(|curve| curve.name.as_str()).collect();
    finished(drawn, &format!("{} over time", what.join(", ")))
}

/// Keeps the least and the greatest value of neighbouring points, so that no peak is lost.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    if points.len() <= MAX_POINTS {
        return points;
    }
    let size = points.len().div_ceil(MAX_POINTS / 2);
    let pair = |chunk: &[(f64, f64)]| {
        let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let mut pair: Vec<(f64, f64)> =
            [chunk.iter().min_by(by_value), chunk.iter().max_by(by_value)].into_iter().flatten().copied().collect();
        pair.sort_by(|a, b| a.0.total_cmp(&b.0));
        pair
    };
    points.chunks(size).flat_map(pair).collect()
}

fn finished(picture: Vec<u8>, what: &str) -> Result<CallResult, RpcError> {
    if picture.len() > MAX_BYTES {
        return Err(RpcError::refused(format!("the picture of {what} is too large")));
    }
    let data = json!({"picture": what, "bytes": picture.len()});
    Ok(CallResult { picture: Some(picture), ..CallResult::of(data) })
}
