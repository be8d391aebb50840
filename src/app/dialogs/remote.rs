//! Asks where remote blocks run: before a simulation is sent to a pool for the first time, and when a pool cannot be used.

use std::path::PathBuf;

use eframe::egui;

use super::frame::{DialogResponse, buttons_ui, title_ui, window_ui};
use crate::app::store::files::file_name;
use crate::app::store::pools::PoolSetting;
use crate::app::store::run::StartMode;
use crate::app::ui::widgets::{self, sentence};

/// A run with blocks that name a pool.
pub struct RemoteQuestion {
    /// The simulation's file, if it has one.
    pub path: Option<PathBuf>,
    /// The name of the pool.
    pub pool: String,
    pub doubt: RemoteDoubt,
    /// The run that waits for the answer.
    pub begin: StartMode,
}

/// Why it is asked where remote blocks run.
pub enum RemoteDoubt {
    /// The settings have no such pool.
    Unknown,
    /// The pool cannot be used as it is set.
    Refused(String),
    /// The simulation was never sent to these servers.
    Send(PoolSetting),
    /// A run has no worker: what its error says.
    NoWorker(String),
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteChoice {
    /// All blocks run on this computer, this time.
    RunHere,
    /// The simulation may be sent to the pool.
    Send,
    /// The list of pools is opened.
    EditPools,
}

pub fn show_ui(ctx: &egui::Context, question: &RemoteQuestion) -> DialogResponse {
    window_ui(ctx, "remote", 480.0, |ui| {
        let RemoteQuestion { path, pool, doubt, .. } = question;
        let title = match doubt {
            RemoteDoubt::Send(_) => "Model blocks are sent to a pool",
            RemoteDoubt::NoWorker(_) => "No worker answers",
            RemoteDoubt::Unknown | RemoteDoubt::Refused(_) => "The pool cannot be used",
        };
        title_ui(ui, title);
        match doubt {
            RemoteDoubt::Unknown => {
                ui.label(format!("Model blocks are to run on the pool “{pool}”, which the settings do not have."));
            }
            RemoteDoubt::Refused(problem) => {
                ui.label(format!("Model blocks are to run on the pool “{pool}”. {}.", sentence(problem)));
            }
            RemoteDoubt::NoWorker(problem) => {
                ui.label(sentence(problem));
                let help = "Look whether workers of this version of the program run there";
                ui.label(widgets::weak(ui, help));
            }
            RemoteDoubt::Send(setting) => {
                let name = path.as_deref();
                let name = name.map_or_else(|| "This simulation".to_owned(), |path| format!("“{}”", file_name(path)));
                ui.label(format!("{name} is sent to the pool “{pool}” with the tables that its blocks read:"));
                ui.label(&setting.servers);
                let lasts = match path {
                    Some(_) => "This is remembered in your settings for this file and these servers, not in the file",
                    None => "This holds until the simulation is saved or closed",
                };
                let tells = format!("Whoever may use the pool can read what is sent, and the results. {lasts}");
                ui.label(widgets::weak(ui, tells));
            }
        }
        buttons_ui(ui, |ui| {
            let is_sent = matches!(doubt, RemoteDoubt::Send(_));
            if is_sent && widgets::main_button_ui(ui, "Send and run").clicked() {
                return DialogResponse::Remote(RemoteChoice::Send);
            }
            let here = match is_sent {
                true => widgets::second_button_ui(ui, "Run here"),
                false => widgets::main_button_ui(ui, "Run here"),
            };
            if here.clicked() {
                return DialogResponse::Remote(RemoteChoice::RunHere);
            }
            if !is_sent && widgets::second_button_ui(ui, "Pools…").clicked() {
                return DialogResponse::Remote(RemoteChoice::EditPools);
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                return DialogResponse::Closed;
            }
            DialogResponse::Open
        })
    })
}
