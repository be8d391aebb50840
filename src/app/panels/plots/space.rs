//! 3-D plots: curves in a box that the pointer rotates.

use std::sync::Arc;

use eframe::egui::{EventFilter, Key, Response, Ui, vec2};

use super::curves::{ElementCurve, PlotData};
use super::plot_frame::{Layer, PlotFrame};
use super::view::PlotView;
use crate::app::doc::plots::PlotSpec;
use crate::app::store::figures::SpaceCurve;
use crate::app::ui::chart::{Axis, Labels, Scale, Space, ViewAngles};
use crate::engine::Extent;

/// The margin around curves, relative to the box.
const MARGIN: f64 = 0.04;
/// The drag distance in points of an arrow key.
const KEY: f32 = 12.0;

/// Builds the frame with the third and further curves over the first two.
pub fn space_of(
    source: &PlotData,
    spec: &PlotSpec,
    view: &PlotView,
    curves: &[&ElementCurve],
    paths: &[SpaceCurve],
    every: usize,
) -> PlotFrame {
    let mut layers = Vec::new();
    let mut extents = [Extent::EMPTY; 3];
    for (curve, path) in curves.iter().skip(2).zip(paths) {
        for (extent, of_curve) in extents.iter_mut().zip(path.extents) {
            *extent = extent.join(of_curve);
        }
        layers.push(Layer::Path { points: Arc::clone(&path.points), width: curve.width, color: curve.color });
    }
    let kept = [spec.x_range, spec.left_range, spec.right_range];
    let mut axes = extents.map(|Extent { low, high }| Axis::fitted(low, high, MARGIN, Scale::Linear));
    for (axis, (low, high)) in axes.iter_mut().zip(kept).filter_map(|(axis, kept)| Some((axis, kept?))) {
        *axis = Axis::new(low, high);
    }
    let name = |index: usize| curves.get(index).map(|curve| source.derived.name_of(&curve.trace.signal));
    let upright: Vec<String> = (2..curves.len()).filter_map(name).collect();
    let names = [name(0).unwrap_or_default(), name(1).unwrap_or_default(), upright.join(", ")];
    let note = match (curves.len(), every) {
        (0..3, _) => "Three curves are needed: x, y and z".to_owned(),
        (_, 1) => String::new(),
        (_, every) => format!("every {every}th sample"),
    };
    let turn = view.view_angles.or(spec.view_angles).unwrap_or_default();
    let space = Space { axes, names, view_angles: turn, zoom: view.nearness.exp() };
    let unit = Axis::new(0.0, 1.0);
    let space = Some(Box::new(space));
    PlotFrame { x: unit, left: unit, right: None, labels: Labels::default(), layers, note, is_square: false, space }
}

/// Rotates the box by drag and arrow keys, zooms by the wheel, resets on a double click. Returns the rotation to
/// store, on release of the pointer or the key.
pub fn touch_ui(ui: &Ui, response: &Response, spec: &PlotSpec, view: &mut PlotView) -> Option<ViewAngles> {
    let now = view.view_angles.or(spec.view_angles).unwrap_or_default();
    if response.double_clicked() {
        (view.view_angles, view.nearness) = (None, 0.0);
        return spec.view_angles.map(|_| ViewAngles::default());
    }
    if response.dragged() {
        view.view_angles = Some(now.by(response.drag_delta()));
    }
    if response.hovered() {
        let (turned, pinched) =
            ui.input_mut(|input| (std::mem::take(&mut input.smooth_scroll_delta), input.zoom_delta()));
        view.nearness = (view.nearness + (turned.y + turned.x) * 0.005 + pinched.ln()).clamp(-1.0, 3.0);
    }
    let arrows = [Key::ArrowLeft, Key::ArrowRight, Key::ArrowUp, Key::ArrowDown];
    if response.has_focus() {
        let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        let [left, right, up, down] = arrows.map(|key| ui.input(|input| input.num_presses(key)) as f32);
        let by = vec2(right - left, down - up) * KEY;
        if by != vec2(0.0, 0.0) {
            view.view_angles = Some(now.by(by));
        }
    }
    let is_held = response.dragged() || ui.input(|input| arrows.iter().any(|key| input.key_down(*key)));
    if is_held { None } else { view.view_angles.take().filter(|turn| Some(*turn) != spec.view_angles) }
}
