//! Asks whether a simulation may be sent to a pool.

use std::path::PathBuf;

use eframe::egui;

use super::frame::{DialogResponse, buttons_ui, title_ui, window_ui};
use crate::app::store::files::file_name;
use crate::app::store::pools::PoolSetting;
use crate::app::ui::widgets;

/// A sweep that is started once its simulation may be sent.
pub struct SendSweep {
    /// The simulation's file, if it has one.
    pub path: Option<PathBuf>,
    pub pool: PoolSetting,
}

pub fn show_ui(ctx: &egui::Context, send: &SendSweep) -> DialogResponse {
    window_ui(ctx, "send", 480.0, |ui| {
        title_ui(ui, "The sweep is sent to a pool");
        let path = send.path.as_deref();
        let name = path.map_or_else(|| "This simulation".to_owned(), |path| format!("“{}”", file_name(path)));
        let (pool, servers) = (&send.pool.name, &send.pool.servers);
        ui.label(format!("{name} and the tables that its blocks read are sent to the pool “{pool}” at {servers}"));
        let lasts = match path {
            Some(_) => "This is remembered in your settings for this file and these servers, not in the file",
            None => "This holds until the simulation is saved or closed",
        };
        let tells = format!("Whoever may use the pool can read what is sent, and the results. {lasts}");
        ui.label(widgets::weak(ui, tells));
        buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, "Send and run").clicked() {
                return DialogResponse::AllowPool;
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                return DialogResponse::Closed;
            }
            DialogResponse::Open
        })
    })
}
