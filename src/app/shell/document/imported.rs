//! Says in a bar what became of the blocks of a file of another program.

use eframe::egui::{Align, Frame, Layout, Margin, Panel as Bar, Ui};

use crate::app::action::command::Panel;
use crate::app::action::path_request::PathRequest;
use crate::app::shell::app::App;
use crate::app::ui::icons::Icon;
use crate::app::ui::widgets;

/// A button of the bar.
enum Pressed {
    Show,
    Save,
    Dismiss,
}

impl App {
    /// Draws the bar, until the user dismisses it.
    pub(crate) fn imported_ui(&mut self, ui: &mut Ui) {
        let Some(text) = self.file.as_ref().and_then(|file| file.imported.clone()) else { return };
        let frame = Frame::new().fill(widgets::theme_of(ui.ctx()).panel);
        let strip = frame.inner_margin(Margin { left: 10, right: 8, top: 4, bottom: 4 });
        let mut pressed = None;
        Bar::top("imported").frame(strip).show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.label(format!("Imported: {text}"));
                let show = ui.button("Show").on_hover_text("List what is approximated or missing, with its blocks");
                let save = ui.button("Save as .simx…").on_hover_text("The imported file itself is never written");
                pressed = show.clicked().then_some(Pressed::Show).or(save.clicked().then_some(Pressed::Save));
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let hide = widgets::icon_button_ui(ui, Icon::Close, "Hide");
                    if hide.on_hover_text("Hide this bar; Problems keeps the list").clicked() {
                        pressed = Some(Pressed::Dismiss);
                    }
                });
            });
        });
        match pressed {
            None => {}
            Some(Pressed::Show) => self.window.layout.show(Panel::Problems),
            Some(Pressed::Save) => self.ask_path(PathRequest::SaveAs { after: None }),
            Some(Pressed::Dismiss) => self.with_file(|file| file.imported = None),
        }
    }
}
