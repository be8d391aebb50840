//! Draws a plot into a picture file: title, curves, and their names below.

use std::time::Duration;

use eframe::egui::{self, Align2, Color32, Pos2, Rect, pos2, vec2};

use super::build::build;
use super::computed::PlotContext;
use super::curves::{PlotData, color_of};
use super::legend::title_of;
use super::plot::cursor_layers;
use super::plot_frame::PlotFrame;
use super::state::PlotsPanelState;
use crate::app::doc::derived::Derived;
use crate::app::doc::plots::PlotSpec;
use crate::app::drawing::{self, Drawing};
use crate::app::store::figures::{FigureKey, Figures};
use crate::app::store::runs::RunRecord;
use crate::app::ui::chart::{LineKind, Sides, stroke_ui};
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT_SMALL, Theme};
use crate::model::Simulation;

/// Points.
const SIZE: eframe::egui::Vec2 = vec2(720.0, 400.0);
const MARGIN: f32 = 14.0;
/// The number of parts of the time axis for which minimum and maximum are drawn.
pub const PICTURE_WIDTH: usize = 2400;
const ROW: f32 = 18.0;

pub fn drawing_of(source: &PlotData, spec: &PlotSpec, number: usize, shown: &PlotFrame) -> Drawing {
    let title = title_of(spec, number);
    drawing::drawing_of(&title, SIZE, |painter| {
        let theme = source.theme;
        let mut top = MARGIN;
        if !spec.title.is_empty() {
            let font = style::strong(TEXT_SMALL + 1.5);
            painter.text(pos2(SIZE.x / 2.0, top), Align2::CENTER_TOP, &spec.title, font, theme.text);
            top += ROW + 4.0;
        }
        // Names fill rows from the left.
        let mut names = Vec::new();
        let mut at: Pos2 = pos2(MARGIN, 0.0);
        for trace in spec.traces.iter().filter(|trace| !trace.is_hidden) {
            let name = source.derived.name_of(&trace.signal);
            let galley = painter.layout_no_wrap(name, style::plain(TEXT_SMALL), theme.text);
            let width = galley.size().x + 46.0;
            if at.x + width > SIZE.x - MARGIN && at.x > MARGIN {
                at = pos2(MARGIN, at.y + ROW);
            }
            names.push((at, trace, galley));
            at.x += width;
        }
        let below = at.y + ROW + MARGIN;
        let rect = Rect::from_min_max(pos2(MARGIN, top), pos2(SIZE.x - MARGIN, SIZE.y - below));
        let frame = shown.frame(painter, rect, Sides::default());
        shown.paint(painter, &frame, theme);
        for (at, trace, galley) in names {
            let at = at + vec2(0.0, rect.bottom() + 8.0);
            let line = [pos2(at.x, at.y + 7.0), pos2(at.x + 20.0, at.y + 7.0)];
            let room = Rect::from_two_pos(line[0], line[1]).expand(4.0);
            let kind = trace.line.filter(|line| *line != LineKind::Stairs).unwrap_or_default();
            stroke_ui(painter, room, &line, kind, trace.width, color_of(source.list, trace, theme));
            painter.galley(at + vec2(26.0, 0.0), galley, theme.text);
        }
    })
}

/// Draws all plots of a document with the samples of a run, as they are when they are first shown. Waits for figures
/// that are computed on other threads.
pub fn drawings(simulation: &Simulation, derived: &Derived, record: &RunRecord) -> Vec<Drawing> {
    const TIMEOUT: Duration = Duration::from_secs(60);
    let theme = Theme { panel: Color32::WHITE, ..Theme::light() };
    let list = derived.plots();
    let source = PlotData {
        simulation,
        derived,
        list,
        recording: &record.recording,
        program: record.program.as_deref(),
        others: &[],
        band: None,
        is_stale: false,
        end: record.end(),
        theme: &theme,
    };
    let mut state = PlotsPanelState::default();
    state.common.figures = Some(Figures::new(&egui::Context::default()));
    let mut drawn = Vec::new();
    for (number, spec) in list.plots.iter().enumerate().filter(|(_, spec)| !spec.traces.is_empty()) {
        let _requested = state.picture(&source, number, PICTURE_WIDTH);
        state.wait(TIMEOUT);
        drawn.extend(
            state.picture(&source, number, PICTURE_WIDTH).map(|shown| drawing_of(&source, spec, number, &shown)),
        );
    }
    drawn
}

impl PlotsPanelState {
    /// Builds a plot for a picture, in the theme of `source`.
    pub fn picture(&mut self, source: &PlotData, plot: usize, width: usize) -> Option<PlotFrame> {
        let spec = source.list.plots.get(plot)?;
        let view = self.views.get(plot).copied().unwrap_or_default();
        let time = self.time_of(source, plot);
        let cursors = self.cursors(source.list);
        let figures = self.common.figures.as_mut()?;
        let mut context = PlotContext { width, figures, key: FigureKey::Plot(plot) };
        let mut shown = build(source, spec, &view, time, &mut context);
        shown.layers.extend(cursor_layers(spec, cursors.as_ref(), None, source.theme));
        Some(shown)
    }
}
