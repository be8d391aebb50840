//! Offers the recovery copies after a crash.

use std::path::Path;
use std::time::SystemTime;

use chrono::{DateTime, Local};
use eframe::egui::{self, RichText, ScrollArea};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::store::files::file_name;
use crate::app::store::recovery::Left;
use crate::app::ui::theme::TEXT;
use crate::app::ui::{numbers, style, widgets};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecoverDialog {
    /// The user chose to remove all copies and is asked to confirm.
    discards_all: bool,
}

pub fn show_ui(ctx: &egui::Context, left: &[Left], state: &mut RecoverDialog) -> DialogResponse {
    window_ui(ctx, "recover", 540.0, |ui| {
        if state.discards_all {
            title_ui(ui, "Discard all copies?");
            ui.label("Unsaved changes will be lost");
            return buttons_ui(ui, |ui| {
                if widgets::main_button_ui(ui, "Back").clicked() {
                    state.discards_all = false;
                }
                if widgets::second_button_ui(ui, "Discard all copies").clicked() {
                    return DialogResponse::ForgetAll;
                }
                DialogResponse::Open
            });
        }
        title_ui(ui, "Recover unsaved work?");
        ui.label(match left.len() {
            1 => "The program ended without saving. A copy was kept:",
            _ => "The program ended without saving. Copies were kept:",
        });
        let mut answer = DialogResponse::Open;
        ScrollArea::vertical().id_salt("copies").max_height(320.0).auto_shrink([false, true]).show(ui, |ui| {
            for (number, left) in left.iter().enumerate() {
                ui.push_id(number, |ui| {
                    if let Some(given) = copy_ui(ui, number, left) {
                        answer = given;
                    }
                });
            }
        });
        buttons_ui(ui, |ui| {
            if widgets::second_button_ui(ui, "Later").clicked() {
                answer = DialogResponse::Closed;
            }
            if left.len() > 1 && widgets::second_button_ui(ui, "Discard all…").clicked() {
                state.discards_all = true;
            }
        });
        answer
    })
}

fn copy_ui(ui: &mut egui::Ui, number: usize, left: &Left) -> Option<DialogResponse> {
    let mut answer = None;
    ui.horizontal(|ui| {
        ui.vertical(|ui| {
            let name = left.path.as_deref().map_or_else(|| "Untitled".to_owned(), file_name);
            ui.label(RichText::new(&name).font(style::strong(TEXT)));
            let time = left.written.map(|written| time_text(written, SystemTime::now()));
            let size = format!("{} bytes", numbers::grouped(left.size));
            ui.label(widgets::weak(
                ui,
                [time.as_deref(), Some(&*size)].into_iter().flatten().collect::<Vec<_>>().join(" · "),
            ));
            if let Some(folder) = left.path.as_deref().and_then(Path::parent) {
                ui.add(egui::Label::new(widgets::weak(ui, folder.display().to_string())).truncate());
            }
        });
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if left.has_crashed {
                if widgets::second_button_ui(ui, "Show in folder").clicked() {
                    answer = Some(DialogResponse::ShowFolder(left.copy.clone()));
                }
                if widgets::second_button_ui(ui, "Open anyway").clicked() {
                    answer = Some(DialogResponse::Recover(number));
                }
            } else if widgets::main_button_ui(ui, "Recover").clicked() {
                answer = Some(DialogResponse::Recover(number));
            }
            if widgets::second_button_ui(ui, "Discard").clicked() {
                answer = Some(DialogResponse::Forget(number));
            }
        });
    });
    if left.has_crashed {
        let theme = widgets::theme_of(ui.ctx());
        ui.label(RichText::new("The program crashed when this copy was last opened").color(theme.warning));
        ui.add(egui::Label::new(widgets::weak(ui, left.copy.display().to_string())).truncate());
    }
    answer
}

/// Formats a time as `today 14:32 (12 min ago)`, in local time.
fn time_text(at: SystemTime, now: SystemTime) -> String {
    let (local, today): (DateTime<Local>, DateTime<Local>) = (at.into(), now.into());
    let days = today.date_naive().signed_duration_since(local.date_naive()).num_days();
    let day = match days {
        0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        _ => local.format("%Y-%m-%d").to_string(),
    };
    let minutes = now.duration_since(at).unwrap_or_default().as_secs() / 60;
    let ago = match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..2880 => format!("{} h ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1440),
    };
    format!("{day} {} ({ago})", local.format("%H:%M"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone as _;

    #[test]
    fn the_time_of_a_copy_says_the_day_and_how_long_ago() {
        let at = |day, hour, minute| -> SystemTime {
            Local.with_ymd_and_hms(2024, 3, day, hour, minute, 0).single().expect("a time").into()
        };
        let now = at(15, 14, 40);
        assert_eq!(time_text(at(15, 14, 40), now), "today 14:40 (just now)");
        assert_eq!(time_text(at(15, 14, 28), now), "today 14:28 (12 min ago)");
        assert_eq!(time_text(at(14, 23, 40), now), "yesterday 23:40 (15 h ago)");
        assert_eq!(time_text(at(1, 9, 5), now), "2024-03-01 09:05 (14 days ago)");
        // The clock was set back.
        assert_eq!(time_text(at(15, 14, 50), now), "today 14:50 (just now)");
    }
}
