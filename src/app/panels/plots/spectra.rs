//! Spectra of curves, and of pairs of curves.

use super::axes::{below, value_axis};
use super::computed::thinned;
use super::curves::ElementCurve;
use super::plot_frame::{Layer, PlotFrame};
use super::view::PlotView;
use crate::app::doc::plots::{CrossQuantity, Decibels, PlotSpec};
use crate::app::ui::chart::{Axis, AxisSide, Labels, LineKind};
use crate::app::ui::numbers;
use crate::engine::Extent;
use crate::measure::{CrossSpectrum, Scaling, Spectrum};

/// The lines of a curve over frequency, as they are drawn.
struct Lines<'a> {
    curve: &'a ElementCurve<'a>,
    /// The distance between lines in Hz.
    step: f64,
    heights: Vec<f64>,
}

/// Returns the frequency axis: the visible range, else the user's limits, else all lines.
fn frequencies(spec: &PlotSpec, view: &PlotView, lines: &[Lines]) -> Axis {
    let last = lines.iter().map(|found| found.step * (found.heights.len().max(2) - 1) as f64).fold(0.0, f64::max);
    let first = lines.iter().map(|found| found.step).fold(f64::INFINITY, f64::min);
    below(view, spec, spec.x_is_log).unwrap_or_else(|| match spec.x_is_log {
        true => Axis { low: first.min(last / 10.0).max(1e-12), high: last.max(1e-9), is_log: true },
        false => Axis::new(0.0, if last > 0.0 { last } else { 1.0 }),
    })
}

/// Returns the curves, and the range of their visible values.
fn layers(lines: Vec<Lines>, x: Axis, is_log: bool, width: usize) -> (Vec<Layer>, Extent) {
    let mut extent = Extent::EMPTY;
    let mut layers = Vec::new();
    for Lines { curve, step, heights } in lines {
        let points = heights.iter().enumerate().map(|(n, height)| (n as f64 * step, *height));
        let points = thinned(points, x, width);
        for (at, value) in &points {
            if (x.low..=x.high).contains(at) && (!is_log || *value > 0.0) && value.is_finite() {
                extent = extent.with(*value);
            }
        }
        let (side, line) = (AxisSide::Left, LineKind::Solid);
        layers.push(Layer::Curve { points: points.into(), side, line, width: curve.width, color: curve.color });
    }
    (layers, extent)
}

/// Returns the part of a range that is shown: rounding noise is far below and hidden.
fn without_noise(extent: Extent, decibels: Decibels, is_log: bool) -> Extent {
    let low = match (decibels, is_log) {
        (Decibels::Yes, _) => extent.low.max(extent.high - 160.0),
        (Decibels::No, true) => extent.low.max(extent.high * 1e-8),
        (Decibels::No, false) => extent.low.min(0.0),
    };
    Extent { low, ..extent }
}

/// Returns a note about averaged segments.
fn averaged(segments: usize) -> String {
    if segments == 1 { String::new() } else { format!("{segments} segments") }
}

pub fn spectra_of(
    spec: &PlotSpec,
    view: &PlotView,
    width: usize,
    curves: &[&ElementCurve],
    spectra: &[Spectrum],
) -> PlotFrame {
    let is_power = spec.scaling == Scaling::Density;
    let height = |line: f64| match spec.decibels {
        Decibels::No => line,
        Decibels::Yes => (if is_power { 10.0 } else { 20.0 }) * line.max(1e-300).log10(),
    };
    let lines: Vec<Lines> = curves
        .iter()
        .zip(spectra)
        .map(|(curve, found)| Lines {
            curve,
            step: found.step,
            heights: found.lines.iter().map(|line| height(*line)).collect(),
        })
        .collect();
    let x = frequencies(spec, view, &lines);
    let is_log = spec.left_is_log && spec.decibels == Decibels::No;
    let (layers, extent) = layers(lines, x, is_log, width);
    let extent = without_noise(extent, spec.decibels, is_log);
    let left_title = match (spec.scaling, spec.decibels) {
        (Scaling::Amplitude, Decibels::No) => "Amplitude",
        (Scaling::Amplitude, Decibels::Yes) => "Amplitude, dB",
        (Scaling::Rms, Decibels::No) => "RMS",
        (Scaling::Rms, Decibels::Yes) => "RMS, dB",
        (Scaling::Density, Decibels::No) => "Power density, 1/Hz",
        (Scaling::Density, Decibels::Yes) => "Power density, dB/Hz",
    };
    let labels = Labels { x_unit: " Hz", left: left_title.to_owned(), ..Labels::default() };
    let mut notes = Vec::new();
    if let ([found], Some((frequency, line))) = (spectra, spectra.first().and_then(Spectrum::highest)) {
        notes.push(format!("peak {} at {} Hz", numbers::digits(height(line), 4), numbers::digits(frequency, 4)));
        notes.push(averaged(found.segments));
    }
    notes.retain(|note| !note.is_empty());
    let left = value_axis(view.left, spec.left_range, extent, is_log);
    PlotFrame { x, left, right: None, labels, layers, note: notes.join(" · "), is_square: false, space: None }
}

pub fn cross_of(
    spec: &PlotSpec,
    view: &PlotView,
    width: usize,
    curves: &[&ElementCurve],
    found: &[CrossSpectrum],
) -> PlotFrame {
    let decibels = if spec.quantity.can_be_decibels() { spec.decibels } else { Decibels::No };
    let values = |found: &CrossSpectrum| {
        let (values, factor) = match spec.quantity {
            CrossQuantity::Gain => (found.gain(), 20.0),
            CrossQuantity::Phase => (found.phase(), 1.0),
            CrossQuantity::Coherence => (found.coherence(), 1.0),
            CrossQuantity::Density => (found.density(), 10.0),
        };
        match decibels {
            Decibels::No => values,
            Decibels::Yes => values.into_iter().map(|value| factor * value.max(1e-300).log10()).collect(),
        }
    };
    let pairs = curves.iter().skip(1).zip(found);
    let lines: Vec<Lines> =
        pairs.map(|(curve, found)| Lines { curve, step: found.step, heights: values(found) }).collect();
    let x = frequencies(spec, view, &lines);
    let is_log = spec.left_is_log && decibels == Decibels::No && spec.quantity.can_be_decibels();
    let (layers, extent) = layers(lines, x, is_log, width);
    let extent = match spec.quantity {
        // With room for the note above 1.
        CrossQuantity::Coherence => Extent { low: 0.0, high: 1.1 },
        CrossQuantity::Phase => extent,
        _ => without_noise(extent, decibels, is_log),
    };
    let title = match (spec.quantity, decibels) {
        (CrossQuantity::Gain, Decibels::No) => "Magnitude of H",
        (CrossQuantity::Gain, Decibels::Yes) => "Magnitude of H, dB",
        (CrossQuantity::Phase, _) => "Phase of H",
        (CrossQuantity::Coherence, _) => "Coherence",
        (CrossQuantity::Density, Decibels::No) => "Cross density, 1/Hz",
        (CrossQuantity::Density, Decibels::Yes) => "Cross density, dB/Hz",
    };
    let left_is_angle = spec.quantity == CrossQuantity::Phase;
    let labels = Labels { x_unit: " Hz", left: title.to_owned(), left_is_angle, ..Labels::default() };
    let note = match found.first() {
        _ if curves.len() < 2 => "Add a second curve: it is compared with the first".to_owned(),
        Some(found) if found.segments == 1 && spec.quantity == CrossQuantity::Coherence => {
            "One segment only: its coherence is always 1. Choose shorter segments".to_owned()
        }
        Some(found) => averaged(found.segments),
        None => String::new(),
    };
    let left = value_axis(view.left, spec.left_range, extent, is_log);
    PlotFrame { x, left, right: None, labels, layers, note, is_square: false, space: None }
}
