//! The text form of plots in an attribute.
//!
//! Plots are separated by `|`, curves by `;`; a curve is `#1/#2/#3.Output`. Settings that differ from the default
//! precede a plot and follow a curve: `[kind=spectrum,window=flattop]#1.Output{axis=right,color=3};#2.Output`. The
//! derivative of a signal is `#1.Output{by=#3.Gain}`.
//! Characters with a meaning are escaped as `%7C`.

use super::{
    Averaging, AxisLabels, CrossQuantity, Decibels, Derivative, Overlap, PlotKind, PlotSpec, Trace, TriggerSpec,
};
use crate::app::doc::reader::NameReader;
use crate::app::ui::chart::{AxisSide, LineKind, ViewAngles};
use crate::measure::{Detrend, Edge, Scaling, Window};
use crate::model::attribute_list::{escaped, pairs, plain};
use crate::model::{ParamAddress, SignalKey, Simulation};

/// The names of an enum's variants.
type Names<T> = &'static [(&'static str, T)];

const KINDS: Names<PlotKind> = &[
    ("time", PlotKind::Time),
    ("xy", PlotKind::Xy),
    ("spectrum", PlotKind::Spectrum),
    ("cross", PlotKind::Cross),
    ("spectrogram", PlotKind::Spectrogram),
    ("histogram", PlotKind::Histogram),
    ("digital", PlotKind::Digital),
    ("phase", PlotKind::Phase),
];
const WINDOWS: Names<Window> = &[
    ("rectangular", Window::Rectangular),
    ("hann", Window::Hann),
    ("hamming", Window::Hamming),
    ("blackman", Window::Blackman),
    ("flattop", Window::FlatTop),
];
const SCALINGS: Names<Scaling> =
    &[("amplitude", Scaling::Amplitude), ("rms", Scaling::Rms), ("density", Scaling::Density)];
const OVERLAPS: Names<Overlap> = &[("0", Overlap::None), ("50", Overlap::Half), ("75", Overlap::ThreeQuarters)];
const QUANTITIES: Names<CrossQuantity> = &[
    ("gain", CrossQuantity::Gain),
    ("phase", CrossQuantity::Phase),
    ("coherence", CrossQuantity::Coherence),
    ("density", CrossQuantity::Density),
];
const LINES: Names<LineKind> = &[
    ("solid", LineKind::Solid),
    ("dashed", LineKind::Dashed),
    ("dotted", LineKind::Dotted),
    ("stairs", LineKind::Stairs),
    ("points", LineKind::Points),
];
const EDGES: Names<Edge> = &[("rising", Edge::Rising), ("falling", Edge::Falling), ("either", Edge::Either)];

fn find<T: Copy>(names: Names<T>, name: &str) -> Option<T> {
    names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

fn name<T: Copy + PartialEq>(names: Names<T>, value: T) -> &'static str {
    names.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
}

/// Writes the signals of existing blocks, and signals that were lost before.
pub fn write(plots: &[PlotSpec], simulation: &Simulation) -> String {
    let mut plots = plots.to_vec();
    for plot in &mut plots {
        plot.traces.retain(|trace| exists(&trace.signal, simulation));
        plot.trigger = plot.trigger.take().filter(|trigger| exists(&trigger.signal, simulation));
    }
    write_all(&plots)
}

pub fn write_all(plots: &[PlotSpec]) -> String {
    plots.iter().map(write_plot).collect::<Vec<_>>().join("|")
}

/// Writes the signals of existing blocks, and the texts of lost ones.
pub fn write_signals(signals: &[SignalKey], lost: &[String], simulation: &Simulation) -> String {
    let known = signals.iter().filter(|signal| exists(signal, simulation)).map(signal_text);
    known.chain(lost.iter().cloned()).collect::<Vec<_>>().join(";")
}

fn exists(signal: &SignalKey, simulation: &Simulation) -> bool {
    signal.model(simulation).is_some_and(|model| model.block(signal.block).is_some())
}

fn write_plot(plot: &PlotSpec) -> String {
    let default = PlotSpec::default();
    let mut parts: Vec<String> = Vec::new();
    let mut add = |key: &str, value: &str, is_default: bool| {
        if !is_default {
            parts.push(format!("{key}={}", escaped(value)));
        }
    };
    add("title", &plot.title, plot.title.is_empty());
    add("kind", name(KINDS, plot.kind), plot.kind == default.kind);
    add("x", "log", !plot.x_is_log);
    add("left", "log", !plot.left_is_log);
    add("right", "log", !plot.right_is_log);
    add("window", name(WINDOWS, plot.window), plot.window == default.window);
    add("scaling", name(SCALINGS, plot.scaling), plot.scaling == default.scaling);
    add("lines", "db", plot.decibels == Decibels::No);
    match plot.averaging {
        Averaging::Whole => {}
        Averaging::Eight => add("segments", "8", false),
        Averaging::Length(length) => add("segment", &length.to_string(), false),
    }
    add("overlap", name(OVERLAPS, plot.overlap), plot.overlap == default.overlap);
    add("detrend", "mean", plot.detrend == Detrend::None);
    add("quantity", name(QUANTITIES, plot.quantity), plot.quantity == default.quantity);
    for (key, range) in [("xrange", plot.x_range), ("yrange", plot.left_range), ("zrange", plot.right_range)] {
        if let Some((low, high)) = range {
            add(key, &format!("{low}:{high}"), false);
        }
    }
    let AxisLabels { x, left, right } = &plot.axis_labels;
    for (key, label) in [("xlabel", x), ("ylabel", left), ("zlabel", right)] {
        add(key, label, label.is_empty());
    }
    if let Some(ViewAngles { azimuth, elevation }) = plot.view_angles {
        add("turn", &format!("{azimuth}:{elevation}"), false);
    }
    if let Some(trigger) = &plot.trigger {
        add("trigger", &trigger.signal.to_string(), false);
        add("level", &trigger.level.to_string(), false);
        add("edge", name(EDGES, trigger.edge), trigger.edge == Edge::default());
    }
    let head = if parts.is_empty() { String::new() } else { format!("[{}]", parts.join(",")) };
    let traces = plot.traces.iter().map(write_trace).chain(plot.lost.iter().cloned());
    head + traces.collect::<Vec<_>>().join(";").as_str()
}

fn write_trace(trace: &Trace) -> String {
    let mut parts = Vec::new();
    if trace.side == AxisSide::Right {
        parts.push("axis=right".to_owned());
    }
    parts.extend(trace.color.map(|color| format!("color={color}")));
    parts.extend(trace.line.map(|line| format!("line={}", name(LINES, line))));
    if trace.width != Trace::WIDTH {
        parts.push(format!("width={}", trace.width));
    }
    if trace.is_hidden {
        parts.push("hidden=1".to_owned());
    }
    let derivative = Derivative::of_signal(&trace.signal);
    parts.extend(derivative.as_ref().map(|derivative| format!("by={}", escaped(&param_text(&derivative.by)))));
    let tail = if parts.is_empty() { String::new() } else { format!("{{{}}}", parts.join(",")) };
    signal_text(derivative.as_ref().map_or(&trace.signal, |derivative| &derivative.of)) + tail.as_str()
}

fn param_text(param: &ParamAddress) -> String {
    let path: String = param.block.path.iter().map(|id| format!("{id}/")).collect();
    format!("{path}{}.{}", param.block.block, param.name)
}

fn signal_text(signal: &SignalKey) -> String {
    let path: String = signal.path.iter().map(|id| format!("{id}/")).collect();
    format!("{path}{}.{}", signal.block, escaped(&signal.output))
}

pub fn read(text: &str, reader: &NameReader) -> Vec<PlotSpec> {
    text.split('|').map(|text| read_plot(text, reader)).collect()
}

/// Returns the signals, and the texts of those that do not exist.
pub fn read_signals(text: &str, reader: &NameReader) -> (Vec<SignalKey>, Vec<String>) {
    let (mut signals, mut lost) = (Vec::new(), Vec::new());
    for text in text.split(';').filter(|text| !text.is_empty()) {
        match reader.signal(&plain(text)) {
            Some(signal) => signals.push(signal),
            None => lost.push(text.to_owned()),
        }
    }
    (signals, lost)
}

/// Invalid settings keep their defaults.
fn read_plot(text: &str, reader: &NameReader) -> PlotSpec {
    let mut plot = PlotSpec::default();
    let (head, list) = text.strip_prefix('[').and_then(|text| text.split_once(']')).unwrap_or(("", text));
    let mut level = 0.0;
    let mut edge = Edge::default();
    let mut trigger = None;
    for (key, value) in pairs(head) {
        match key {
            "title" => plot.title = plain(value),
            "kind" => plot.kind = find(KINDS, value).unwrap_or_default(),
            "x" => plot.x_is_log = value == "log",
            "left" => plot.left_is_log = value == "log",
            "right" => plot.right_is_log = value == "log",
            "window" => plot.window = find(WINDOWS, value).unwrap_or_default(),
            "scaling" => plot.scaling = find(SCALINGS, value).unwrap_or_default(),
            "lines" if value == "db" => plot.decibels = Decibels::Yes,
            "segments" if value == "8" => plot.averaging = Averaging::Eight,
            "segment" => {
                let length = value.parse().ok().filter(|length| Averaging::LIMITS.contains(length));
                plot.averaging = length.map_or(Averaging::Whole, Averaging::Length);
            }
            "overlap" => plot.overlap = find(OVERLAPS, value).unwrap_or_default(),
            "detrend" if value == "mean" => plot.detrend = Detrend::Mean,
            "quantity" => plot.quantity = find(QUANTITIES, value).unwrap_or_default(),
            "xrange" => plot.x_range = read_range(value),
            "yrange" => plot.left_range = read_range(value),
            "zrange" => plot.right_range = read_range(value),
            "xlabel" => plot.axis_labels.x = plain(value),
            "ylabel" => plot.axis_labels.left = plain(value),
            "zlabel" => plot.axis_labels.right = plain(value),
            "turn" => {
                let turn = read_pair(value);
                plot.view_angles =
                    turn.map(|(azimuth, elevation)| ViewAngles { azimuth, elevation: elevation.clamp(-90.0, 90.0) });
            }
            "trigger" => trigger = reader.signal(&plain(value)),
            "level" => level = value.parse().unwrap_or_default(),
            "edge" => edge = find(EDGES, value).unwrap_or_default(),
            _ => {}
        }
    }
    plot.trigger = trigger.map(|signal| TriggerSpec { signal, level, edge });
    let traces = list.split(';').filter(|part| !part.is_empty());
    for text in traces {
        match read_trace(text, reader) {
            Some(trace) => plot.traces.push(trace),
            None => plot.lost.push(text.to_owned()),
        }
    }
    plot
}

/// Parses two numbers.
pub fn read_pair(text: &str) -> Option<(f64, f64)> {
    let (one, other) = text.split_once(':')?;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    Some((number(one)?, number(other)?))
}

fn read_range(text: &str) -> Option<(f64, f64)> {
    read_pair(text).filter(|(low, high)| low < high)
}

fn read_trace(text: &str, reader: &NameReader) -> Option<Trace> {
    let (signal, tail) = text.strip_suffix('}').and_then(|text| text.rsplit_once('{')).unwrap_or((text, ""));
    let mut trace = Trace::of(reader.signal(&plain(signal))?);
    for (key, value) in pairs(tail) {
        match key {
            "axis" if value == "right" => trace.side = AxisSide::Right,
            "hidden" => trace.is_hidden = value == "1",
            // The derivative by a parameter that is gone is gone, too.
            "by" => {
                let (block, name) = reader.block(&plain(value))?;
                let of = trace.signal.clone();
                trace.signal = Derivative { of, by: ParamAddress { block, name: name? } }.signal();
            }
            "color" => trace.color = value.parse().ok(),
            "line" => trace.line = find(LINES, value),
            "width" => {
                let width = value.parse().ok().filter(|width| (0.5..=10.0).contains(width));
                trace.width = width.unwrap_or(Trace::WIDTH);
            }
            _ => {}
        }
    }
    Some(trace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Registry;
    use crate::model::{Block, BlockId, BlockKind, Model};

    fn simulation() -> Simulation {
        let mut model = Model::new("Main");
        model.add_block(Block::new(BlockId(1), BlockKind::library("Var", "Static")));
        model.add_block(Block::new(BlockId(2), BlockKind::library("Math", "Gain")));
        model.add_block(Block::new(BlockId(3), BlockKind::exit("a")));
        let mut simulation = Simulation::default();
        simulation.root = "Main".into();
        simulation.add_model(model);
        simulation
    }

    #[test]
    fn what_earlier_files_say_is_understood() {
        let plots =
            read("#1.Output;#2.Output||#3.Input;#9.Output", &NameReader::new(&simulation(), &Registry::standard()));
        let ids: Vec<Vec<i128>> =
            plots.iter().map(|plot| plot.traces.iter().map(|trace| trace.signal.block.0).collect()).collect();
        assert_eq!(ids, [vec![1, 2], vec![], vec![3]]);
        let text = "#1.Output;#2.Output||#3.Input;#9.Output";
        assert_eq!(write(&plots, &simulation()), text, "and written as it was, what is lost included");
    }

    #[test]
    fn everything_that_is_chosen_is_read_again() {
        let signal = |id| SignalKey::new(&[], BlockId(id), "Output");
        let mut first = PlotSpec::of(vec![signal(1), signal(2)]);
        first.title = "Speed [m/s], |v| = 50 %;".to_owned();
        (first.x_is_log, first.left_is_log, first.right_is_log) = (true, true, true);
        (first.window, first.scaling, first.decibels) = (Window::FlatTop, Scaling::Density, Decibels::Yes);
        (first.averaging, first.overlap) = (Averaging::Length(1024), Overlap::ThreeQuarters);
        (first.detrend, first.quantity) = (Detrend::Mean, CrossQuantity::Coherence);
        first.trigger = Some(TriggerSpec { signal: signal(2), level: -0.1, edge: Edge::Either });
        (first.x_range, first.left_range) = (Some((-0.5, 1e9)), Some((1e-300, 2.0)));
        (first.right_range, first.view_angles) =
            (Some((-1.0, 0.0)), Some(ViewAngles { azimuth: 123.4, elevation: -90.0 }));
        if let Some(trace) = first.traces.last_mut() {
            trace.is_hidden = true;
            (trace.side, trace.color, trace.line, trace.width) =
                (AxisSide::Right, Some(5), Some(LineKind::Stairs), 3.0);
        }
        let others = PlotKind::ALL.map(|kind| PlotSpec { kind, ..PlotSpec::of(vec![signal(1)]) });
        let eight = PlotSpec { averaging: Averaging::Eight, overlap: Overlap::None, ..first.clone() };
        let plots: Vec<PlotSpec> = [first, eight].into_iter().chain(others).collect();
        let text = write(&plots, &simulation());
        assert_eq!(read(&text, &NameReader::new(&simulation(), &Registry::standard())), plots, "{text}");
    }

    #[test]
    fn nonsense_is_as_usual() {
        for text in [
            "[",
            "[xrange=1:,yrange=3:1,zrange=nan:1,turn=:]",
            "[kind=",
            "[segment=0,segments=9,overlap=100,detrend=line,quantity=]",
            "[kind=cake,x]#1.Output{",
            "#1.Output{color=blue,width=-3,line=}",
            "{}}{|][",
        ] {
            read(text, &NameReader::new(&simulation(), &Registry::standard()));
        }
        let plots = read("[kind=cake]#1.Output{width=1e9}", &NameReader::new(&simulation(), &Registry::standard()));
        assert_eq!(plots, [PlotSpec::of(vec![SignalKey::new(&[], BlockId(1), "Output")])]);
    }
}
