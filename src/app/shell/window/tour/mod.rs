//! Tours: steps that the user does, or lets be done, in the window itself.
//!
//! A step names what to do, where to look, and how to see that it is done. As soon as it is, the next one is shown, however
//! it was done: with the mouse, with keys, or with “Do it for me”. A tour ends when its document is closed.

mod steps;

use eframe::egui;

use crate::app::action::AfterSave;
use crate::app::action::command::{Panel, Tour};
use crate::app::panels::tour::{TourCard, TourChoice, show_ui};
use crate::app::shell::app::App;
use crate::app::ui::control;

/// Where the user is to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Panel(Panel),
    /// A control by its name in [`control`].
    Control(&'static str),
}

/// One step of a tour.
struct TourStep {
    title: &'static str,
    text: &'static str,
    anchor: Anchor,
    /// Whether it is done. The last step of a tour never is.
    is_done: fn(&App) -> bool,
    /// A hint when the user left the way of the tour, with the way back.
    note: fn(&App) -> Option<String>,
    /// Does it for the user.
    act: Option<fn(&mut App)>,
}

/// A tour in progress.
#[derive(Clone, Copy, Debug)]
pub struct OpenTour {
    tour: Tour,
    step: usize,
    /// The number of its document.
    document: u64,
}

impl App {
    /// Begins a tour with a document of its own; unsaved changes are asked about first.
    pub(crate) fn begin_tour(&mut self, tour: Tour) {
        self.guarded(AfterSave::Tour(tour));
    }

    /// Begins a tour; unsaved changes are discarded.
    pub(crate) fn begin_tour_now(&mut self, tour: Tour) {
        match tour {
            Tour::FirstModel => self.show_new(),
            Tour::Laboratory => self.open_example(steps::motor()),
        }
        if let Some(file) = &self.file {
            self.window.tour = Some(OpenTour { tour, step: 0, document: file.number });
        }
    }

    /// Draws the card of the open tour, and moves to the next step when its step is done.
    pub(crate) fn tour_ui(&mut self, ctx: &egui::Context) {
        let Some(mut open) = self.window.tour else { return };
        if self.file.as_ref().map(|file| file.number) != Some(open.document) {
            self.window.tour = None;
            return;
        }
        let steps = steps::of(open.tour);
        let before = open.step;
        while steps.get(open.step).is_some_and(|step| (step.is_done)(self)) {
            open.step += 1;
        }
        if before != open.step {
            // The action that completed this step may have completed the next one too.
            ctx.request_repaint();
        }
        let Some(step) = steps.get(open.step) else {
            self.window.tour = None;
            return;
        };
        self.window.tour = Some(open);
        if self.has_dialog() {
            return;
        }
        let is_last = open.step + 1 == steps.len();
        let card = TourCard {
            title: step.title,
            text: step.text,
            note: (step.note)(self),
            number: open.step + 1,
            count: steps.len(),
            can_act: step.act.is_some(),
            next: is_last.then(|| next_of(open.tour)).flatten(),
            is_last,
            anchor: self.rect_of_anchor(ctx, step.anchor),
            room: self.room_beside(step.anchor),
        };
        match show_ui(ctx, &card) {
            TourChoice::Nothing => {}
            TourChoice::Act => step.act.into_iter().for_each(|act| act(self)),
            TourChoice::Skip => self.window.tour = Some(OpenTour { step: open.step + 1, ..open }),
            TourChoice::Leave => self.window.tour = None,
            TourChoice::Next(tour) => self.begin_tour(tour),
        }
    }

    /// Returns a position where the card does not hide the subject of the step.
    fn room_beside(&self, anchor: Anchor) -> Option<egui::Rect> {
        let below = [
            Panel::Plots,
            Panel::Step,
            Panel::Sweep,
            Panel::Analysis,
            Panel::Tuner,
            Panel::Fit,
            Panel::Response,
            Panel::Dashboard,
            Panel::Problems,
        ];
        let below = || below.into_iter().find_map(|panel| self.window.layout.rect_of(panel));
        match anchor {
            Anchor::Panel(Panel::Canvas | Panel::Blocks) => below().or(self.window.layout.canvas_rect),
            _ => self.window.layout.canvas_rect,
        }
    }

    fn rect_of_anchor(&self, ctx: &egui::Context, anchor: Anchor) -> Option<egui::Rect> {
        match anchor {
            Anchor::Panel(panel) => self.window.layout.rect_of(panel),
            Anchor::Control(name) => control::rect_of(ctx, name),
        }
    }
}

/// The tour that comes after one.
fn next_of(tour: Tour) -> Option<Tour> {
    match tour {
        Tour::FirstModel => Some(Tour::Laboratory),
        Tour::Laboratory => None,
    }
}
