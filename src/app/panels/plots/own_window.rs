//! Plots and scopes in separate windows: windows of the desktop, or windows within the main one where the platform has
//! no others.

use eframe::egui::{self, CentralPanel, Frame, Id, RichText, Ui, Vec2, ViewportBuilder, ViewportId, vec2};

use super::state::{PlotsPanelState, PlotsPanelView};
use super::{Heights, legend, plot_with_legend_ui, settings};
use crate::app::action::{Action, shortcuts};
use crate::app::ui::style;
use crate::app::ui::theme::TEXT;
use crate::app::ui::widgets::theme_of;

const SMALLEST: Vec2 = vec2(240.0, 160.0);

/// Whether a window stays open after a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    Open,
    Closed,
}

/// Draws a window of the desktop. Shortcuts of the program work in it too.
pub fn show_ui(
    ctx: &egui::Context,
    id: Id,
    (title, size): (&str, Vec2),
    actions: &mut Vec<Action>,
    content: &mut dyn FnMut(&mut Ui, &mut Vec<Action>),
) -> Stays {
    if ctx.embed_viewports() {
        return within_ui(ctx, id, (title, size), &mut |ui| content(ui, actions));
    }
    let builder = ViewportBuilder::default().with_title(format!("{title} – Simulate")).with_inner_size(size);
    let builder = builder.with_min_inner_size(SMALLEST);
    ctx.show_viewport_immediate(ViewportId(id), builder, |ui, _| {
        let fill = theme_of(ui.ctx()).panel;
        CentralPanel::default().frame(Frame::new().fill(fill).inner_margin(6.0)).show(ui, |ui| content(ui, actions));
        if !ui.ctx().text_edit_focused() {
            actions.extend(shortcuts::pressed(ui.ctx()).into_iter().map(Action::Command));
        }
        match ui.input(|input| input.viewport().close_requested()) {
            true => Stays::Closed,
            false => Stays::Open,
        }
    })
}

/// Draws a window within the program's.
pub fn within_ui(ctx: &egui::Context, id: Id, (title, size): (&str, Vec2), content: &mut dyn FnMut(&mut Ui)) -> Stays {
    let mut is_open = true;
    egui::Window::new(RichText::new(title).font(style::strong(TEXT)))
        .collapsible(false)
        .id(id)
        .open(&mut is_open)
        .default_size(size)
        .min_size(SMALLEST)
        .default_pos(ctx.content_rect().center() - vec2(size.x / 2.0, size.y / 2.0 + 60.0))
        .show(ctx, |ui| content(ui));
    if is_open { Stays::Open } else { Stays::Closed }
}

/// Draws the windows of the plots that stand in one.
pub fn plots_ui(ctx: &egui::Context, state: &mut PlotsPanelState, view: &PlotsPanelView, actions: &mut Vec<Action>) {
    state.detached.retain(|number| *number < view.list.plots.len());
    for number in state.detached.clone() {
        let Some(spec) = view.list.plots.get(number) else { continue };
        let title = legend::title_of(spec, number);
        let window = (title.as_str(), vec2(720.0, 420.0));
        let mut pointed = None;
        let stays = show_ui(ctx, Id::unique(("plot window", number)), window, actions, &mut |ui, actions| {
            let rect = ui.available_rect_before_wrap();
            let heights = Heights { plot: rect.height(), has_legend_above: true };
            pointed = plot_with_legend_ui(ui, state, view, number, heights, actions);
            if state.settings == Some(number) {
                settings::window_ui(ui.ctx(), state, view, actions);
            }
        });
        state.common.pointed = pointed.or(state.common.pointed);
        if stays == Stays::Closed {
            state.detached.remove(&number);
        }
    }
}
