//! Remote blocks with workers in this process, which can be lost: what goes through the border, and what it costs.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use simulate::block::Cancel;
use simulate::engine::{Program, RemoteError, RemoteService, RemoteSession, RemoteWorkers, compile};

/// Workers in this process. Each compiles the model again, as one elsewhere does.
#[derive(Debug, Default)]
pub struct Inside {
    /// How many sessions were opened, and whether every second one is lost after some requests.
    opened: AtomicU64,
    are_mortal: bool,
}

impl Inside {
    pub fn lasting() -> Inside {
        Inside::default()
    }

    pub fn mortal() -> Inside {
        Inside { are_mortal: true, ..Inside::default() }
    }
}

#[derive(Debug)]
struct InsideSession {
    service: RemoteService,
    answers: VecDeque<Vec<u8>>,
    /// Requests until it is lost.
    left: u64,
    /// Whether it is lost before it has executed the last one, not after that.
    is_early: bool,
}

impl RemoteWorkers for Inside {
    fn knows(&self, _: &str) -> bool {
        true
    }

    fn open(
        &self,
        program: &Arc<Program>,
        block: usize,
        _: Option<&Cancel>,
    ) -> Result<Box<dyn RemoteSession>, RemoteError> {
        let remote = program.remote.as_ref().expect("remote blocks");
        let own = Arc::new(compile(&remote.simulation, &remote.registry).expect("the same model"));
        let service = RemoteService::new(&own, block).expect("the same blocks");
        let number = self.opened.fetch_add(1, Ordering::Relaxed);
        let left = match self.are_mortal && number.is_multiple_of(2) {
            true => 1 + number * 7 % 23,
            false => u64::MAX,
        };
        Ok(Box::new(InsideSession { service, answers: VecDeque::new(), left, is_early: number.is_multiple_of(4) }))
    }

    fn patience(&self) -> Duration {
        Duration::ZERO
    }
}

fn lost() -> RemoteError {
    RemoteError::Lost("it was killed".to_owned())
}

impl RemoteSession for InsideSession {
    fn send(&mut self, request: &[u8]) -> Result<(), RemoteError> {
        if self.left == 0 {
            return Err(lost());
        }
        self.left -= 1;
        if self.left > 0 || !self.is_early {
            let answer = self.service.answer(request).expect("a request");
            self.answers.extend((self.left > 0).then_some(answer));
        }
        Ok(())
    }

    fn receive(&mut self, _: Duration) -> Result<Option<Vec<u8>>, RemoteError> {
        if self.left == 0 { Err(lost()) } else { Ok(self.answers.pop_front()) }
    }

    fn fingerprint(&self) -> u64 {
        self.service.fingerprint()
    }

    fn worker(&self) -> String {
        "inside".to_owned()
    }
}
