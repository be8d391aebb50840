//! Asks where a run or a sweep is computed: before a simulation is sent to a pool for the first time, and when a pool that a
//! model block names cannot be used.

use std::path::{Path, PathBuf};

use eframe::egui;

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::store::files::file_name;
use crate::app::store::pools::PoolSetting;
use crate::app::store::run::StartMode;
use crate::app::ui::widgets::{self, sentence};

/// A run or a sweep that waits for an answer.
pub struct RemoteQuestion {
    /// The simulation's file, if it has one.
    pub path: Option<PathBuf>,
    pub doubt: RemoteDoubt,
    pub start: RemoteStart,
}

/// Why it is asked.
pub enum RemoteDoubt {
    /// The settings have no pool of this name.
    Unknown(String),
    /// The pool of this name cannot be used as it is set: why.
    Refused(String, String),
    /// The simulation was never sent to these servers.
    Send(PoolSetting),
}

/// The action that is started after the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteStart {
    /// A run with model blocks that name the pool.
    Run(StartMode),
    /// A sweep on the pool.
    Sweep,
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
        let RemoteQuestion { path, doubt, start } = question;
        let title = match (doubt, start) {
            (RemoteDoubt::Send(_), RemoteStart::Run(_)) => "Subsystems are sent to a pool",
            (RemoteDoubt::Send(_), RemoteStart::Sweep) => "The sweep is sent to a pool",
            (RemoteDoubt::Unknown(_) | RemoteDoubt::Refused(..), _) => "The pool cannot be used",
        };
        title_ui(ui, title);
        match doubt {
            RemoteDoubt::Unknown(pool) => {
                ui.label(format!("Subsystems are to run on the pool “{pool}”, which the settings do not have."));
            }
            RemoteDoubt::Refused(pool, problem) => {
                ui.label(format!("Subsystems are to run on the pool “{pool}”. {}.", sentence(problem)));
            }
            RemoteDoubt::Send(pool) => send_ui(ui, path.as_deref(), pool),
        }
        buttons_ui(ui, |ui| {
            let is_sent = matches!(doubt, RemoteDoubt::Send(_));
            if is_sent && widgets::main_button_ui(ui, "Send and run").clicked() {
                return DialogResponse::Remote(RemoteChoice::Send);
            }
            let is_run = matches!(start, RemoteStart::Run(_));
            let here = |ui: &mut egui::Ui| match is_sent {
                true => widgets::second_button_ui(ui, "Run here"),
                false => widgets::main_button_ui(ui, "Run here"),
            };
            if is_run && here(ui).clicked() {
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

/// Says what is sent where, and how long the answer holds.
fn send_ui(ui: &mut egui::Ui, path: Option<&Path>, pool: &PoolSetting) {
    let file = path.map_or_else(|| "This simulation".to_owned(), |path| format!("“{}”", file_name(path)));
    let PoolSetting { name, servers, .. } = pool;
    ui.label(format!("{file} and the tables that its blocks read are sent to the pool “{name}” at {servers}"));
    let lasts = match path {
        Some(_) => "This is remembered in your settings for this file and these servers, not in the file",
        None => "This holds until the simulation is saved or closed",
    };
    let tells = format!("Whoever may use the pool can read what is sent, and the results. {lasts}");
    ui.label(widgets::weak(ui, tells));
}
