//! The libraries in the program and their licences.

use eframe::egui::{self, Label, RichText, ScrollArea, vec2};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::store::licences::{LicensedPackage, licences};
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};

/// The state of the list: the search, and the chosen entry.
#[derive(Default)]
pub struct LicenceList {
    search: String,
    has_focus: bool,
    chosen: Option<usize>,
}

const HEIGHT: f32 = 400.0;
const LIST: f32 = 230.0;
const ROW: f32 = 24.0;

pub fn show_ui(ctx: &egui::Context, list: &mut LicenceList) -> DialogResponse {
    window_ui(ctx, "licences", 780.0, |ui| {
        let all = licences();
        title_ui(ui, "Licences");
        let about = format!("Simulate is built from {} libraries, whose authors we thank", all.packages.len());
        ui.label(widgets::weak(ui, about));
        ui.horizontal_top(|ui| {
            ui.allocate_ui(vec2(LIST, HEIGHT), |ui| {
                ui.vertical(|ui| list_ui(ui, list, &all.packages));
            });
            ui.vertical(|ui| {
                ui.set_height(HEIGHT);
                match list.chosen.and_then(|number| all.packages.get(number)) {
                    Some(package) => package_ui(ui, package, &all.texts),
                    None => {
                        ui.label(widgets::weak(ui, "Choose a library to read its licence"));
                    }
                }
            });
        });
        buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, "Close").clicked() { DialogResponse::Closed } else { DialogResponse::Open }
        })
    })
}

fn list_ui(ui: &mut egui::Ui, list: &mut LicenceList, packages: &[LicensedPackage]) {
    let field = widgets::search_ui(ui, &mut list.search, "Search libraries");
    if !std::mem::replace(&mut list.has_focus, true) {
        field.request_focus();
    }
    let query = list.search.trim().to_lowercase();
    let is_found = |package: &LicensedPackage| {
        query.is_empty() || package.name.contains(&query) || package.licence.to_lowercase().contains(&query)
    };
    let found: Vec<usize> =
        packages.iter().enumerate().filter(|(_, package)| is_found(package)).map(|(number, _)| number).collect();
    if found.is_empty() {
        ui.label(widgets::weak(ui, format!("No library matches “{}”", list.search.trim())));
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let theme = theme_of(ui.ctx());
    ScrollArea::vertical().id_salt("list").auto_shrink(false).show_rows(ui, ROW, found.len(), |ui, rows| {
        for number in found.get(rows).unwrap_or_default() {
            let package = &packages[*number];
            let label = format!("{} {}", package.name, package.version);
            let row = widgets::row_ui(ui, &label, ROW, |ui, rect| {
                let is_chosen = list.chosen == Some(*number);
                let color = if is_chosen { theme.accent } else { theme.text };
                widgets::text_in(ui, rect.shrink2(vec2(6.0, 0.0)), &label, style::plain(TEXT), color);
            });
            if row.clicked() {
                list.chosen = Some(*number);
            }
        }
    });
}

fn package_ui(ui: &mut egui::Ui, package: &LicensedPackage, texts: &[String]) {
    ui.label(RichText::new(format!("{} {}", package.name, package.version)).font(style::strong(TEXT + 2.0)));
    ui.label(&package.licence);
    if !package.repository.is_empty() {
        ui.hyperlink(&package.repository);
    }
    ui.add_space(SPACE);
    egui::Frame::new().fill(ui.visuals().extreme_bg_color).inner_margin(8).corner_radius(6).show(ui, |ui| {
        ScrollArea::vertical().id_salt(&package.name).auto_shrink(false).show(ui, |ui| {
            for text in package.texts.iter().filter_map(|number| texts.get(*number)) {
                ui.add(Label::new(RichText::new(text).size(TEXT_SMALL)).selectable(true));
                ui.add_space(3.0 * SPACE);
            }
            if package.texts.is_empty() {
                ui.label(widgets::weak(ui, "The library has no text of its own: the licence is known by its name"));
            }
        });
    });
}
