//! Looks for problems on a thread of its own, so that an edit never waits for it.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::block::Registry;
use crate::engine::{self, Program};
use crate::model::{Diagnostic, Simulation, Snapshot};

/// Asks for checks and takes their results; only the newest request counts.
pub struct Checker {
    requests: Sender<Request>,
    answers: Receiver<(Ticket, Found)>,
    asked: Option<Ticket>,
    answered: Option<Ticket>,
}

/// What a check gives.
pub struct Found {
    pub diagnostics: Vec<Diagnostic>,
    /// The simulation ready to run, where it could: it knows widths and rates.
    pub program: Option<Arc<Program>>,
}

/// Which document, in which state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    pub document: u64,
    pub revision: u64,
}

struct Request {
    ticket: Ticket,
    simulation: Arc<Simulation>,
    registry: Arc<Registry>,
}

impl Checker {
    /// `wake` is called when there is an answer.
    pub fn new(wake: impl Fn() + Send + 'static) -> Checker {
        let (requests, inbox) = unbounded::<Request>();
        let (outbox, answers) = bounded(4);
        // The thread ends with the sender of its requests.
        std::thread::spawn(move || {
            while let Ok(request) = inbox.recv() {
                let newest = inbox.try_iter().last().unwrap_or(request);
                let (diagnostics, program) = engine::examine(&newest.simulation, &newest.registry);
                let found = Found { diagnostics, program: program.map(Arc::new) };
                if outbox.send((newest.ticket, found)).is_err() {
                    break;
                }
                wake();
            }
        });
        Checker { requests, answers, asked: None, answered: None }
    }

    /// Asks for a check of this state, unless that was done.
    pub fn ask(&mut self, document: u64, snapshot: &Snapshot, registry: &Arc<Registry>) {
        let ticket = Ticket { document, revision: snapshot.revision };
        if self.asked == Some(ticket) {
            return;
        }
        self.asked = Some(ticket);
        let registry = Arc::clone(registry);
        let request = Request { ticket, simulation: Arc::clone(&snapshot.simulation), registry };
        // Without its thread there are no checks; a run still finds all errors.
        let _ = self.requests.send(request);
    }

    /// The answer to the newest request, once.
    pub fn poll(&mut self) -> Option<Found> {
        let newest = self.asked?;
        let (ticket, found) = self.answers.try_iter().filter(|(ticket, _)| *ticket == newest).last()?;
        self.answered = Some(ticket);
        Some(found)
    }

    /// Whether an answer is still to come.
    pub fn is_busy(&self) -> bool {
        self.asked != self.answered
    }

    /// Asks again for what was asked already.
    pub fn forget(&mut self) {
        self.asked = None;
    }
}
