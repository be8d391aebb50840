//! The field of a model's icon, which all instances show.

use std::sync::Arc;

use eframe::egui::{Grid, Popup, PopupCloseBehavior, ScrollArea, Sense, Ui, WidgetInfo, vec2};

use crate::app::action::Action;
use crate::app::canvas::scene::VIEW_ICON;
use crate::app::ui::field::{EditedField, Field};
use crate::app::ui::icons::Icon;
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{form, picture};
use crate::block::{BlockDef, Face, Registry};
use crate::model::{Change, Edit, Model};

/// The number of icons in a row of the list.
const COLUMNS: usize = 6;

pub fn show_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    registry: &Registry,
    model: &Arc<Model>,
    actions: &mut Vec<Action>,
) {
    let current = model.attributes.get(VIEW_ICON).unwrap_or_default();
    let about = "The icon on each instance of the model: a text, a picture from the list, or SVG path data";
    let mut chosen = None;
    let typed = form::row_ui(ui, "Icon", about, |ui| {
        let width = form::text_width(ui);
        let typed = Field::new("Icon", current).hint("a small diagram").width(width).text_ui(ui, editing, &|_| None);
        form::end_ui(ui, "", |ui| {
            let button = widgets::icon_button_ui(ui, Icon::Block, "Choose a picture").on_hover_text("Choose a picture");
            let popup = Popup::menu(&button).close_behavior(PopupCloseBehavior::CloseOnClick);
            popup.show(|ui| chosen = list_ui(ui, registry));
        });
        typed
    });
    if let Some(text) = chosen.or(typed) {
        let value = Some(text.trim()).filter(|text| !text.is_empty()).map(Arc::from);
        let edit = Edit::SetModelAttribute { model: Arc::clone(&model.name), name: VIEW_ICON.into(), value };
        actions.push(Action::Apply(Change::one(format!("Set the icon of {}", model.name), edit)));
    }
}

/// Draws the icons of the library, each once; returns the name of the clicked one.
fn list_ui(ui: &mut Ui, registry: &Registry) -> Option<String> {
    let mut chosen = None;
    let mut seen: Vec<&[&[(f32, f32)]]> = Vec::new();
    let pictures = registry.iter().filter(|def| match def.look.face {
        Face::Strokes(strokes) if !seen.contains(&strokes) => {
            seen.push(strokes);
            true
        }
        _ => false,
    });
    ScrollArea::vertical().max_height(260.0).show(ui, |ui| {
        Grid::new("pictures").spacing(vec2(4.0, 4.0)).show(ui, |ui| {
            for (number, def) in pictures.enumerate() {
                if picture_ui(ui, def) {
                    chosen = Some(format!("{}/{}", def.group, def.name));
                }
                if (number + 1) % COLUMNS == 0 {
                    ui.end_row();
                }
            }
        });
    });
    chosen
}

fn picture_ui(ui: &mut Ui, def: &'static BlockDef) -> bool {
    let (rect, response) = ui.allocate_exact_size(vec2(40.0, 34.0), Sense::click());
    let theme = theme_of(ui.ctx());
    if response.hovered() || response.has_focus() {
        ui.painter().rect_filled(rect, 4.0, theme.raised);
    }
    picture::paint_def(ui.painter(), rect.shrink(5.0), def, theme);
    response
        .widget_info(|| WidgetInfo::labeled(eframe::egui::Role::Button, true, format!("Picture of {}", def.title())));
    response.on_hover_text(def.title()).clicked()
}
