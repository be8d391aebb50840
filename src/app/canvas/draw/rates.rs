//! Draws signals in the colours of their sample times, with a legend.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use eframe::egui::{Align2, Color32, FontId, Rect, Stroke, StrokeKind, vec2};

use super::context::{DrawContext, source_of};
use super::heat::fill_ui;
use crate::app::canvas::interface::CanvasView;
use crate::app::canvas::scene::{BlockView, Scene, WireView};
use crate::app::ui::numbers;
use crate::app::ui::theme::{TEXT_SMALL, Theme};
use crate::block::SampleTime;
use crate::engine::Program;
use crate::model::{BlockId, SignalKey};

/// Returns a colour for each rate that occurs, the fastest first; None is the rate of constants.
pub fn palette(program: &Program, theme: &Theme) -> BTreeMap<Option<SampleTime>, Color32> {
    // Red is reserved for errors.
    let colors = theme.curves.iter().enumerate().filter(|(index, _)| *index != 6).map(|(_, color)| *color).cycle();
    let mut palette: BTreeMap<Option<SampleTime>, Color32> = program.rates.distinct().map(Some).zip(colors).collect();
    palette.insert(None, theme.text_weak);
    palette
}

/// Returns the colours of the outputs whose wires are in view.
pub fn colors<'s>(
    view: &CanvasView,
    theme: &Theme,
    wires: &[&'s WireView],
    path: &[BlockId],
) -> HashMap<(BlockId, &'s str), Color32> {
    let mut colors = HashMap::new();
    let Some(program) = view.program else { return colors };
    let palette = palette(program, theme);
    for connection in wires.iter().map(|wire| &wire.connection) {
        let key = SignalKey { path: path.to_vec(), block: connection.from, output: Arc::clone(&connection.output) };
        let color = program.rate_of(&key).and_then(|rate| palette.get(&rate).copied());
        color.and_then(|color| colors.insert((connection.from, &*connection.output), color));
    }
    colors
}

/// Returns the colour of each block: that of its fastest output, or of its inputs if it has no output.
pub fn of_blocks(
    view: &CanvasView,
    theme: &Theme,
    scene: &Scene,
    blocks: &[&BlockView],
    path: &[BlockId],
) -> HashMap<BlockId, Color32> {
    let Some(program) = view.program else { return HashMap::new() };
    let palette = palette(program, theme);
    let rate =
        |(block, output): (BlockId, Arc<str>)| program.rate_of(&SignalKey { path: path.to_vec(), block, output });
    let color = |block: &&BlockView| {
        let id = block.block.id;
        let outputs = block.ports.outputs.iter().map(|output| (id, Arc::clone(output)));
        let sources = block.ports.inputs.iter().filter_map(|input| source_of(scene, id, input));
        let rates: Vec<Option<SampleTime>> = match block.ports.outputs.is_empty() {
            true => sources.filter_map(rate).collect(),
            false => outputs.filter_map(rate).collect(),
        };
        // Constants count only if there is nothing else.
        let fastest = rates.iter().flatten().min().copied();
        let is_known = !rates.is_empty();
        Some((id, *palette.get(&fastest).filter(|_| is_known)?))
    };
    blocks.iter().filter_map(color).collect()
}

/// Draws rates over the bodies, below the icons.
pub fn block_ui(context: &DrawContext, block: &BlockView, color: Color32) {
    fill_ui(context, block, color.gamma_multiply(if context.theme.is_dark { 0.4 } else { 0.28 }));
}

pub fn legend_ui(context: &DrawContext, view: &CanvasView) {
    let theme = context.theme;
    let font = FontId::proportional(TEXT_SMALL);
    let rows: Vec<(Color32, String)> = match view.program {
        None => vec![(theme.text_weak, "Sample times are available when the simulation has no errors".to_owned())],
        Some(program) => {
            palette(program, theme).into_iter().map(|(rate, color)| (color, name(rate, program.delta))).collect()
        }
    };
    let galleys: Vec<_> = rows
        .into_iter()
        .map(|(color, text)| (color, context.painter.layout_no_wrap(text, font.clone(), theme.text)))
        .collect();
    let width = galleys.iter().map(|(_, galley)| galley.size().x).fold(0.0, f32::max) + 40.0;
    let height = 17.0 * galleys.len() as f32 + 30.0;
    let corner = context.transform.screen.left_bottom() + vec2(10.0, -height - 10.0);
    let frame = Rect::from_min_size(corner, vec2(width, height));
    context.painter.rect(
        frame,
        4.0,
        theme.panel.gamma_multiply(0.95),
        Stroke::new(1.0, theme.line),
        StrokeKind::Inside,
    );
    let title = corner + vec2(10.0, 6.0);
    context.painter.text(title, Align2::LEFT_TOP, "Sample time", font, theme.text_weak);
    for (row, (color, galley)) in galleys.into_iter().enumerate() {
        let at = corner + vec2(10.0, 24.0 + 17.0 * row as f32);
        context.painter.rect_filled(Rect::from_min_size(at + vec2(0.0, 4.0), vec2(14.0, 6.0)), 2.0, color);
        context.painter.galley(at + vec2(22.0, 0.0), galley, theme.text);
    }
}

fn name(rate: Option<SampleTime>, delta: f64) -> String {
    match rate {
        None => "Constant".to_owned(),
        Some(SampleTime::EVERY) => "Every step".to_owned(),
        Some(SampleTime { period, offset: 0 }) => numbers::seconds(period as f64 * delta),
        Some(SampleTime { period, offset }) => {
            format!("{} from {}", numbers::seconds(period as f64 * delta), numbers::seconds(offset as f64 * delta))
        }
    }
}
