//! The choice of a signal: a button that opens a list with a search.

use eframe::egui::{self, PopupCloseBehavior, Ui, vec2};

use crate::app::ui::widgets;

/// The width of the list.
const LIST: f32 = 300.0;
/// The largest number of signals that are listed at once; the search finds the others.
const LISTED: usize = 300;
/// The number of signals from which on there is a search field.
const SEARCHED: usize = 13;

/// A choice and its present state.
pub struct SignalChoice<'a> {
    /// The name for screen readers.
    pub label: &'a str,
    pub shown: &'a str,
    /// Whether nothing is chosen.
    pub is_weak: bool,
    pub about: &'a str,
    /// The entry for no signal.
    pub none: Option<&'a str>,
    pub width: f32,
    pub count: usize,
    pub name_of: &'a dyn Fn(usize) -> &'a str,
    pub chosen: Option<usize>,
}

/// The decision of the user in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picked {
    Nothing,
    None,
    Signal(usize),
}

/// Draws the button, and the list while it is open.
pub fn show_ui(ui: &mut Ui, choice: &SignalChoice, search: &mut String) -> Picked {
    let theme = widgets::theme_of(ui.ctx());
    let color = if choice.is_weak { theme.text_weak } else { theme.text };
    let text = egui::RichText::new(choice.shown).color(color);
    let size = vec2(choice.width, ui.spacing().interact_size.y);
    let button = ui.add_sized(size, egui::Button::new(text).truncate().min_size(size).right_text("   "));
    let at = button.rect.right_center() - vec2(13.0, 0.0);
    let arrow = [vec2(-3.5, -1.8), vec2(0.0, 1.8), vec2(3.5, -1.8)].map(|corner| at + corner);
    ui.painter().add(egui::Shape::line(arrow.to_vec(), egui::Stroke::new(1.4, theme.text_weak)));
    crate::app::ui::field::name(&button, choice.label);
    let mut picked = Picked::Nothing;
    let is_open = egui::Popup::menu(&button).close_behavior(PopupCloseBehavior::CloseOnClickOutside).show(|ui| {
        ui.set_width(LIST);
        if choice.count >= SEARCHED {
            let field = widgets::search_ui(ui, search, "Find a signal");
            if button.clicked() {
                field.request_focus();
            }
        }
        let wanted = search.to_lowercase();
        let named = (0..choice.count).map(|number| (number, (choice.name_of)(number)));
        let found = named.filter(|(_, name)| name.to_lowercase().contains(&wanted));
        egui::ScrollArea::vertical().max_height(280.0).show(ui, |ui| {
            if let Some(none) = choice.none
                && ui.selectable_label(choice.is_weak, none).clicked()
            {
                picked = Picked::None;
                ui.close();
            }
            for (number, name) in found.take(LISTED) {
                if ui.selectable_label(choice.chosen == Some(number), name).clicked() {
                    picked = Picked::Signal(number);
                    ui.close();
                }
            }
        });
    });
    if is_open.is_none() && button.clicked() {
        search.clear();
    }
    button.on_hover_text(choice.about);
    picked
}
