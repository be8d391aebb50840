//! The platform's window around the [`App`], and the message if it cannot be opened.

use std::path::PathBuf;
use std::process::ExitCode;

use eframe::egui::{self, ViewportBuilder, vec2};

use super::ending;
use super::input_order::InputOrder;
use crate::app::action::{Action, FileAction};
use crate::app::shell::app::App;
use crate::app::shell::document::recovery::Ended;
use crate::app::store::instance::{self, Instance};
use crate::app::store::log::{self, Log};
use crate::app::store::settings::Settings;
use crate::app::store::unsaved_work::UnsavedWork;
use crate::components::Components;
use crate::format::LoadOptions;

const ICON: &[u8] = include_bytes!("../../../../assets/icon.png");

struct Window {
    app: App,
    /// `None` if another program accepts the files.
    instance: Option<Instance>,
    inputs: InputOrder,
}

impl eframe::App for Window {
    fn logic(&mut self, ctx: &egui::Context, _: &mut eframe::Frame) {
        let size = ctx.input(|input| input.viewport().inner_rect.map(|rect| rect.size()));
        if let Some(size) = size.filter(|size| size.x > 200.0) {
            self.app.settings.window = Some((size.x, size.y));
        }
        while let Some(path) = self.instance.as_ref().and_then(Instance::poll) {
            self.app.guard(|app| app.act(Action::File(FileAction::OpenPath(path))));
            ctx.send_viewport_cmd(egui::ViewportCommand::Minimized(false));
            ctx.send_viewport_cmd(egui::ViewportCommand::Focus);
        }
        self.app.logic();
    }

    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        self.app.ui(ui);
    }

    fn on_exit(&mut self, _: Option<&eframe::glow::Context>) {
        self.app.finish();
    }

    fn raw_input_hook(&mut self, ctx: &egui::Context, input: &mut egui::RawInput) {
        self.inputs.divide(ctx, input);
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        visuals.panel_fill.to_normalized_gamma_f32()
    }
}

/// The window in which a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenIn {
    RunningWindow,
    NewWindow,
}

/// Opens the player window of a file, which shows only its dashboard.
pub fn play(components: Components, file: PathBuf, options: LoadOptions) -> ExitCode {
    show(components, Some(file), OpenIn::NewWindow, Shows::Dashboard, options)
}

/// The content of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shows {
    All,
    Dashboard,
}

/// Opens the window, optionally with a file, and returns when it is closed; or hands the file to the running window
/// and returns at once.
pub fn run(components: Components, file: Option<PathBuf>, open_in: OpenIn) -> ExitCode {
    show(components, file, open_in, Shows::All, LoadOptions::default())
}

fn show(
    components: Components,
    file: Option<PathBuf>,
    open_in: OpenIn,
    shows: Shows,
    reading: LoadOptions,
) -> ExitCode {
    let settings = Settings::load();
    // Without a log the program works as well.
    let _log = log::folder().and_then(|folder| Log::begin(&folder).ok());
    log::log_panics();
    let (version, system) = (env!("CARGO_PKG_VERSION"), std::env::consts::OS);
    tracing::info!(version, system, "start");
    if let (Some(file), Some(home), OpenIn::RunningWindow) = (&file, &settings.home, open_in)
        && instance::hand_over(home, file)
    {
        return ExitCode::SUCCESS;
    }
    let (width, height) = settings.window.unwrap_or((1280.0, 800.0));
    let mut viewport = ViewportBuilder::default()
        .with_title("Simulate")
        .with_app_id("org.simulate.Simulate")
        .with_inner_size(vec2(width, height))
        .with_min_inner_size(vec2(720.0, 480.0))
        .with_drag_and_drop(true);
    if let Ok(icon) = eframe::icon_data::from_png_bytes(ICON) {
        viewport = viewport.with_icon(icon);
    }
    let options = eframe::NativeOptions { viewport, centered: true, ..eframe::NativeOptions::default() };
    let shown = file.clone();
    let unsaved = UnsavedWork::default();
    ending::listen(&unsaved);
    let work = unsaved.clone();
    let start = Box::new(move |context: &eframe::CreationContext<'_>| {
        let wake = context.egui_ctx.clone();
        let instance = settings.home.as_deref().filter(|_| shows == Shows::All);
        let instance = instance.and_then(|home| Instance::listen(home, move || wake.request_repaint()));
        tracing::info!("the window is open");
        let mut app = App::new(&context.egui_ctx, settings, components);
        app.share_work_with(work);
        if shows == Shows::Dashboard {
            app.window.is_player = true;
        }
        // Without a file the welcome page is shown, with the examples.
        if let Some(file) = file {
            app.open_path_with(&file, reading);
        }
        Ok(Box::new(Window { app, instance, inputs: InputOrder::default() }) as Box<dyn eframe::App>)
    });
    // The platform's libraries are loaded when they are needed; some of the layers between panic where one is missing.
    let result =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| eframe::run_native("simulate", options, start)));
    match result {
        Ok(Ok(())) => {
            tracing::info!("end");
            ExitCode::SUCCESS
        }
        Ok(Err(error)) => {
            ending::keep(&unsaved);
            no_window(&error.to_string(), shown)
        }
        Err(panic) => match panic.downcast::<Ended>() {
            Ok(ended) => {
                eprintln!("{ended}");
                ExitCode::FAILURE
            }
            Err(_) => {
                ending::keep(&unsaved);
                no_window("a library of the platform is missing or failed", shown)
            }
        },
    }
}

fn no_window(why: &str, file: Option<PathBuf>) -> ExitCode {
    let file = file.map_or_else(|| "FILE".to_owned(), |file| file.display().to_string());
    // The text begins with the position in a library's source at which the error was found.
    let why =
        why.rsplit(".rs:").next().unwrap_or(why).trim_start_matches(|c: char| c.is_numeric() || c == ':' || c == ' ');
    tracing::error!("the window cannot be opened: {why}");
    eprintln!("The window cannot be opened: {why}");
    if cfg!(target_os = "linux") {
        eprintln!(
            "It needs a display (X11 or Wayland), the libraries libX11, libXcursor, libXi, libxkbcommon-x11, libEGL or \
             libGL, and a graphics driver. On Debian or Ubuntu:\n\n    apt-get install libx11-6 libxcursor1 libxi6 \
             libxkbcommon-x11-0 libegl1 libgl1 libgl1-mesa-dri\n"
        );
    } else {
        eprintln!("It needs OpenGL 2.1 or newer; update the graphics driver.\n");
    }
    eprintln!("A file runs without a window too:\n\n    simulate run {file}\n");
    ExitCode::FAILURE
}
