//! Where some controls are on the screen, for the tours.

use eframe::egui::{Context, Id, Rect};

/// The button that starts a run.
pub const RUN: &str = "run";
/// The slider of time in the toolbar.
pub const TIME: &str = "time";

/// Says where a control is in this frame; rows of the inspector have the names of their parameters.
pub fn mark(ctx: &Context, name: &'static str, rect: Rect) {
    let frame = ctx.cumulative_frame_nr();
    ctx.data_mut(|data| data.insert_temp(Id::unique(("control", name)), (frame, rect)));
}

/// Returns where a control is; None if it is not shown.
pub fn rect_of(ctx: &Context, name: &'static str) -> Option<Rect> {
    let (frame, rect) = ctx.data(|data| data.get_temp::<(u64, Rect)>(Id::unique(("control", name))))?;
    (frame + 2 > ctx.cumulative_frame_nr()).then_some(rect)
}
