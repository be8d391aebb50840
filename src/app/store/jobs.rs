//! Background jobs with a result for the window: reading, writing, drawing of pictures.
//!
//! A job owns everything that it needs, including its document, and the function that the window calls with its result.
//! Jobs on the same path run in sequence; all others run in parallel. If only the latest result counts, the work
//! belongs in a [`super::latest::LatestWorker`].

use std::path::PathBuf;
use std::time::{Duration, Instant};

use eframe::egui;

use super::background::{Background, Progress};

/// Gives the result of a job to the window.
type Finish<W> = Box<dyn FnOnce(&mut W) + Send>;
type Work<W> = Box<dyn FnOnce() -> Finish<W> + Send>;

/// The description of a job.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The text for the status bar, in the present participle: `Opening plant.simx`.
    pub title: String,
    /// The file that it reads or writes.
    pub path: Option<PathBuf>,
    /// Whether the program waits for it before it exits.
    pub must_end: bool,
}

/// The jobs in progress; `W` is the window.
pub struct Jobs<W> {
    ctx: egui::Context,
    list: Vec<Job<W>>,
}

struct Job<W> {
    about: About,
    since: Instant,
    state: JobState<W>,
}

enum JobState<W> {
    /// Another job uses its path.
    Waiting(Option<Work<W>>),
    Running(Background<Finish<W>>),
}

/// A job that has ended.
pub enum Ended<W> {
    Done(Finish<W>),
    /// It ended without a result: this was its title.
    Lost(String),
}

impl<W: 'static> Jobs<W> {
    pub fn new(ctx: &egui::Context) -> Jobs<W> {
        Jobs { ctx: ctx.clone(), list: Vec::new() }
    }

    /// Runs `work` on a background thread; the window calls `finish` with its result.
    pub fn start<R: Send + 'static>(
        &mut self,
        about: About,
        work: impl FnOnce() -> R + Send + 'static,
        finish: impl FnOnce(&mut W, R) + Send + 'static,
    ) {
        let work: Work<W> = Box::new(move || {
            let result = work();
            Box::new(move |window: &mut W| finish(window, result))
        });
        self.list.push(Job { about, since: Instant::now(), state: JobState::Waiting(Some(work)) });
        self.start_waiting();
    }

    /// Returns the jobs that have ended since the last call, in the order of their start.
    pub fn poll(&mut self) -> Vec<Ended<W>> {
        let mut ended = Vec::new();
        self.list.retain_mut(|job| {
            let JobState::Running(result) = &job.state else { return true };
            match result.poll() {
                Progress::Done(finish) => ended.push(Ended::Done(finish)),
                Progress::Lost => ended.push(Ended::Lost(std::mem::take(&mut job.about.title))),
                Progress::Busy => return true,
            }
            false
        });
        self.start_waiting();
        ended
    }

    /// Waits until a job has ended, and returns as [`Jobs::poll`].
    pub fn wait(&mut self, timeout: Duration) -> Vec<Ended<W>> {
        let running = self.list.iter().filter_map(|job| match &job.state {
            JobState::Running(result) => Some(result),
            JobState::Waiting(_) => None,
        });
        Background::wait_for_any(running, timeout);
        self.poll()
    }

    /// Waits for the jobs that must end before the program exits; their results are dropped.
    pub fn finish(&mut self) {
        const TIMEOUT: Duration = Duration::from_secs(60);
        self.list.retain(|job| job.about.must_end);
        while !self.list.is_empty() {
            self.list.retain_mut(|job| {
                let JobState::Running(result) = &job.state else { return true };
                // One that takes longer than this will not end.
                let _ = result.wait(TIMEOUT);
                false
            });
            self.start_waiting();
        }
    }

    /// Returns the title of the oldest job that takes noticeably long.
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
            job.state = JobState::Running(Background::start(&self.ctx, work));
        }
    }
}
