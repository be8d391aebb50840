//! The state of the window around the document: panels, dialogs, messages.

use std::collections::VecDeque;

use super::file_dialog::Chooser;
use super::layout::Layout;
use super::tour::OpenTour;
use crate::app::dialogs::Dialog;
use crate::app::panels::status::Message;
use crate::app::panels::welcome::WelcomePage;

/// The panels, the dialogs and the rest of the window.
#[derive(Default)]
pub struct WindowState {
    pub layout: Layout,
    pub message: Option<Message>,
    /// The window is a player: it shows only the dashboard.
    pub is_player: bool,
    /// Nothing is shown but the diagram.
    pub is_distraction_free: bool,
    /// The blocks are coloured by their execution time.
    pub shows_heat: bool,
    pub welcome: WelcomePage,
    pub(crate) dialog: Dialog,
    /// The dialogs that wait for the open one.
    pub(crate) waiting_dialogs: VecDeque<Dialog>,
    pub(crate) chooser: Option<Chooser>,
    /// The tour in progress.
    pub(crate) tour: Option<OpenTour>,
    pub(crate) title: String,
    /// The window may close without asking again.
    pub(crate) may_quit: bool,
}
