//! Where the runs of a sweep are computed: on this computer, or on a pool with its workers and sweeps.

use eframe::egui::{self, Ui};

use super::design_choice::choice_width;
use super::{SweepState, SweepView};
use crate::app::action::{Action, LabAction, PoolAction};
use crate::app::store::lab::{Ensemble, PoolProgress};
use crate::app::store::pools::PoolSeen;
use crate::app::ui::form;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets::{self, theme_of};
use crate::pool::message::{SweepEntry, WorkerGreeting};

/// Where the runs of a sweep are computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SweepLocation {
    #[default]
    Here,
    /// On the pool of this name.
    Pool(String),
}

/// The pools that the panel shows.
pub struct PoolsView<'a> {
    /// The names of the pools in the settings.
    pub names: Vec<&'a str>,
    /// The observed state of the chosen pool.
    pub seen: Option<&'a PoolSeen>,
}

/// The state of the panel that concerns pools.
#[derive(Default)]
pub(super) struct PoolsState {
    /// The sweep whose cancelling is to be confirmed.
    cancelling: Option<String>,
}

/// The maximum number of workers to list.
const MAX_WORKERS: usize = 100;

/// Draws the choice of the location.
pub(super) fn choice_ui(ui: &mut Ui, state: &mut SweepState, view: &SweepView, actions: &mut Vec<Action>) {
    let Some(pools) = &view.pools else { return };
    let is_free = view.ensemble.is_none_or(|ensemble| !ensemble.is_going_on);
    let shown = match &state.location {
        SweepLocation::Here => "This computer".to_owned(),
        SweepLocation::Pool(name) => name.clone(),
    };
    ui.add_enabled_ui(is_free, |ui| {
        form::row_ui(ui, "Compute on", "This computer, or a pool of workers on others", |ui| {
            widgets::choice_ui(ui, "Compute on", &shown, choice_width(ui), |ui| {
                ui.selectable_value(&mut state.location, SweepLocation::Here, "This computer");
                for name in &pools.names {
                    ui.selectable_value(&mut state.location, SweepLocation::Pool((*name).to_owned()), *name);
                }
                ui.separator();
                let edit = ui.selectable_label(false, "Pools…");
                if edit.on_hover_text("Add, change and remove pools of workers").clicked() {
                    actions.push(act(PoolAction::Edit));
                }
            });
        });
    });
    ui.add_space(SPACE);
}

fn act(action: PoolAction) -> Action {
    Action::Lab(LabAction::Pool(action))
}

/// Draws the progress of a sweep on a pool below its bar.
pub(super) fn going_on_ui(ui: &mut Ui, ensemble: &Ensemble, pool: &PoolProgress, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let left = pool.left(ensemble.done(), ensemble.count).map(|left| duration(left.as_secs()));
    let left = left.map_or_else(String::new, |left| format!(", about {left} left"));
    let text = match &*pool.sweep {
        "" => format!("Connecting to {}", pool.pool),
        sweep => format!("{} on {}, sweep {sweep}{left}", pool.file, pool.pool),
    };
    ui.label(widgets::weak(ui, text));
    if let Some(note) = &pool.note {
        ui.colored_label(theme.warning, note);
    }
    ui.horizontal(|ui| {
        let leave = ui.button("Leave running");
        if leave.on_hover_text("The pool goes on without this window; attach to the sweep again in the list").clicked()
        {
            actions.push(act(PoolAction::Leave));
        }
        let cancel = ui.button("Cancel");
        if cancel.on_hover_text("The pool stops computing it; finished runs are kept in this window").clicked() {
            actions.push(Action::Lab(LabAction::StopSweep));
        }
    });
    for (worker, why) in &pool.refusals {
        ui.label(widgets::weak(ui, format!("{worker} does not take part: {why}")));
    }
    workers_ui(ui, &pool.workers);
}

/// Draws the observed state of the chosen pool, while this window has no sweep in progress on it.
pub(super) fn pool_ui(ui: &mut Ui, state: &mut SweepState, view: &SweepView, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let (Some(pools), SweepLocation::Pool(name)) = (&view.pools, &state.location) else { return };
    let current = view.ensemble.filter(|ensemble| ensemble.is_going_on).and_then(|ensemble| ensemble.pool.as_ref());
    match pools.seen {
        None | Some(PoolSeen::Connecting) => {
            ui.label(widgets::weak(ui, format!("Connecting to {name}…")));
        }
        Some(PoolSeen::Failed(problem)) => {
            ui.colored_label(theme.error, problem);
            if ui.button("Pools…").on_hover_text("Change the address or the credentials").clicked() {
                actions.push(act(PoolAction::Edit));
            }
        }
        Some(PoolSeen::Listed { sweeps, workers }) => {
            if current.is_none() {
                workers_ui(ui, workers);
            }
            let others = sweeps.iter().filter(|(entry, _)| current.is_none_or(|pool| pool.sweep != entry.sweep));
            let others: Vec<_> = others.collect();
            if others.is_empty() {
                return;
            }
            widgets::section_ui(ui, &format!("Sweeps of {name}"));
            for (entry, queued) in others {
                let is_free = current.is_none();
                ui.push_id(&entry.sweep, |ui| sweep_ui(ui, &mut state.pools, (entry, *queued), is_free, actions));
            }
        }
    }
}

/// Draws a sweep of the pool, with its buttons.
fn sweep_ui(
    ui: &mut Ui,
    pools: &mut PoolsState,
    (entry, queued): (&SweepEntry, usize),
    is_free: bool,
    actions: &mut Vec<Action>,
) {
    let SweepEntry { sweep, file, host, out, runs, done, .. } = entry;
    ui.label(format!("{file}: {done} of {runs} runs"));
    let from = if out.is_empty() { format!("from {host}") } else { format!("from {host}, into {out}") };
    ui.label(widgets::weak(ui, format!("{sweep}, {queued} chunks queued, {from}")));
    if pools.cancelling.as_deref() == Some(sweep) {
        ui.label("Its results are lost for everybody who waits for them");
        ui.horizontal(|ui| {
            if ui.button("Cancel sweep").clicked() {
                pools.cancelling = None;
                actions.push(act(PoolAction::Cancel(sweep.clone())));
            }
            if ui.button("Keep sweep").clicked() {
                pools.cancelling = None;
            }
        });
    } else {
        ui.horizontal(|ui| {
            let attach = ui.add_enabled(is_free, egui::Button::new("Attach"));
            let hint = match out.is_empty() {
                true => "Collect and show its results here",
                false => "Show its results here; simulate sweep --attach writes them into its file",
            };
            if attach.on_hover_text(hint).clicked() {
                actions.push(act(PoolAction::Attach(sweep.clone())));
            }
            if ui.button("Cancel…").on_hover_text("Remove it from the pool").clicked() {
                pools.cancelling = Some(sweep.clone());
            }
        });
    }
    ui.add_space(SPACE);
}

/// Draws how many workers there are and what they do; the list is closed at first.
fn workers_ui(ui: &mut Ui, workers: &[WorkerGreeting]) {
    if workers.is_empty() {
        ui.label(widgets::weak(ui, "No workers: start some with simulate worker --pool"));
        return;
    }
    let (busy, threads) = load(workers);
    let text = format!("{}, {busy} of {threads} threads busy", counted(workers.len(), "worker"));
    widgets::collapsing(text).id_salt("workers").show(ui, |ui| {
        for worker in workers.iter().take(MAX_WORKERS) {
            let WorkerGreeting { worker: name, busy, threads, runs, .. } = worker;
            let what = format!("{busy} of {threads} busy, {} so far", counted(*runs as usize, "run"));
            ui.label(format!("{name}: {what}"));
        }
        if workers.len() > MAX_WORKERS {
            ui.label(widgets::weak(ui, format!("{} more", workers.len() - MAX_WORKERS)));
        }
    });
}

/// Returns how many threads are busy, and how many there are.
fn load(workers: &[WorkerGreeting]) -> (u32, u32) {
    let sum = |of: fn(&WorkerGreeting) -> u32| workers.iter().map(of).fold(0, u32::saturating_add);
    (sum(|worker| worker.busy), sum(|worker| worker.threads))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Formats a number of seconds for reading.
fn duration(seconds: u64) -> String {
    match seconds {
        0..=99 => format!("{seconds} s"),
        100..=5999 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}
