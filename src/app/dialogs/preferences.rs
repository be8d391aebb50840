//! The preferences: all that a user sets once, on one page. Each takes effect when it is chosen.

use eframe::egui::{self, RichText, ScrollArea, Ui};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::action::command::{Command, HelpCommand};
use crate::app::doc::typed;
use crate::app::store::preferences::{Preferences, TableStyle};
use crate::app::store::settings::Settings;
use crate::app::ui::field::{EditedField, Field};
use crate::app::ui::form::{self, row_ui};
use crate::app::ui::look::{AngleUnit, NameFace};
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::theme::ThemeChoice;
use crate::app::ui::widgets;

/// The text sizes of the list, in percent.
const SIZES: [u32; 9] = [80, 90, 100, 110, 125, 150, 175, 200, 250];

/// The settings that the page shows.
#[derive(Clone, Debug, PartialEq)]
pub struct PreferenceValues {
    pub theme: ThemeChoice,
    /// 1.0 is the platform's.
    pub text_size: f32,
    /// Of all runs, in megabytes.
    pub runs_megabytes: u64,
    /// Of the rewind buffer, in megabytes.
    pub past_megabytes: u64,
    pub stops_at_non_finite: bool,
    pub takes_edits: bool,
    pub own: Preferences,
}

impl PreferenceValues {
    pub fn of(settings: &Settings) -> PreferenceValues {
        PreferenceValues {
            theme: settings.theme,
            text_size: settings.text_size,
            runs_megabytes: settings.runs_megabytes,
            past_megabytes: settings.past_megabytes,
            stops_at_non_finite: settings.stops_at_non_finite,
            takes_edits: settings.takes_edits,
            own: settings.preferences.clone(),
        }
    }
}

/// The page.
pub struct PreferencesPage {
    values: PreferenceValues,
    editing: EditedField,
}

impl PreferencesPage {
    pub fn new(settings: &Settings) -> PreferencesPage {
        PreferencesPage { values: PreferenceValues::of(settings), editing: EditedField::default() }
    }
}

pub fn show_ui(ctx: &egui::Context, page: &mut PreferencesPage) -> DialogResponse {
    window_ui(ctx, "preferences", 520.0, |ui| {
        title_ui(ui, "Preferences");
        let before = page.values.clone();
        let height = (ctx.content_rect().height() - 200.0).clamp(160.0, 540.0);
        // Constant height, as the size of a modal window follows its content late.
        let area = ScrollArea::vertical().max_height(height).min_scrolled_height(height).auto_shrink(false);
        area.show(ui, |ui| {
            ui.set_max_width(ui.available_width() - 12.0);
            form::columns_ui(ui, &["MB".to_owned(), "s".to_owned()], |ui| {
                appearance_ui(ui, &mut page.values);
                numbers_ui(ui, &mut page.values.own);
                runs_ui(ui, page);
                copies_ui(ui, page);
                programs_ui(ui, &mut page.values.own);
            });
        });
        let answer = buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, "Close").clicked() {
                return DialogResponse::Closed;
            }
            if widgets::second_button_ui(ui, "Keyboard shortcuts…").clicked() {
                return DialogResponse::Command(Command::Help(HelpCommand::Shortcuts));
            }
            let defaults = PreferenceValues::of(&Settings::default());
            let is_changed = page.values != defaults;
            if ui.add_enabled(is_changed, egui::Button::new("Restore defaults")).clicked() {
                page.values = defaults;
                page.editing.forget();
            }
            DialogResponse::Open
        });
        match page.values != before {
            true => DialogResponse::Preferences(Box::new(page.values.clone())),
            false => answer,
        }
    })
}

fn appearance_ui(ui: &mut Ui, values: &mut PreferenceValues) {
    widgets::section_ui(ui, "Appearance");
    let themes = ThemeChoice::all().into_iter().map(|theme| {
        let title = match theme {
            ThemeChoice::Light => "Light",
            ThemeChoice::Dark => "Dark",
            ThemeChoice::System => "As set on the desktop",
        };
        (theme, title.to_owned())
    });
    choice_ui(ui, "Theme", "The colours of the window", &mut values.theme, themes);
    let mut percent = (values.text_size * 100.0).round() as u32;
    let mut sizes: Vec<u32> = SIZES.into_iter().chain([percent]).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let sizes = sizes.into_iter().map(|size| (size, format!("{size} %")));
    if choice_ui(ui, "Text size", "The size of the whole interface", &mut percent, sizes) {
        values.text_size = percent as f32 / 100.0;
    }
    let faces = NameFace::all().into_iter().map(|face| (face, face.title().to_owned()));
    let about = "The typeface of the names of variables, of values and expressions";
    choice_ui(ui, "Names and values", about, &mut values.own.names, faces);
}

fn numbers_ui(ui: &mut Ui, own: &mut Preferences) {
    widgets::section_ui(ui, "Numbers");
    let units = AngleUnit::all().into_iter().map(|unit| (unit, unit.title().to_owned()));
    choice_ui(ui, "Angles", "How the inspector shows values in radians", &mut own.angle, units);
    let styles = TableStyle::all().into_iter().map(|style| (style, style.title().to_owned()));
    let about = "The separator and the decimal mark of exported .csv files";
    choice_ui(ui, "Tables (.csv)", about, &mut own.table, styles);
    let text = "The window and all other files write numbers in every language alike: 1234.5, 1.5e-6";
    form::note_ui(ui, text);
}

fn runs_ui(ui: &mut Ui, page: &mut PreferencesPage) {
    widgets::section_ui(ui, "Runs");
    let PreferencesPage { values, editing } = page;
    let about = "The samples of all runs together; the oldest runs go first";
    whole_ui(ui, editing, ("Recorded runs", about, "MB"), &mut values.runs_megabytes, (16, 1 << 20));
    let about = "The states from which a run can be rewound";
    whole_ui(ui, editing, ("Rewind buffer", about, "MB"), &mut values.past_megabytes, (0, 1 << 20));
    row_ui(ui, "NaN or infinity", "", |ui| widgets::check_ui(ui, &mut values.stops_at_non_finite, "Pause the run"));
    let text = "Apply edits to the running model";
    row_ui(ui, "Edits", "", |ui| widgets::check_ui(ui, &mut values.takes_edits, text));
}

fn copies_ui(ui: &mut Ui, page: &mut PreferencesPage) {
    widgets::section_ui(ui, "Recovery copies");
    let about =
        "The delay between an edit and the copy that is offered after a crash; the file itself is only saved by you";
    let limits = (1, Preferences::LONGEST_DELAY);
    let PreferencesPage { values, editing } = page;
    whole_ui(ui, editing, ("Copy after", about, "s"), &mut values.own.copy_seconds, limits);
}

fn programs_ui(ui: &mut Ui, own: &mut Preferences) {
    widgets::section_ui(ui, "Other programs");
    let text = "Let programs drive this window";
    row_ui(ui, "Driving", "", |ui| widgets::check_ui(ui, &mut own.is_driven, text));
    let text = "Programs and assistants of yours can then read and change the shown simulation, each change one undo \
                away: simulate mcp --attach. They get no other file, and a password of this session protects the way in";
    form::note_ui(ui, text);
}

/// Draws a list of choices; returns whether another one was chosen.
fn choice_ui<T: PartialEq + Copy>(
    ui: &mut Ui,
    label: &str,
    about: &str,
    value: &mut T,
    choices: impl Iterator<Item = (T, String)>,
) -> bool {
    let choices: Vec<(T, String)> = choices.collect();
    let before = *value;
    let shown = choices.iter().find(|(known, _)| known == value).map_or("", |(_, title)| title).to_owned();
    row_ui(ui, label, about, |ui| {
        widgets::choice_ui(ui, label, &shown, form::text_width(ui), |ui| {
            for (choice, title) in &choices {
                ui.selectable_value(value, *choice, RichText::new(title));
            }
        });
    });
    *value != before
}

/// Draws a field for a whole number within limits.
fn whole_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    (label, about, unit): (&str, &str, &str),
    value: &mut u64,
    (low, high): (u64, u64),
) {
    let read = |text: &str| typed::whole(text).filter(|value| (low..=high).contains(value));
    let problem = |text: &str| match read(text) {
        Some(_) => None,
        None => Some(format!("A whole number from {low} to {high}")),
    };
    let typed = row_ui(ui, label, about, |ui| {
        let shown = value.to_string();
        let typed =
            Field::new(label, &shown).width(form::value_width(ui)).number(Wanted::Whole).text_ui(ui, editing, &problem);
        form::end_ui(ui, unit, |_| {});
        typed
    });
    if let Some(number) = typed.and_then(|text| read(&text)) {
        *value = number;
    }
}
