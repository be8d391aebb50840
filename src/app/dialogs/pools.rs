//! The pools of computers in the settings: added, changed, removed, tried.

use std::path::Path;

use eframe::egui::{self, Response, ScrollArea, TextEdit, Ui};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::store::pools::{PoolFile, PoolSetting, check_all};
use crate::app::ui::field;
use crate::app::ui::form::row_ui;
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets::{self, theme_of};

/// The pools as they are being edited.
pub struct PoolEditor {
    pub pools: Vec<PoolSetting>,
    /// The number of the pool whose form is open, if there is one.
    open: Option<usize>,
    pub trial: Trial,
    /// Why they cannot be saved.
    problem: Option<String>,
}

/// The result of the last test of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trial {
    #[default]
    None,
    /// It is going on for this pool.
    Running(PoolSetting),
    Good(String),
    Bad(String),
}

impl PoolEditor {
    /// Edits these pools. Without any, the form of a new one is open.
    pub fn new(mut pools: Vec<PoolSetting>) -> PoolEditor {
        let open = pools.is_empty().then_some(0);
        if open.is_some() {
            pools.push(first());
        }
        PoolEditor { pools, open, trial: Trial::None, problem: None }
    }

    /// Takes a file that was chosen for a pool, given by its number.
    pub fn choose(&mut self, pool: usize, file: PoolFile, path: &Path) {
        if let Some(pool) = self.pools.get_mut(pool) {
            *pool.file_mut(file) = path.display().to_string();
            self.trial = Trial::None;
        }
    }
}

/// A pool with a server on this computer.
fn first() -> PoolSetting {
    PoolSetting { servers: "nats://127.0.0.1:4222".to_owned(), ..PoolSetting::default() }
}

pub fn show_ui(ctx: &egui::Context, editor: &mut PoolEditor) -> DialogResponse {
    window_ui(ctx, "pools", 520.0, |ui| {
        title_ui(ui, "Pools");
        let about = "Sweeps and model blocks can be computed by workers on other computers, which meet at a NATS server. Names, \
                     addresses and paths are kept in your settings, never in a simulation.";
        ui.label(widgets::weak(ui, about));
        list_ui(ui, editor);
        let mut response = DialogResponse::Open;
        if let Some((number, pool)) = editor.open.and_then(|number| Some((number, editor.pools.get_mut(number)?))) {
            ui.separator();
            response = form_ui(ui, (number, pool), &mut editor.trial);
        }
        if let Some(problem) = &editor.problem {
            ui.colored_label(theme_of(ui.ctx()).error, problem);
        }
        buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, "Save pools").clicked() {
                match check_all(&editor.pools) {
                    Ok(()) => return DialogResponse::Pools(editor.pools.clone()),
                    Err((number, error)) => {
                        (editor.open, editor.problem) = (Some(number), Some(error.to_string()));
                    }
                }
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                return DialogResponse::Closed;
            }
            response
        })
    })
}

/// Draws the pools with their buttons.
fn list_ui(ui: &mut Ui, editor: &mut PoolEditor) {
    let mut removed = None;
    // A long list scrolls; the form below keeps its place.
    let height = (ROWS * (ui.spacing().interact_size.y + ui.spacing().item_spacing.y))
        .min(ui.ctx().content_rect().height() / 4.0);
    ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
        rows_ui(ui, editor, &mut removed);
    });
    if let Some(number) = removed {
        editor.pools.remove(number);
        (editor.open, editor.trial, editor.problem) = (None, Trial::None, None);
    }
    if ui.button("Add pool").clicked() {
        editor.pools.push(first());
        (editor.open, editor.trial, editor.problem) = (Some(editor.pools.len() - 1), Trial::None, None);
    }
}

/// The number of pools that are seen at a time.
const ROWS: f32 = 5.0;

fn rows_ui(ui: &mut Ui, editor: &mut PoolEditor, removed: &mut Option<usize>) {
    for (number, pool) in editor.pools.iter().enumerate() {
        let name = if pool.name.trim().is_empty() { "New pool" } else { pool.name.trim() };
        ui.horizontal(|ui| {
            let is_open = editor.open == Some(number);
            if ui.selectable_label(is_open, name).on_hover_text(format!("Edit {name}")).clicked() && !is_open {
                (editor.open, editor.trial, editor.problem) = (Some(number), Trial::None, None);
            }
            let width = (ui.available_width() - 36.0).max(20.0);
            let (rect, _) =
                ui.allocate_exact_size(egui::vec2(width, ui.spacing().interact_size.y), egui::Sense::hover());
            let font = crate::app::ui::style::plain(crate::app::ui::theme::TEXT_SMALL);
            widgets::text_in(ui, rect, &pool.servers, font, theme_of(ui.ctx()).text_weak);
            if widgets::icon_button_ui(ui, Icon::Close, &format!("Remove {name}")).clicked() {
                *removed = Some(number);
            }
        });
    }
}

/// Draws the form of a pool; returns a request for a file or for a test of the connection.
fn form_ui(ui: &mut Ui, (number, pool): (usize, &mut PoolSetting), trial: &mut Trial) -> DialogResponse {
    let before = pool.clone();
    let mut wanted = None;
    text_ui(ui, "Name", "lab", "As the Sweep panel shows it", &mut pool.name);
    let hint = "Addresses of NATS servers, separated by commas; tls:// for an encrypted connection";
    text_ui(ui, "Servers", "nats://HOST:4222", hint, &mut pool.servers);
    let mut file_ui = |ui: &mut Ui, (label, hint, tooltip): (&str, &str, &str), file: PoolFile| {
        if path_ui(ui, label, hint, tooltip, pool.file_mut(file)) {
            wanted = Some(file);
        }
    };
    file_ui(ui, ("Credentials", "none", "A file with a token and a key, as nsc writes it"), PoolFile::Credentials);
    file_ui(ui, ("Key", "none", "A file with the seed of a key, as nk writes it"), PoolFile::Key);
    let has_tls = [&before.tls_ca, &before.tls_cert, &before.tls_key].iter().any(|text| !text.is_empty());
    widgets::collapsing("TLS certificates").default_open(has_tls).show_unindented(ui, |ui| {
        let hint = "A file with certificates of authorities that the servers may have, besides those of the system";
        file_ui(ui, ("Authority", "those of the system", hint), PoolFile::Authority);
        file_ui(ui, ("Certificate", "none", "A file with a certificate of this computer"), PoolFile::Certificate);
        file_ui(ui, ("Its key", "none", "A file with the key of that certificate"), PoolFile::CertificateKey);
    });
    let anonymous = widgets::check_ui(ui, &mut pool.is_anonymous, "Allow without credentials: the network is trusted");
    anonymous.on_hover_text("Everybody who reaches the server could read and change sweeps");
    if *pool != before {
        *trial = Trial::None;
    }
    let mut response = wanted.map_or(DialogResponse::Open, |file| DialogResponse::PoolFile(number, file));
    ui.horizontal(|ui| {
        let is_running = matches!(trial, Trial::Running(_));
        if ui.add_enabled(!is_running, egui::Button::new("Test connection")).clicked() {
            response = DialogResponse::TryPool(Box::new(pool.clone()));
        }
        if is_running {
            ui.add(egui::Spinner::new().size(14.0));
            ui.label(widgets::weak(ui, "Connecting…"));
        }
    });
    let theme = theme_of(ui.ctx());
    match trial {
        Trial::Good(text) => drop(ui.label(text.as_str())),
        Trial::Bad(text) => drop(ui.colored_label(theme.error, text.as_str())),
        Trial::None | Trial::Running(_) => {}
    }
    ui.add_space(SPACE);
    response
}

/// Draws the field of a path; returns whether its button was clicked.
fn path_ui(ui: &mut Ui, label: &str, hint: &str, tooltip: &str, text: &mut String) -> bool {
    row_ui(ui, label, tooltip, |ui| {
        let width = ui.available_width() - BROWSE - 3.0 * SPACE;
        let response = ui.add(TextEdit::singleline(text).hint_text(hint).desired_width(width)).on_hover_text(tooltip);
        field::name(&response, label);
        let browse = ui.add(egui::Button::new("Browse…").min_size(egui::vec2(BROWSE, 0.0)));
        let name = format!("Browse for {}", label.to_lowercase());
        ui.ctx().accesskit_node_builder(browse.id, |node| node.set_label(name));
        browse.clicked()
    })
}

/// The width of the button that asks for a file.
const BROWSE: f32 = 74.0;

fn text_ui(ui: &mut Ui, label: &str, hint: &str, tooltip: &str, text: &mut String) {
    row_ui(ui, label, tooltip, |ui| {
        let edit = TextEdit::singleline(text).hint_text(hint).desired_width(ui.available_width() - 2.0 * SPACE);
        let response: Response = ui.add(edit).on_hover_text(tooltip);
        field::name(&response, label);
    });
}
