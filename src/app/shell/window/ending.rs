//! Keeps unsaved work when the program is ended from outside: by a signal, as at a logout, or because the display is lost.

use std::cell::RefCell;

use crate::app::store::unsaved_work::UnsavedWork;

thread_local! {
    static AT_EXIT: RefCell<Option<AtExit>> = const { RefCell::new(None) };
}

/// Keeps unsaved work when its thread ends, or ends the process.
struct AtExit(UnsavedWork);

impl Drop for AtExit {
    fn drop(&mut self) {
        keep(&self.0);
    }
}

/// Keeps unsaved work from now on, whatever ends the program. Called on the thread of the window.
///
/// Each signal that ends the program writes the copy, then the program ends at once, even if the window no longer
/// answers. If the display is lost, the platform's library ends the process from the thread of the window: only the
/// destructors of this thread's values still run.
pub(crate) fn listen(work: &UnsavedWork) {
    system::listen(work.clone());
    AT_EXIT.set(Some(AtExit(work.clone())));
}

/// Writes the copy of unsaved work, and tells the terminal.
pub(crate) fn keep(work: &UnsavedWork) {
    match work.keep() {
        Ok(true) => eprintln!("The unsaved work was kept and is offered at the next start"),
        Ok(false) => {}
        Err(problem) => eprintln!("The unsaved work could not be kept: {}", problem.message),
    }
}

#[cfg(unix)]
mod system {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::exit;

    use crate::app::store::unsaved_work::UnsavedWork;
    use crate::threads;

    pub fn listen(work: UnsavedWork) {
        // Without signals or a thread, only the last copy, a few seconds old, is kept.
        let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM]) else { return };
        let _ = threads::spawn("signals", move || {
            if let Some(signal) = signals.forever().next() {
                super::keep(&work);
                exit(128 + signal);
            }
        });
    }
}

/// Other systems ask a window to close.
#[cfg(not(unix))]
mod system {
    use crate::app::store::unsaved_work::UnsavedWork;

    pub fn listen(_: UnsavedWork) {}
}
