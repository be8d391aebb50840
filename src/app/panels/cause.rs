//! Why a run stopped: the chain of a non-finite value, from the block that reported it back to its origin.

use eframe::egui::{self, Color32, Rect, RichText, ScrollArea, Ui, pos2, vec2};

use crate::app::action::{Action, LabAction};
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::{TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, sentence, theme_of};
use crate::app::ui::{numbers, style};
use crate::engine::{Chain, ChainLink, FaultSite, LinkInput};
use crate::model::Simulation;

const ROW: f32 = 40.0;

/// Draws the links of the chain; a click goes to the block and its step.
pub fn show_ui(ui: &mut Ui, simulation: &Simulation, chain: &Chain) -> Vec<Action> {
    let mut actions = Vec::new();
    let theme = theme_of(ui.ctx());
    egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 8, top: 6, bottom: 0 }).show(ui, |ui| {
        ui.horizontal(|ui| {
            let title = match chain.links.first() {
                Some(link) => format!("Why the run stopped at step {}, {}", link.step, numbers::seconds(link.time)),
                None => "Why the run stopped".to_owned(),
            };
            ui.label(RichText::new(title).font(style::strong(TEXT_SMALL + 0.5)).color(theme.text));
            if widgets::icon_button_ui(ui, Icon::Close, "Dismiss why the run stopped").clicked() {
                actions.push(Action::Lab(LabAction::ForgetCause));
            }
        });
    });
    let height = (chain.links.len() as f32 * (ROW + 1.0)).min((ui.available_height() * 0.6).max(ROW)) + 4.0;
    ui.allocate_ui(vec2(ui.available_width(), height), |ui| {
        egui::Frame::new().inner_margin(egui::Margin { left: 6, right: 6, top: 0, bottom: 4 }).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            let area = ScrollArea::vertical().id_salt("cause").auto_shrink(false);
            area.show_rows(ui, ROW, chain.links.len(), |ui, rows| {
                for number in rows {
                    let Some(link) = chain.links.get(number) else { continue };
                    let is_cause = number + 1 == chain.links.len();
                    let sign = if is_cause { (Icon::Error, theme.error) } else { (Icon::Up, theme.text_weak) };
                    if row_ui(ui, simulation, link, sign) {
                        actions.push(Action::Lab(LabAction::ShowLink(number)));
                    }
                }
            });
        });
    });
    ui.separator();
    actions
}

fn row_ui(ui: &mut Ui, simulation: &Simulation, link: &ChainLink, sign: (Icon, Color32)) -> bool {
    let theme = theme_of(ui.ctx());
    let block = link.block.text(simulation);
    let message = format!("{} {}: {}", block, what(link), link.how);
    let inputs: Vec<String> = link.inputs.iter().map(LinkInput::text).collect();
    let below = match inputs.is_empty() {
        true => format!("step {}", link.step),
        false => format!("step {}, with {}", link.step, inputs.join("; ")),
    };
    let response = widgets::row_ui(ui, &message, ROW, |ui, rect| {
        let square = Rect::from_center_size(pos2(rect.left() + 16.0, rect.top() + 13.0), vec2(14.0, 14.0));
        sign.0.paint(ui.painter(), square, sign.1);
        let left = rect.left() + 32.0;
        let upper = Rect::from_min_max(pos2(left, rect.top() + 3.0), pos2(rect.right() - 6.0, rect.top() + 22.0));
        let lower = Rect::from_min_max(pos2(left, rect.top() + 20.0), pos2(rect.right() - 6.0, rect.bottom() - 2.0));
        widgets::text_in(ui, upper, &message, style::plain(TEXT), theme.text);
        widgets::text_in(ui, lower, &sentence(&below), style::plain(TEXT_SMALL), theme.text_weak);
    });
    let response = response.on_hover_text(format!("{message}\n{below}"));
    response.clicked() || (response.has_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)))
}

/// `“Output” became inf`.
fn what(link: &ChainLink) -> String {
    let element = link.element.map(|element| format!("[{element}]")).unwrap_or_default();
    let value = match link.value {
        f64::INFINITY => "infinite",
        f64::NEG_INFINITY => "minus infinity",
        _ => "not-a-number",
    };
    match &link.site {
        FaultSite::Output(name) => format!("“{name}{element}” became {value}"),
        FaultSite::State => format!("state{element} became {value}"),
        FaultSite::Nothing => "failed".to_owned(),
    }
}
