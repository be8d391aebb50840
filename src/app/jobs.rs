//! Background work that ends in the window: reading, writing, drawing of pictures.
//!
//! A job carries everything that it needs, among it the document that it is for, and what the window does with its
//! result. Jobs on the same path run one after the other; all others run at the same time. Work of which only the newest
//! result counts is a [`super::latest::LatestWorker`].

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError, bounded};
use eframe::egui;

use super::state::App;

/// What the window does with a job's result.
type Finish = Box<dyn FnOnce(&mut App) + Send>;
type Work = Box<dyn FnOnce() -> Finish + Send>;

/// What a job is about.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// What it does, in the present participle, as the status bar may show it: `Opening plant.simx`.
    pub title: String,
    /// The file that it reads or writes.
    pub path: Option<PathBuf>,
    /// Whether the program waits for it before it ends.
    pub must_end: bool,
}

/// The jobs that are under way.
pub struct Jobs {
    ctx: egui::Context,
    list: Vec<Job>,
}

struct Job {
    about: About,
    since: Instant,
    state: JobState,
}

enum JobState {
    /// Another job uses its path.
    Waiting(Option<Work>),
    Running(Receiver<Finish>),
}

/// A job that has ended.
pub enum Ended {
    Done(Finish),
    /// It ended without a result: this was its title.
    Lost(String),
}

impl Jobs {
    pub fn new(ctx: &egui::Context) -> Jobs {
        Jobs { ctx: ctx.clone(), list: Vec::new() }
    }

    /// Does `work` on a thread of its own; the window calls `finish` with its result.
    pub fn start<R: Send + 'static>(
        &mut self,
        about: About,
        work: impl FnOnce() -> R + Send + 'static,
        finish: impl FnOnce(&mut App, R) + Send + 'static,
    ) {
        let work: Work = Box::new(move || {
            let result = work();
            Box::new(move |app: &mut App| finish(app, result))
        });
        self.list.push(Job { about, since: Instant::now(), state: JobState::Waiting(Some(work)) });
        self.start_waiting();
    }

    /// The jobs that have ended since the last call, in the order in which they were started.
    pub fn poll(&mut self) -> Vec<Ended> {
        let mut ended = Vec::new();
        self.list.retain_mut(|job| {
            let JobState::Running(result) = &job.state else { return true };
            match result.try_recv() {
                Ok(finish) => ended.push(Ended::Done(finish)),
                Err(TryRecvError::Disconnected) => ended.push(Ended::Lost(std::mem::take(&mut job.about.title))),
                Err(TryRecvError::Empty) => return true,
            }
            false
        });
        self.start_waiting();
        ended
    }

    /// Waits until one job has ended, and gives what [`Jobs::poll`] gives.
    pub fn wait(&mut self, timeout: Duration) -> Vec<Ended> {
        let mut select = crossbeam_channel::Select::new();
        for job in &self.list {
            if let JobState::Running(result) = &job.state {
                select.recv(result);
            }
        }
        if !self.list.is_empty() {
            // The result is taken by the poll below.
            let _ = select.ready_timeout(timeout);
        }
        self.poll()
    }

    /// Waits for the jobs that the program must not end before; nobody is told what came of them.
    pub fn finish(&mut self) {
        const PATIENCE: Duration = Duration::from_secs(60);
        self.list.retain(|job| job.about.must_end);
        while !self.list.is_empty() {
            self.list.retain_mut(|job| {
                let JobState::Running(result) = &job.state else { return true };
                // One that takes longer than this will not end.
                !matches!(
                    result.recv_timeout(PATIENCE),
                    Ok(_) | Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout)
                )
            });
            self.start_waiting();
        }
    }

    /// The title of the oldest job that a user has to wait for by now.
    pub fn shown(&self) -> Option<&str> {
        const UNSEEN: Duration = Duration::from_millis(300);
        let job = self.list.iter().find(|job| !job.about.title.is_empty())?;
        if job.since.elapsed() < UNSEEN {
            self.ctx.request_repaint_after(UNSEEN);
            return None;
        }
        Some(&job.about.title)
    }

    pub fn is_idle(&self) -> bool {
        self.list.is_empty()
    }

    fn start_waiting(&mut self) {
        let mut taken: Vec<PathBuf> = Vec::new();
        for job in &mut self.list {
            if let Some(path) = &job.about.path {
                if taken.contains(path) {
                    continue;
                }
                taken.push(path.clone());
            }
            let JobState::Waiting(work) = &mut job.state else { continue };
            let Some(work) = work.take() else { continue };
            let (sender, result) = bounded(1);
            let wake = self.ctx.clone();
            std::thread::spawn(move || {
                let finish = work();
                // Where the window is gone, nobody waits for it.
                let _ = sender.send(finish);
                wake.request_repaint();
            });
            job.state = JobState::Running(result);
        }
    }
}

impl App {
    /// Does with each job that has ended what was to be done.
    pub(super) fn poll_jobs(&mut self) {
        let ended = self.jobs.poll();
        self.take_ended(ended);
    }

    /// Waits for one of the jobs that are under way, but no longer than `timeout`.
    pub fn wait_for_jobs(&mut self, timeout: Duration) {
        let ended = self.jobs.wait(timeout);
        self.take_ended(ended);
    }

    /// Whether work is under way that ends in the window.
    pub fn has_jobs(&self) -> bool {
        !self.jobs.is_idle()
    }

    fn take_ended(&mut self, ended: Vec<Ended>) {
        for ended in ended {
            match ended {
                Ended::Done(finish) => finish(self),
                Ended::Lost(title) => self.complain(format!("{title} failed: internal error")),
            }
        }
    }
}
