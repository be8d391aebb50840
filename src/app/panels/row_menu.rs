//! The last column of a parameter's row: the menu of a number, or the button that resets any other value.

use eframe::egui::{self, Button, Popup, Response, Ui};

use crate::app::ui::icons::Icon;
use crate::app::ui::widgets;

/// An entry in the menu of a row besides its reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    SliderOnDiagram,
    SliderOnDashboard,
    Sweep,
    Sensitivity,
}

impl Offer {
    pub const ALL: [Offer; 4] = [Offer::SliderOnDiagram, Offer::SliderOnDashboard, Offer::Sweep, Offer::Sensitivity];

    fn label(self) -> &'static str {
        match self {
            Offer::SliderOnDiagram => "Slider on the diagram",
            Offer::SliderOnDashboard => "Slider on the dashboard",
            Offer::Sweep => "Sweep…",
            Offer::Sensitivity => "Plot sensitivity",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Offer::SliderOnDiagram => "Put a slider for this value below the block",
            Offer::SliderOnDashboard => "Put a slider for this value on the dashboard",
            Offer::Sweep => "Run the simulation for several values of it, in the Sweep panel",
            Offer::Sensitivity => "Plot the derivatives of the plotted signals by this value",
        }
    }

    /// Whether it needs a plain number, as what moves the number does.
    fn needs_number(self) -> bool {
        self != Offer::Sensitivity
    }
}

/// A choice in the menu of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowChoice {
    Reset,
    Offer(Offer),
}

/// The menu of a row.
#[derive(Clone, Copy)]
pub struct RowMenu<'a> {
    /// The name of the parameter or variable.
    pub name: &'a str,
    /// The effect of a reset, such as “Back to 1”; `None` where there is nothing to reset.
    pub reset: Option<&'a str>,
    pub offers: &'a [Offer],
    /// Whether the value is a plain number, without which most offers are disabled.
    pub is_number: bool,
}

impl RowMenu<'_> {
    /// Draws the button in the column of actions: the menu where there are offers, else the reset. It takes its room
    /// where it is not shown, too.
    pub fn button_ui(&self, ui: &mut Ui) -> Option<RowChoice> {
        if self.offers.is_empty() {
            return self.reset_ui(ui);
        }
        let button = widgets::icon_button_ui(ui, Icon::More, &format!("Actions for {}", self.name));
        let mut choice = None;
        Popup::menu(&button).show(|ui| choice = self.entries_ui(ui));
        choice
    }

    /// Opens the menu by a right-click on the label of the row.
    pub fn context_ui(&self, label: &Response) -> Option<RowChoice> {
        let mut choice = None;
        if self.reset.is_some() || !self.offers.is_empty() {
            label.context_menu(|ui| choice = self.entries_ui(ui));
        }
        choice
    }

    fn reset_ui(&self, ui: &mut Ui) -> Option<RowChoice> {
        let Some(about) = self.reset else {
            ui.allocate_exact_size(egui::vec2(28.0, 26.0), egui::Sense::hover());
            return None;
        };
        let button = widgets::icon_button_ui(ui, Icon::Reset, &format!("Reset {}", self.name));
        button.on_hover_text(about).clicked().then_some(RowChoice::Reset)
    }

    fn entries_ui(&self, ui: &mut Ui) -> Option<RowChoice> {
        ui.set_min_width(190.0);
        let mut choice = None;
        let about = self.reset.unwrap_or("It has its default value");
        let reset = ui.add_enabled(self.reset.is_some(), Button::new(format!("Reset {}", self.name)));
        if reset.on_hover_text(about).on_disabled_hover_text(about).clicked() {
            choice = Some(RowChoice::Reset);
        }
        if !self.offers.is_empty() {
            ui.separator();
        }
        for offer in self.offers {
            let is_enabled = self.is_number || !offer.needs_number();
            let button = ui.add_enabled(is_enabled, Button::new(offer.label()));
            let button = button.on_disabled_hover_text("For a plain number only; give an expression a variable");
            if button.on_hover_text(offer.about()).clicked() {
                choice = Some(RowChoice::Offer(*offer));
            }
        }
        if choice.is_some() {
            ui.close();
        }
        choice
    }
}
