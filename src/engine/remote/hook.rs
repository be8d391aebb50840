//! All sessions of a run: lets the machine's exchanges be done by workers, or here if they are lost.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::super::Program;
use super::client::{Client, ClientError, SessionContext};
use super::plan::Plan;
use super::{RemoteCost, RemoteWorkers};
use crate::engine::program::fault::Fault;
use crate::engine::step_code::{Exchanges, Machine};

/// The state that the engine and its hook share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Whether instructions of remote blocks run here: steps are repeated after a worker was lost or the run cancelled.
    pub is_here: bool,
    /// Whether a worker was lost for good.
    pub is_lost: bool,
    /// The watched outputs.
    pub watched: Vec<u32>,
    pub costs: Vec<RemoteCost>,
    /// The bytes of the requests since the last begin.
    pub kept: usize,
    /// The time since the last read that was spent on updating workers and fetching their values.
    pub fetching: Duration,
}

#[derive(Clone, Debug, Default)]
pub(super) struct SharedState(Arc<Mutex<Shared>>);

impl SharedState {
    pub fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
pub(super) struct Hook {
    pub plan: Arc<Plan>,
    pub program: Arc<Program>,
    pub workers: Arc<dyn RemoteWorkers>,
    pub clients: Vec<Client>,
    pub shared: SharedState,
    is_here: bool,
}

impl Hook {
    pub fn new(plan: Arc<Plan>, program: &Arc<Program>, workers: &Arc<dyn RemoteWorkers>, shared: SharedState) -> Hook {
        let blocks = program.remote.iter().flat_map(|remote| &remote.blocks);
        let client = |(location, block): (usize, &crate::engine::RemoteBlock)| {
            Client::new(&plan, program, location, RemoteCost::new(block.clone()))
        };
        let clients = blocks.enumerate().map(client).collect();
        let (program, workers) = (Arc::clone(program), Arc::clone(workers));
        Hook { plan, program, workers, clients, shared, is_here: false }
    }

    /// Does something with each of some clients, until one has error.
    fn each(
        &mut self,
        locations: &[usize],
        machine: &mut Machine,
        mut f: impl FnMut(&mut Client, &mut Machine, &SessionContext) -> Result<(), ClientError>,
    ) {
        let context = SessionContext { plan: &self.plan, program: &self.program, workers: &*self.workers };
        for &location in locations {
            let Some(client) = self.clients.get_mut(location) else { continue };
            let Err(error) = f(client, machine, &context) else { continue };
            self.is_here = true;
            let mut shared = self.shared.lock();
            shared.is_here = true;
            machine.fault.get_or_insert(match error {
                ClientError::Cancelled => Fault::cancelled(),
                ClientError::NoWorker(problem) => {
                    shared.is_lost = true;
                    let block = &client.cost.block;
                    Fault::without_worker(block.unit, &block.pool, &problem)
                }
            });
            return;
        }
    }

    fn send_and_complete(&mut self, locations: &[usize], machine: &mut Machine) {
        for &location in locations {
            self.clients[location].send();
        }
        self.each(locations, machine, |client, machine, context| client.complete(machine, context));
    }

    fn all(&self) -> Vec<usize> {
        (0..self.clients.len()).collect()
    }
}

impl Exchanges for Hook {
    fn enter(&mut self, machine: &mut Machine) {
        let begin = Instant::now();
        let watched = {
            let shared = self.shared.lock();
            self.is_here = shared.is_here;
            shared.watched.clone()
        };
        if !self.is_here {
            let open = |client: &mut Client, _: &mut Machine, context: &SessionContext| {
                client.open(context);
                Ok(())
            };
            self.each(&self.all(), machine, open);
            self.each(&self.all(), machine, |client, machine, context| client.enter(machine, &watched, context));
        }
        self.shared.lock().fetching += begin.elapsed();
    }

    fn exchange(&mut self, machine: &mut Machine, number: u32) {
        let plan = Arc::clone(&self.plan);
        let bodies = &plan.exchanges[number as usize];
        if self.is_here {
            for body in bodies.iter().map(|&body| &plan.bodies[body]) {
                machine.run_list(&body.decoded, &body.list);
            }
            return;
        }
        let mut awaited = Vec::new();
        for &number in bodies {
            let body = &plan.bodies[number];
            if self.clients[body.location].add_body(number, body, machine, &plan) {
                awaited.push(body.location);
            }
        }
        self.send_and_complete(&awaited, machine);
    }

    fn begin_last(&mut self, machine: &mut Machine) {
        if !self.is_here {
            self.clients.iter_mut().for_each(|client| client.add_last(machine.step));
        }
    }

    fn fetch_values(&mut self, machine: &mut Machine) {
        if self.is_here || machine.fault.is_some() {
            return;
        }
        let begin = Instant::now();
        self.clients.iter_mut().for_each(Client::add_values);
        self.send_and_complete(&self.all(), machine);
        self.shared.lock().fetching += begin.elapsed();
    }

    fn fetch_states(&mut self, machine: &mut Machine) {
        if self.is_here || machine.fault.is_some() {
            return;
        }
        let begin = Instant::now();
        self.clients.iter_mut().for_each(Client::add_states);
        self.send_and_complete(&self.all(), machine);
        let mut shared = self.shared.lock();
        shared.fetching += begin.elapsed();
        shared.kept = self.clients.iter().map(Client::kept).max().unwrap_or(0);
        shared.costs.clear();
        shared.costs.extend(self.clients.iter().map(|client| client.cost.clone()));
    }
}
