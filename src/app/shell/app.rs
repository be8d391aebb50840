//! The state of the window, without drawing.

use std::time::Duration;

use eframe::egui;

use super::document::block_source::BlockSource;
use super::document::open_file::OpenFile;
use super::document::state::Documents;
use super::run::spill::SpillState;
use super::window::layout::Layout;
use super::window::state::WindowState;
use crate::app::panels::status::Message;
use crate::app::store::driving::Driving;
use crate::app::store::jobs::{About, Jobs};
#[cfg(feature = "pool")]
use crate::app::store::pool_watch::PoolWatch;
use crate::app::store::settings::Settings;
use crate::app::ui::look::NameFace;
use crate::app::ui::style;
use crate::components::Components;

/// The window. It needs an egui context, no platform window, so that tests can drive it.
pub struct App {
    pub settings: Settings,
    /// The blocks, formats and engines that this program is made of.
    pub(super) components: Components,
    /// The open document with all that belongs to it. `None`: the welcome page is shown.
    pub file: Option<OpenFile>,
    pub blocks: BlockSource,
    pub(super) documents: Documents,
    pub(super) spill: SpillState,
    /// The pool that the Sweep panel shows.
    #[cfg(feature = "pool")]
    pub(super) pool_watch: Option<PoolWatch>,
    pub window: WindowState,
    /// The socket on which other programs drive this window, if its user has switched it on.
    pub(super) driving: Option<Driving>,
    /// The background jobs.
    pub(super) jobs: Jobs<App>,
    pub(super) ctx: egui::Context,
}

impl App {
    /// The window with the welcome page.
    pub fn new(ctx: &egui::Context, settings: Settings, components: Components) -> App {
        style::apply(ctx);
        let window = WindowState { layout: Layout::restore(settings.layout.as_ref()), ..WindowState::default() };
        let mut app = App {
            blocks: BlockSource::new(&components.registry, &settings),
            documents: Documents::new(&settings),
            spill: SpillState::new(&settings),
            window,
            settings,
            components,
            file: None,
            driving: None,
            #[cfg(feature = "pool")]
            pool_watch: None,
            jobs: Jobs::new(ctx),
            ctx: ctx.clone(),
        };
        if let Some(problem) = app.settings.problem.take() {
            app.complain(problem);
        } else if let (Some(home), None) = (&app.settings.home, &app.documents.recovery.own) {
            let folder = home.display();
            app.complain(format!("Settings and recovery copies are not kept: {folder} cannot be written; save often"));
        }
        app.look_for_copies();
        if app.settings.library_folder().is_some() {
            app.load_library(|_| ());
        }
        app.settings.keymap.install(ctx);
        app.settings.preferences.angle.install(ctx);
        if app.settings.preferences.names != NameFace::default() {
            app.settings.preferences.names.install(ctx);
        }
        app.apply_theme();
        app.follow_driving();
        ctx.set_zoom_factor(app.settings.text_size.clamp(0.6, 3.0));
        app
    }

    /// Writes the settings.
    pub(super) fn save_settings(&mut self) {
        let about = About { path: self.settings.file(), must_end: true, ..About::default() };
        let settings = self.settings.clone();
        self.jobs.start(
            about,
            move || settings.save(),
            |app, result| {
                if let Err(error) = result {
                    app.complain(format!("The settings could not be saved: {error}"));
                }
            },
        );
    }

    /// Takes the results of background threads, except those of jobs, which [`App::logic`] takes.
    pub(super) fn poll(&mut self) {
        let mut news = Vec::new();
        if let Some(file) = &mut self.file {
            news = file.poll(&self.blocks.registry);
            if file.run.has_more {
                self.ctx.request_repaint();
            }
        }
        self.take_news(news);
        self.poll_chooser();
        self.watch_spill_file();
        let is_old = |message: &Message| message.since.elapsed() > Duration::from_secs(12);
        if self.window.message.as_ref().is_some_and(is_old) {
            self.window.message = None;
        }
    }
}
