//! Ctrl+C and the signals that end a process: the first one asks the command to end and keep the results so far, the
//! second one ends it at once.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::block::Cancel;
use crate::threads;

/// A signal that asked the command to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopSignal(i32);

impl StopSignal {
    /// Returns the exit code that shells use for the signal.
    pub fn code(self) -> u8 {
        u8::try_from(128 + self.0).unwrap_or(u8::MAX)
    }
}

impl fmt::Display for StopSignal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match system::SIGNALS.iter().find(|(signal, _)| *signal == self.0) {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "signal {}", self.0),
        }
    }
}

/// Receives the signals of this process.
#[derive(Clone, Debug)]
pub struct Interrupt {
    cancel: Cancel,
    /// The number of the first signal; 0 before it.
    signal: Arc<AtomicI32>,
}

impl Interrupt {
    /// Catches signals from now on; before, they end the process. A signal that the parent process has switched off
    /// stays off, as under nohup.
    pub fn listen() -> Interrupt {
        let interrupt = Interrupt { cancel: Cancel::new(), signal: Arc::new(AtomicI32::new(0)) };
        system::listen(&interrupt);
        interrupt
    }

    /// Returns the first signal.
    pub fn signal(&self) -> Option<StopSignal> {
        match self.signal.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(StopSignal(signal)),
        }
    }

    /// Returns the flag that a run polls.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Hears signals on a thread of its own.
    fn on_thread(&self, listen: impl FnOnce(Interrupt) + Send + 'static) {
        let heard = self.clone();
        // Without a thread they are ignored; the run continues.
        let _ = threads::spawn_waiting("signals", move || listen(heard));
    }

    /// Notes the first signal. Returns false for a further one.
    fn note(&self, signal: i32) -> bool {
        let is_first = self.signal.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_first {
            self.cancel.cancel();
        }
        is_first
    }
}

#[cfg(unix)]
mod system {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::exit;

    use crate::cli::interrupt::{Interrupt, StopSignal};
    use crate::format::remove_unfinished;

    pub const SIGNALS: &[(i32, &str)] = &[(SIGINT, "Ctrl+C (SIGINT)"), (SIGTERM, "SIGTERM"), (SIGHUP, "SIGHUP")];

    pub fn listen(interrupt: &Interrupt) {
        let heard = SIGNALS.iter().map(|(signal, _)| *signal).filter(|signal| !is_ignored(*signal));
        let Ok(mut signals) = Signals::new(heard) else { return };
        interrupt.on_thread(move |interrupt| {
            for signal in signals.forever() {
                if !interrupt.note(signal) {
                    remove_unfinished();
                    exit(i32::from(StopSignal(signal).code()));
                }
            }
        });
    }

    /// Returns whether the parent process has switched a signal off; only Linux says so.
    fn is_ignored(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
        mask >> (signal - 1) & 1 == 1
    }
}

#[cfg(windows)]
mod system {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag::{register, register_conditional_shutdown};

    use crate::cli::interrupt::{Interrupt, StopSignal};

    pub const SIGNALS: &[(i32, &str)] = &[(SIGINT, "Ctrl+C (SIGINT)"), (SIGTERM, "SIGTERM")];

    pub fn listen(interrupt: &Interrupt) {
        let asked: Vec<(i32, Arc<AtomicBool>)> =
            SIGNALS.iter().map(|(signal, _)| (*signal, Arc::new(AtomicBool::new(false)))).collect();
        for (signal, flag) in &asked {
            // The order matters: the first one only sets the flag.
            let _ = register_conditional_shutdown(*signal, i32::from(StopSignal(*signal).code()), Arc::clone(flag));
            let _ = register(*signal, Arc::clone(flag));
        }
        interrupt.on_thread(move |interrupt| {
            loop {
                if let Some((signal, _)) = asked.iter().find(|(_, flag)| flag.load(Ordering::Relaxed)) {
                    interrupt.note(*signal);
                    return;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        });
    }
}
