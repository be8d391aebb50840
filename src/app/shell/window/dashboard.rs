//! The dashboard as the window draws it, and the user's actions on it.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{self, Ui};

use super::panel_states::PanelStates;
use crate::app::action::command::Panel;
use crate::app::action::path_request::PathRequest;
use crate::app::action::{Action, DashboardAction, SliderPlace};
use crate::app::canvas::Canvas;
use crate::app::doc::dashboard::{
    Binding, Image, ParamKey, Widget, WidgetHost, WidgetKind, below, pinned, pinned_edit, with_scale_of,
};
use crate::app::panels::{dashboard, plots};
use crate::app::shell::app::App;
use crate::app::shell::document::open_file::OpenFile;
use crate::app::store::files::{self, file_name};
use crate::app::store::jobs::About;
use crate::app::ui::widgets::theme_of;
use crate::block::Registry;
use crate::model::{BlockId, Change, SignalKey};

impl App {
    /// Carries out an action on dashboards.
    pub(crate) fn act_on_dashboard(&mut self, action: DashboardAction) {
        match action {
            DashboardAction::Turn { param, value } => self.turn(&param, value),
            DashboardAction::AddSlider { param, place } => self.add_slider(param, place),
            DashboardAction::PinWidget { number, at } => self.pin_widget(number, at),
            DashboardAction::ChoosePicture { number } => self.ask_path(PathRequest::Picture { widget: number }),
            DashboardAction::KeepPicture { block, number, path } => self.keep_picture(block, number, path),
        }
    }

    /// The dashboard of the open file.
    pub(crate) fn dashboard_ui(&mut self, ui: &mut Ui) -> Vec<Action> {
        let ctx = ui.ctx().clone();
        self.with_board(&ctx, |view, board, plot_ui, _| dashboard::show_ui(ui, board, view, plot_ui))
    }

    /// The controls and instruments on the diagram that fills `screen`.
    pub(crate) fn on_canvas_ui(&mut self, ui: &mut Ui, screen: egui::Rect) -> Vec<Action> {
        let ctx = ui.ctx().clone();
        self.with_board(&ctx, |view, board, plot_ui, canvas| {
            dashboard::on_canvas_ui(ui, board, view, (canvas, screen), plot_ui)
        })
    }

    /// Calls `draw` with the data of widgets.
    fn with_board<R: Default>(
        &mut self,
        ctx: &egui::Context,
        draw: impl FnOnce(&dashboard::DashboardView, &mut dashboard::DashboardState, dashboard::PlotUi, &Canvas) -> R,
    ) -> R {
        let Some(file) = &mut self.file else { return R::default() };
        let simulation = Arc::clone(file.document.simulation());
        let (run, registry) = (&file.run, &self.blocks.registry);
        let source = plots::PlotData {
            simulation: &simulation,
            derived: &file.derived,
            list: file.derived.plots(),
            recording: run.recording(),
            program: file.program.as_deref(),
            others: &[],
            band: None,
            is_stale: run.is_stale && !run.is_active(),
            end: run.end(),
            theme: theme_of(ctx),
        };
        let values = |signal: &SignalKey| run.value(signal);
        let view = dashboard::DashboardView {
            simulation: &simulation,
            registry,
            revision: file.document.revision(),
            derived: &file.derived,
            dashboard: file.derived.dashboard(),
            values: &values,
            folder: file.path.as_deref().and_then(std::path::Path::parent),
            is_player: self.window.is_player,
        };
        let PanelStates { plots: shared, board, .. } = &mut file.panels;
        let mut plot_ui = |ui: &mut Ui, rect: egui::Rect, number: usize, signal: &SignalKey| {
            plots::small_ui(ui, rect, shared, &source, number, signal);
        };
        draw(&view, board, &mut plot_ui, &file.canvas)
    }

    /// Sets a parameter in the run during a drag of a control.
    pub(crate) fn turn(&mut self, param: &ParamKey, value: f64) {
        self.with_file(|file| file.run.turn_element(&param.of, param.element, value));
    }

    /// Adds a slider for a parameter, below its block or on the dashboard.
    fn add_slider(&mut self, param: ParamKey, place: SliderPlace) {
        let Some(file) = &self.file else { return };
        let (simulation, registry) = (file.simulation(), &self.blocks.registry);
        let slider = Widget { binding: Some(Binding::Param(param)), ..Widget::new(WidgetKind::Slider, 0.0, 0.0) };
        let slider = with_scale_of(slider, simulation, registry, None);
        let change = match place {
            SliderPlace::Dashboard => {
                Some(file.derived.dashboard().with_widget(slider, 600.0).change("Add slider to the dashboard"))
            }
            SliderPlace::Diagram => below_block(file, registry, slider),
        };
        let Some(change) = change else { return };
        if self.apply(&change) && place == SliderPlace::Dashboard {
            self.window.layout.show(Panel::Dashboard);
        }
    }

    /// Moves a widget from the panel to the diagram.
    pub(crate) fn pin_widget(&mut self, number: usize, at: egui::Pos2) {
        if self.window.layout.canvas_rect.is_none_or(|rect| !rect.contains(at)) {
            return;
        }
        let ctx = self.ctx.clone();
        let change = self.with_board(&ctx, |view, _, _, canvas| dashboard::pin_change(view, canvas, number, at));
        match change {
            Some(change) => {
                self.apply(&change);
            }
            None => self.complain("Only widgets bound to a block of this diagram can be placed on it"),
        }
    }

    /// Reads a picture and stores it in the simulation instead of its file name.
    pub(crate) fn keep_picture(&mut self, block: Option<BlockId>, number: usize, path: PathBuf) {
        let state = self.state_id();
        let about = About { title: format!("Reading {}", file_name(&path)), path: Some(path.clone()), must_end: false };
        let work = move || {
            let bytes = files::read_bounded(&path, Image::MAX_BYTES as u64);
            bytes.map_err(|error| format!("{}: {error}", path.display()))
        };
        self.jobs.start(about, work, move |app, read| {
            // The number may be that of another widget now.
            let Some(file) = app.file.as_ref().filter(|_| app.state_id() == state) else {
                return app.complain("The picture was not stored: the simulation changed meanwhile; try again");
            };
            let image = match read {
                Ok(bytes) => Image::Embedded(bytes.into()),
                Err(why) => {
                    return app.complain(format!("{why}; only pictures of up to 256 KB are stored in the simulation"));
                }
            };
            let simulation = Arc::clone(file.simulation());
            let open = file.canvas.open_model(&simulation);
            let on_block = block.and_then(|id| open.and_then(|model| Some((id, model, model.block(id)?))));
            let widgets =
                on_block.map(|(.., block)| pinned(block, file.canvas.path(), &simulation, &app.blocks.registry));
            let host = match (on_block, &widgets) {
                (Some((id, model, _)), Some(widgets)) => WidgetHost::Block { model: &model.name, id, widgets },
                _ if block.is_none() => WidgetHost::Board(file.derived.dashboard()),
                _ => return,
            };
            let label = "Store picture in the simulation";
            let change = host.with(label, number, |widget| widget.image = Some(image));
            app.apply(&change);
        });
    }

    /// Removes the last clicked widget on the diagram; returns false if no widget was clicked.
    pub(crate) fn delete_pinned(&mut self) -> bool {
        let Some(file) = &mut self.file else { return false };
        let Some((id, number)) = file.panels.board.take_pointed() else { return false };
        let simulation = file.simulation();
        let Some(model) = file.canvas.open_model(simulation) else { return false };
        let Some(block) = model.block(id) else { return false };
        let widgets = pinned(block, file.canvas.path(), simulation, &self.blocks.registry);
        let host = WidgetHost::Block { model: &model.name, id, widgets: &widgets };
        let change = host.without("Remove widget from the canvas", number);
        self.apply(&change)
    }
}

/// Returns the change that puts a widget below its block in the open model, and below the widgets that are there.
fn below_block(file: &OpenFile, registry: &Registry, widget: Widget) -> Option<Change> {
    let simulation = file.simulation();
    let model = file.canvas.open_model(simulation)?;
    let (_, id) = widget.binding.as_ref()?.target();
    let (block, body) = (model.block(id)?, file.canvas.scene().block(id)?.outline.body);
    let mut widgets = pinned(block, file.canvas.path(), simulation, registry);
    widgets.push(Widget { x: 0.0, y: below(&widgets, body.height()), ..widget });
    Some(Change::one("Add slider to the diagram", pinned_edit(&model.name, id, &widgets)))
}
