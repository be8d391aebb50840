//! Runs jobs: on a thread of its own, which receives orders and sends results, or in the main context.
//!
//! A worker has cells of its own. It copies the cells that a job reads from the main context, and returns its results
//! as a vector of values, so that no cell is written while another thread reads it.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::super::native::MachineCode;
use super::super::{Cancel, UnitId};
use super::fragments::{Job, named};
use crate::block::panic_text;
use crate::engine::step_code::{CellRange, Machine, StepCode};
use crate::threads;

pub(super) struct Worker {
    machine: Machine,
    /// For each job the number of the run of steps for which the constant cells were copied.
    taken_for: HashMap<usize, u64>,
    natives: HashMap<usize, Box<MachineCode>>,
}

/// A job to run.
pub(super) struct Task {
    pub job: Arc<Job>,
    pub step: u64,
    /// The number of the run of steps; parameters may change between two runs.
    pub run: u64,
    /// The handle by which the run is cancelled, if any.
    pub cancel: Option<Cancel>,
    /// The cells of the main context.
    pub from: Arc<Box<[f64]>>,
    /// The buffer for the results.
    pub results: Vec<f64>,
}

pub(super) struct Done {
    /// The number of blocks that ran in addition to those of every step.
    pub executed: u64,
    /// Whether the step cannot be completed.
    pub has_failed: bool,
}

/// A worker broke down.
pub(super) struct Broken {
    pub unit: Option<UnitId>,
    pub text: String,
}

impl Worker {
    pub fn new(machine: Machine) -> Worker {
        Worker { machine, taken_for: HashMap::new(), natives: HashMap::new() }
    }

    /// Replaces the interpretation of a job by machine code.
    pub fn take_native(&mut self, job: usize, native: Box<MachineCode>) {
        self.natives.insert(job, native);
    }

    /// Runs a job and writes its results to the task.
    pub fn run(&mut self, task: &mut Task) -> Result<Done, Broken> {
        let Task { job, step, run, cancel, from, results } = task;
        self.machine.cancel.clone_from(cancel);
        catch_unwind(AssertUnwindSafe(|| self.run_job(job, (*step, *run), from, results))).map_err(|panic| {
            let unit = job.list.get(self.machine.at).and_then(|ins| named(&self.machine.code, ins));
            Broken { unit, text: panic_text(&*panic).to_owned() }
        })
    }

    fn run_job(&mut self, job: &Job, (step, run): (u64, u64), from: &[f64], results: &mut Vec<f64>) -> Done {
        let machine = &mut self.machine;
        let mut take = |pieces: &[CellRange]| {
            for &CellRange { first, count } in pieces {
                let cells = first as usize..(first + count) as usize;
                machine.cells[cells.clone()].copy_from_slice(&from[cells]);
            }
        };
        take(&job.reads);
        if self.taken_for.insert(job.number, run) != Some(run) {
            take(&job.steady);
        }
        (machine.step, machine.executed, machine.fault) = (step, 0, None);
        let count = job.writes.iter().map(|range| range.count as usize).sum();
        results.clear();
        if let Some(native) = self.natives.get(&job.number) {
            results.resize(count, 0.0);
            let ran = native.run(machine, 1, results);
            return Done { executed: machine.executed, has_failed: ran.is_err() };
        }
        machine.run_list(&job.decoded, &job.list);
        results.reserve(count);
        for &CellRange { first, count } in &job.writes {
            results.extend_from_slice(&machine.cells[first as usize..(first + count) as usize]);
        }
        Done { executed: machine.executed, has_failed: machine.fault.is_some() }
    }
}

enum Order {
    Run(Task),
    TakeNative(usize, Box<MachineCode>),
}

/// The reply to a task: the number of the worker, and the results.
pub(super) struct Reply {
    pub worker: usize,
    pub results: Vec<f64>,
    pub outcome: Result<Done, Broken>,
}

/// Worker threads. They end when this is dropped.
pub(super) struct Crew {
    orders: Vec<Sender<Order>>,
    replies: Receiver<Reply>,
    threads: Vec<JoinHandle<()>>,
}

impl Crew {
    /// Starts `count` threads, or as many as the system allows.
    pub fn new(count: usize, code: &Arc<StepCode>, helper: impl Fn(Arc<StepCode>) -> Machine) -> Crew {
        let (reply, replies) = bounded(count.max(1));
        let mut crew = Crew { orders: Vec::new(), replies, threads: Vec::new() };
        for number in 0..count {
            let (sender, orders) = bounded(2);
            let (reply, mut worker) = (reply.clone(), Worker::new(helper(Arc::clone(code))));
            let serve = move || worker.serve(number, &orders, &reply);
            let Ok(thread) = threads::spawn(&format!("worker {}", number + 1), serve) else {
                break;
            };
            crew.orders.push(sender);
            crew.threads.push(thread);
        }
        crew
    }

    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// Sends a task to a worker; returns false if the worker has ended.
    pub fn send(&self, worker: usize, task: Task) -> bool {
        self.orders[worker].send(Order::Run(task)).is_ok()
    }

    pub fn send_native(&self, worker: usize, job: usize, native: Box<MachineCode>) {
        // Without machine code the worker interprets.
        let _ = self.orders[worker].send(Order::TakeNative(job, native));
    }

    /// Waits for the reply of any worker; `None` if all have ended.
    pub fn reply(&self) -> Option<Reply> {
        self.replies.recv().ok()
    }
}

impl Worker {
    fn serve(&mut self, worker: usize, orders: &Receiver<Order>, replies: &Sender<Reply>) {
        // An error means that the crew was dropped.
        while let Ok(order) = orders.recv() {
            match order {
                Order::TakeNative(job, native) => self.take_native(job, native),
                Order::Run(mut task) => {
                    let outcome = self.run(&mut task);
                    let Task { from, results, .. } = task;
                    // The main context takes its cells back after all replies.
                    drop(from);
                    if replies.send(Reply { worker, results, outcome }).is_err() {
                        return;
                    }
                }
            }
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.orders.clear();
        for thread in self.threads.drain(..) {
            // A worker catches its panics.
            let _ = thread.join();
        }
    }
}
