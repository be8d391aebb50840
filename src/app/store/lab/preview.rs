//! The curves of a simulation before a search: computed on a background thread whenever its input has changed.

use std::sync::Arc;

use crate::app::store::latest::LatestWorker;
use crate::block::Cancel;

/// The result of the last input. While a new one is computed, it is the last one.
pub struct Preview<I, T> {
    worker: LatestWorker<(I, Cancel), Result<T, String>>,
    /// Ends the one that is computed.
    cancel: Cancel,
    /// The last input.
    asked: Option<I>,
    pub result: Option<Result<T, String>>,
}

impl<I: Clone + Send + 'static, T: Send + 'static> Preview<I, T> {
    pub fn new(
        wake: &Arc<dyn Fn() + Send + Sync>,
        simulate: impl Fn(&I, &Cancel) -> Result<T, String> + Send + Sync + 'static,
    ) -> Preview<I, T> {
        let work = move |(input, cancel): (I, Cancel), _: &dyn Fn() -> bool| simulate(&input, &cancel);
        let worker = LatestWorker::new(Arc::clone(wake), work);
        Preview { worker, cancel: Cancel::new(), asked: None, result: None }
    }

    /// Computes the result of an input, unless the last one has the same.
    pub fn ask(&mut self, input: I, is_same: impl Fn(&I, &I) -> bool) {
        if !self.asked.as_ref().is_some_and(|asked| is_same(asked, &input)) {
            self.asked = Some(input.clone());
            self.cancel.cancel();
            self.cancel = Cancel::new();
            self.worker.ask((input, self.cancel.clone()));
        }
    }

    pub fn forget(&mut self) {
        self.cancel.cancel();
        (self.asked, self.result) = (None, None);
    }

    pub fn is_busy(&self) -> bool {
        self.asked.is_some() && self.worker.is_busy()
    }

    /// Takes a result.
    pub fn poll(&mut self) {
        if let Some(result) = self.worker.poll().filter(|_| self.asked.is_some()) {
            self.result = Some(result);
        }
    }
}

impl<I, T> Drop for Preview<I, T> {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
