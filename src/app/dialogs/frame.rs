//! The frame of a dialog: a modal window with a title and buttons.

use eframe::egui::{self, Id, Key, Modal, RichText, Ui, vec2};

use crate::app::ui::style;
use crate::app::ui::theme::SPACE;

/// The response of the content of a frame.
pub trait FrameResponse {
    /// The user has left the dialog.
    const CLOSED: Self;

    /// Returns whether the dialog stays open.
    fn is_open(&self) -> bool;
}

/// Draws a modal window. Returns the response of `content`, or [`FrameResponse::CLOSED`] on Escape or a click outside.
pub fn window_ui<R: FrameResponse>(
    ctx: &egui::Context,
    name: &str,
    width: f32,
    content: impl FnOnce(&mut Ui) -> R,
) -> R {
    let frame = egui::Frame::window(&ctx.global_style());
    let shown = Modal::new(Id::unique(("dialog", name))).frame(frame).show(ctx, |ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing = vec2(2.0 * SPACE, 2.0 * SPACE);
        content(ui)
    });
    let is_left = shown.inner.is_open()
        && (shown.backdrop_response.clicked()
            || ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, Key::Escape)));
    if is_left { R::CLOSED } else { shown.inner }
}

/// Draws the title of a dialog.
pub fn title_ui(ui: &mut Ui, title: &str) {
    ui.label(RichText::new(title).text_style(style::title()));
}

/// Lays out buttons from the right; the main button is added first.
pub fn buttons_ui<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
    ui.add_space(SPACE);
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), content).inner
}
