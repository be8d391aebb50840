//! Notices when another program changes the file of the open document, says so in a bar, and reads it again.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{Align, Frame, Layout, Margin, Panel as Bar, Ui};

use super::opening::endless_nesting;
use crate::app::dialogs::{Dialog, FileChanged, Remedy};
use crate::app::shell::app::App;
use crate::app::store::files::{self, ChangedOutside, FileProblem, Opened, file_name};
use crate::app::store::jobs::About;
use crate::app::ui::icons::Icon;
use crate::app::ui::widgets;
use crate::format::LoadOptions;

/// A button of the bar.
enum Pressed {
    Reload,
    Compare,
    Save,
    Dismiss,
}

impl App {
    /// Checks whether another program has changed the file since it was read or written here.
    pub(crate) fn look_at_file(&mut self) {
        let Some(file) = &self.file else { return };
        let (Some(path), Some(known), number) = (file.path.clone(), file.disk.get(), file.number) else { return };
        let look = move || ChangedOutside::of_file(&path, known);
        self.jobs.start(About::default(), look, move |app, found| {
            // A save meanwhile made it the file of this document again.
            let file = app.file.as_mut().filter(|file| file.number == number && file.disk.get() == Some(known));
            if let Some(file) = file {
                file.changed_outside = found;
            }
        });
    }

    /// Draws the bar, unless the user has dismissed it for this content of the file.
    pub(crate) fn changed_outside_ui(&mut self, ui: &mut Ui) {
        let Some(file) = &self.file else { return };
        let Some(found) = file.changed_outside.filter(|found| file.dismissed_outside != Some(*found)) else { return };
        let name = file.path.as_deref().map_or_else(|| file.name.clone(), file_name);
        let frame = Frame::new().fill(widgets::theme_of(ui.ctx()).panel);
        let strip = frame.inner_margin(Margin { left: 10, right: 8, top: 4, bottom: 4 });
        let mut pressed = None;
        Bar::top("changed outside").frame(strip).show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.label(match found {
                    ChangedOutside::Changed(_) => format!("{name} was changed by another program"),
                    ChangedOutside::Removed => format!("{name} was moved or deleted by another program"),
                });
                match found {
                    ChangedOutside::Changed(_) => {
                        let reload = ui.button("Reload").on_hover_text(
                            "Read the file again; Undo brings back what is here, and recorded runs stay",
                        );
                        pressed = reload.clicked().then_some(Pressed::Reload);
                        let compare = ui.button("Compare").on_hover_text("List what differs from the file");
                        pressed = compare.clicked().then_some(Pressed::Compare).or(pressed.take());
                    }
                    ChangedOutside::Removed => {
                        let save = ui.button("Save again").on_hover_text("Write the file again");
                        pressed = save.clicked().then_some(Pressed::Save);
                    }
                }
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let hide = widgets::icon_button_ui(ui, Icon::Close, "Hide");
                    if hide.on_hover_text("Hide until the file changes again; saving asks before overwriting").clicked()
                    {
                        pressed = Some(Pressed::Dismiss);
                    }
                });
            });
        });
        match pressed {
            None => {}
            Some(Pressed::Reload) => self.reload(),
            Some(Pressed::Compare) => self.compare_with_file(found),
            Some(Pressed::Save) => self.save_then(None),
            Some(Pressed::Dismiss) => self.with_file(|file| file.dismissed_outside = Some(found)),
        }
    }

    /// Lists what differs from the file, with the choices for it.
    fn compare_with_file(&mut self, found: ChangedOutside) {
        let ChangedOutside::Changed(present) = found else { return };
        let Some(file) = &self.file else { return };
        let Some(path) = file.path.clone() else { return };
        let changed = FileChanged::new(path, file.number, present, None).comparing();
        self.remedy(changed, Remedy::ShowDifferences);
    }

    /// Reads the file of the open document again, as one step of the document's history.
    pub(crate) fn reload(&mut self) {
        let Some(file) = &self.file else { return };
        let (Some(path), number) = (file.path.clone(), file.number) else { return };
        let about = About { title: format!("Reading {}", file_name(&path)), path: Some(path.clone()), must_end: false };
        let (formats, source) = (Arc::clone(&self.components.formats), path.clone());
        self.jobs.start(
            about,
            move || files::open(&formats, &source, &LoadOptions::default()),
            move |app, result| app.reloaded(number, path, result),
        );
    }

    /// Goes back to the state that was saved last. Where the history does not reach that far, reads the file.
    pub(crate) fn revert(&mut self) {
        match self.file.as_ref().and_then(|file| file.document.steps_to_saved()) {
            Some(steps) => {
                self.go_in_history(steps);
                self.say("Reverted to the saved state; Redo brings the changes back");
            }
            None => self.reload(),
        }
    }

    fn reloaded(&mut self, number: u64, path: PathBuf, result: Result<Opened, FileProblem>) {
        let Some(file) = self.file.as_mut().filter(|file| file.number == number) else { return };
        let title = "The file could not be read again";
        match result {
            Err(problem) => self.show_problem(title, &path, &problem),
            Ok(opened) => {
                if let Some(ring) = endless_nesting(&opened.simulation) {
                    let message = format!("its models contain themselves: {ring}");
                    return self.open_dialog(Dialog::problem(title, &message, "", Some(&path)));
                }
                let name = file_name(&path);
                file.document.replace(format!("Reload {name}"), opened.simulation);
                file.document.mark_saved(file.document.revision());
                file.disk.renew(opened.stamp);
                file.changed_outside = None;
                file.set_load_diagnostics(opened.diagnostics);
                file.set_import(opened.imported);
                self.refresh();
                self.show_conflicts();
                self.say(format!("Reloaded {name}; Undo brings back what was here"));
            }
        }
    }
}
