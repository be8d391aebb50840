//! Input from the platform: shortcuts, the clipboard, dropped files, the request to close the window.

use eframe::egui::{self, Event};

use crate::app::action::command::{Command, EditCommand};
use crate::app::action::path_request::is_data;
use crate::app::action::{AfterSave, shortcuts};
use crate::app::canvas::DocumentView;
use crate::app::shell::app::App;

impl App {
    /// Carries out the commands of pressed shortcuts.
    pub(crate) fn keys(&mut self, ctx: &egui::Context) {
        if self.takes_keys() {
            return;
        }
        for command in shortcuts::pressed(ctx) {
            self.apply_typed_code();
            self.dispatch(command);
            // Later input belongs to the opened field.
            if self.takes_keys() {
                return;
            }
        }
        // The platform reports these shortcuts as separate events.
        if ctx.text_edit_focused() {
            return;
        }
        let events = ctx.input(|input| {
            let is_clipboard = |event: &&Event| matches!(event, Event::Copy | Event::Cut | Event::Paste(_));
            input.events.iter().filter(is_clipboard).cloned().collect::<Vec<_>>()
        });
        for event in events {
            match event {
                Event::Copy => self.dispatch(Command::Edit(EditCommand::Copy)),
                Event::Cut => self.dispatch(Command::Edit(EditCommand::Cut)),
                Event::Paste(text) => self.paste_text(&text),
                _ => {}
            }
        }
    }

    /// Applies code that is still being typed, before something is done with the document.
    pub(crate) fn apply_typed_code(&mut self) {
        let Some(file) = &self.file else { return };
        let view = DocumentView { simulation: file.simulation(), registry: &self.blocks.registry };
        if let Some(change) = file.canvas.typed_code(&view) {
            self.apply(&change);
        }
    }

    /// Returns whether a dialog or the list of blocks to insert takes the keys.
    pub(crate) fn takes_keys(&self) -> bool {
        self.window.dialog.is_open() || self.file.as_ref().is_some_and(|file| file.panels.quick_insert.is_some())
    }

    /// Opens a file that was dropped on the window; an FMU becomes a block, and parameters are fitted to
    /// measured curves.
    pub(crate) fn dropped_files(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|input| input.raw.dropped_files.first().map(|file| file.path().to_owned()));
        let is_fmu = |path: &std::path::Path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("fmu"));
        if let Some(path) = dropped.as_deref().filter(|path| is_fmu(path)) {
            self.insert_fmu(path.to_owned());
        } else if let Some(path) = dropped.as_deref().filter(|path| is_data(path)) {
            self.drop_data(path, ctx.pointer_latest_pos());
        } else if let Some(path) = dropped {
            self.guarded(AfterSave::OpenPath(path));
        }
    }

    /// Asks before the window closes with unsaved changes.
    pub(crate) fn closing(&mut self, ctx: &egui::Context) {
        if !ctx.input(|input| input.viewport().close_requested()) || self.window.may_quit {
            return;
        }
        self.apply_typed_code();
        if self.is_unsaved() {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            self.guarded(AfterSave::Quit);
        }
    }
}
