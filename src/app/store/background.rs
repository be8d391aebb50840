//! Work on a background thread whose result the window asks for.

use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError, bounded};
use eframe::egui;

use crate::threads;

/// Work that was started, and its result.
pub struct Background<T>(Receiver<T>);

/// How far some work is.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress<T> {
    Busy,
    Done(T),
    /// It ended without a result: it panicked, or its result was taken already.
    Lost,
}

impl<T: Send + 'static> Background<T> {
    /// Starts the work; the window is drawn again when it has ended.
    pub fn start(ctx: &egui::Context, work: impl FnOnce() -> T + Send + 'static) -> Background<T> {
        struct WakeAtEnd(egui::Context);
        impl Drop for WakeAtEnd {
            fn drop(&mut self) {
                self.0.request_repaint();
            }
        }
        let (sender, result) = bounded(1);
        let wake = WakeAtEnd(ctx.clone());
        // Without a thread the work is lost, and the sender with it.
        let _ = threads::spawn("job", move || {
            // Dropped last, after a panic too.
            let _wake = wake;
            let sender = sender;
            // The window may be gone.
            let _ = sender.send(work());
        });
        Background(result)
    }

    /// Returns the result once.
    pub fn poll(&self) -> Progress<T> {
        match self.0.try_recv() {
            Ok(result) => Progress::Done(result),
            Err(TryRecvError::Empty) => Progress::Busy,
            Err(TryRecvError::Disconnected) => Progress::Lost,
        }
    }

    /// As [`Background::poll`], but waits for the result.
    pub fn wait(&self, timeout: Duration) -> Progress<T> {
        match self.0.recv_timeout(timeout) {
            Ok(result) => Progress::Done(result),
            Err(RecvTimeoutError::Timeout) => Progress::Busy,
            Err(RecvTimeoutError::Disconnected) => Progress::Lost,
        }
    }

    /// Waits until one of several has ended.
    pub fn wait_for_any<'a>(all: impl Iterator<Item = &'a Background<T>>, timeout: Duration) {
        let mut select = crossbeam_channel::Select::new();
        let count = all.map(|one| select.recv(&one.0)).count();
        if count > 0 {
            // The caller polls them all.
            let _ = select.ready_timeout(timeout);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_result_comes_once_and_a_panic_is_noticed() {
        let ctx = egui::Context::default();
        let (go, gate) = bounded::<()>(1);
        let work = Background::start(&ctx, move || gate.recv().map(|()| 7));
        assert_eq!(work.poll(), Progress::Busy);
        assert_eq!(work.wait(Duration::from_millis(1)), Progress::Busy);
        go.send(()).expect("it waits");
        assert_eq!(work.wait(LONG), Progress::Done(Ok(7)));
        assert_eq!(work.wait(LONG), Progress::Lost);
        let broken: Background<u8> = Background::start(&ctx, || panic!("on purpose"));
        assert_eq!(broken.wait(LONG), Progress::Lost);
    }

    #[test]
    fn the_first_of_several_is_waited_for() {
        let ctx = egui::Context::default();
        let (_keep, never) = bounded::<u8>(1);
        let all = [Background::start(&ctx, move || never.recv().unwrap_or(0)), Background::start(&ctx, || 2)];
        Background::wait_for_any(all.iter(), LONG);
        assert_eq!((all[0].poll(), all[1].poll()), (Progress::Busy, Progress::Done(2)));
    }
}
