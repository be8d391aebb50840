//! The frame of a dialog: a modal window with a title and buttons.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{self, Id, Key, Modal, RichText, Ui, vec2};

use super::changed::{FileChanged, Remedy};
use super::nested::NestedChoice;
#[cfg(feature = "pool")]
use super::remote::RemoteChoice;
use crate::app::action::AfterSave;
use crate::app::action::command::Command;
use crate::app::action::path_request::{CodeExport, FmuExport, PathQuestion, PathRequest, PictureExport};
#[cfg(feature = "pool")]
use crate::app::store::pools::{PoolFile, PoolSetting};
use crate::app::ui::keymap::Keymap;
use crate::app::ui::style;
use crate::app::ui::theme::SPACE;
use crate::exported::OnChanged;
use crate::model::{BlockId, Change};

/// The result of a dialog in a frame.
pub enum DialogResponse {
    Open,
    Closed,
    /// A text is in the clipboard.
    Copied,
    Save(AfterSave),
    Discard(AfterSave),
    Path(PathQuestion, PathBuf),
    /// Asks for a path.
    AskPath(PathRequest),
    Remedy(Box<FileChanged>, Remedy),
    Nested(NestedChoice),
    AllowOutside,
    Command(Command),
    Apply(Change),
    Picture(PictureExport),
    Code(CodeExport),
    /// How an export treats the changed files.
    Edited(OnChanged),
    Fmu(FmuExport),
    /// Shows a block of a model.
    ShowBlock(Arc<str>, BlockId),
    /// Replaces the shortcuts.
    Keys(Keymap),
    /// Opens the recovery copy with this number.
    Recover(usize),
    Forget(usize),
    ForgetAll,
    /// Switches the plug-in with this number on or off.
    SwitchPlugin(usize),
    /// Stores the pools of computers.
    #[cfg(feature = "pool")]
    Pools(Vec<PoolSetting>),
    /// Asks for a file of the pool with this number.
    #[cfg(feature = "pool")]
    PoolFile(usize, PoolFile),
    /// Tests the connection to a pool.
    #[cfg(feature = "pool")]
    TryPool(Box<PoolSetting>),
    /// Where a run or a sweep is computed.
    #[cfg(feature = "pool")]
    Remote(RemoteChoice),
    /// Shows a file in the platform's file manager.
    ShowFolder(PathBuf),
}

/// Draws a modal window. Returns the response of `content`, or `Closed` on Escape or a click outside.
pub fn window_ui(
    ctx: &egui::Context,
    name: &str,
    width: f32,
    content: impl FnOnce(&mut Ui) -> DialogResponse,
) -> DialogResponse {
    let frame = egui::Frame::window(&ctx.global_style());
    let shown = Modal::new(Id::unique(("dialog", name))).frame(frame).show(ctx, |ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing = vec2(2.0 * SPACE, 2.0 * SPACE);
        content(ui)
    });
    match shown.inner {
        DialogResponse::Open => {
            let is_left = shown.backdrop_response.clicked()
                || ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, Key::Escape));
            if is_left { DialogResponse::Closed } else { DialogResponse::Open }
        }
        answer => answer,
    }
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
