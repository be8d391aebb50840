//! Asks whether a run may use files outside the simulation's folder.

use std::path::PathBuf;

use eframe::egui::{self, ScrollArea};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::store::files::file_name;
use crate::app::store::run::StartMode;
use crate::app::ui::widgets;
use crate::block::FileAccess;
use crate::format::Outside;
use crate::worker::RefusedFmu;

/// The files for which a run was refused.
pub struct OutsideFiles {
    /// The simulation's file, if it has one.
    pub path: Option<PathBuf>,
    pub files: Vec<Outside>,
    /// The FMUs whose code has not run here before.
    pub fmus: Vec<RefusedFmu>,
    pub refused: Refused,
}

/// The action that was refused, and is started once the files are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    Run(StartMode),
    Sweep,
}

pub fn show_ui(ctx: &egui::Context, outside: &OutsideFiles) -> DialogResponse {
    if outside.files.is_empty() {
        return code_ui(ctx, &outside.fmus);
    }
    window_ui(ctx, "outside", 480.0, |ui| {
        title_ui(ui, "The run uses files outside its folder");
        let name = outside
            .path
            .as_deref()
            .map_or_else(|| "This simulation".to_owned(), |path| format!("“{}”", file_name(path)));
        ui.label(format!("{name} is not allowed yet to:"));
        ScrollArea::vertical().max_height(200.0).show(ui, |ui| {
            for file in &outside.files {
                let doing = if file.access == FileAccess::Write { "write" } else { "read" };
                ui.label(format!("{doing} {}", file.file.display()));
            }
            for fmu in &outside.fmus {
                ui.label(format!("run the code in {}", fmu.file.display()));
            }
        });
        let folders: std::collections::BTreeSet<_> = outside.files.iter().map(|file| &file.folder).collect();
        let (button, what) = match folders.len() {
            1 => ("Allow this folder for this file", "all files in this folder"),
            _ => ("Allow these folders for this file", "all files in these folders"),
        };
        let lasts = match outside.path {
            Some(_) => "This is remembered in your settings, not in the file",
            None => "This holds until the simulation is saved or closed",
        };
        let tells = format!(
            "Allow only files that you trust: the simulation can then access {what} and its subfolders. {lasts}"
        );
        ui.label(widgets::weak(ui, tells));
        buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, button).clicked() {
                return DialogResponse::AllowOutside;
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                return DialogResponse::Closed;
            }
            DialogResponse::Open
        })
    })
}

/// Asks whether the code of FMUs may run.
fn code_ui(ctx: &egui::Context, fmus: &[RefusedFmu]) -> DialogResponse {
    window_ui(ctx, "code", 480.0, |ui| {
        title_ui(ui, "The run uses code from a file");
        ui.label("These FMUs hold code that has not run here before:");
        ScrollArea::vertical().max_height(200.0).show(ui, |ui| {
            for RefusedFmu { file, name, tool, is_source_only, .. } in fmus {
                let by = if tool.is_empty() { String::new() } else { format!(", made by {tool}") };
                let first = if *is_source_only { "; its sources are compiled here first" } else { "" };
                ui.label(format!("{name}{by}{first}"));
                ui.label(widgets::weak(ui, file.display().to_string()));
            }
        });
        let tells = "Allow only files that you trust: the code runs in a process of its own, which it can crash alone, but it \
                     can read and change your files. This is remembered in your settings for exactly these files";
        ui.label(widgets::weak(ui, tells));
        buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, "Allow and run").clicked() {
                return DialogResponse::AllowOutside;
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                return DialogResponse::Closed;
            }
            DialogResponse::Open
        })
    })
}
