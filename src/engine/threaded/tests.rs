//! Tests of the inside: that work is sent to workers, and what happens when a worker breaks down.

use std::sync::Arc;

use super::super::flat::{Operand, Tape};
use super::super::{Context, Program, Samples, compile};
use super::fork::{ForkState, Forked, Shared};
use super::parts::{Job, fragments};
use super::{LEAST_WORK, ThreadUse, work};
use crate::block::Registry;
use crate::model::{Block, BlockId, BlockKind, Connection, Model, Simulation};

/// Chains of sine and gain on vectors.
fn chains(count: u64, width: usize) -> Arc<Program> {
    let mut model = Model::new("Main");
    let values: Vec<String> = (0..width).map(|element| element.to_string()).collect();
    for chain in 0..count {
        let [vector, delay, sine, gain] = [0, 1, 2, 3].map(|index| BlockId((10 * chain + index).into()));
        let library = BlockKind::library;
        model.add_block(Block::new(vector, library("Var", "Static")).with_option("Value", &values));
        model.add_block(Block::new(delay, library("Discrete", "Unit Delay")));
        model.add_block(Block::new(sine, library("Math", "Trigonometry")));
        model.add_block(Block::new(gain, library("Math", "Gain")));
        for (from, to) in [(vector, delay), (delay, sine), (sine, gain)] {
            model.connect(Connection::new(from, "Output", to, "Input"));
        }
    }
    let mut simulation = Simulation::new("Other");
    simulation.add_model(model);
    simulation.root = "Main".into();
    Arc::new(compile(&simulation, &Registry::standard()).expect("it compiles"))
}

fn jobs(forked: &Forked) -> Vec<Vec<Arc<Job>>> {
    let ForkState::Divided(_, team) = &forked.state else { return Vec::new() };
    let forks = team.phases.iter().flatten().filter_map(|segment| match segment {
        Shared::Forked(jobs) => Some(jobs.clone()),
        Shared::Own(..) => None,
    });
    forks.collect()
}

fn divided(program: &Arc<Program>, threads: usize) -> (Forked, Context) {
    let mut forked = Forked::new(program, threads, ThreadUse::Possible);
    let mut context = Context::new(program);
    forked.run(&mut context, 3, &mut Samples::default()).expect("the steps run");
    (forked, context)
}

#[test]
fn chains_beside_each_other_go_to_all_threads() {
    for (chains_count, threads) in [(6, 3), (2, 2), (5, 7)] {
        let program = chains(chains_count, 5);
        let (forked, _) = divided(&program, threads);
        let jobs = jobs(&forked);
        let shares = jobs[0].len();
        assert_eq!(shares, threads.min(chains_count as usize), "{chains_count} chains on {threads} threads");
        // Each chain is in one job: only its last value leaves it.
        let tape = Tape::with_owners(&program);
        let all: usize = fragments(&tape)[0].iter().map(|fragment| fragment.list.len()).sum();
        assert!(jobs[0].iter().map(|job| job.list.len()).sum::<usize>() <= all);
    }
}

#[test]
fn a_single_long_vector_is_cut_into_pieces() {
    let program = chains(1, 64);
    let (forked, _) = divided(&program, 4);
    let jobs = jobs(&forked);
    assert_eq!(jobs[0].len(), 4);
    jobs[0].iter().for_each(|job| assert!(job.list.iter().all(|ins| ins.elements == 16)));
}

#[test]
fn what_is_light_starts_no_thread() {
    assert!(work(&chains(3, 5)) < LEAST_WORK);
    assert!(work(&chains(30, 5000)) > LEAST_WORK);
}

#[test]
fn a_worker_that_breaks_down_ends_the_run_at_the_step_with_its_block_named() {
    let program = chains(6, 5);
    let (mut forked, mut context) = divided(&program, 3);
    let before = context.clone();
    let ForkState::Divided(machine, team) = &mut forked.state else { panic!("it is divided") };
    let tape = Arc::clone(&machine.tape);
    let phases = Arc::get_mut(&mut team.phases).expect("nobody else has them");
    let shared = phases.iter_mut().flatten().find_map(|segment| match segment {
        Shared::Forked(jobs) => Some(jobs),
        Shared::Own(..) => None,
    });
    let job = shared.and_then(|jobs| jobs.last_mut()).and_then(Arc::get_mut).expect("a job on another thread");
    // An operand that is no cell.
    let at = job.list.iter().position(|ins| ins.elements > 1).expect("a vector");
    let owner = super::parts::named(&tape, &job.list[at]).expect("a unit");
    job.list[at].args[0] = Operand::Contiguous(tape.cells as u32);
    let error = forked.run(&mut context, 2, &mut Samples::default()).expect_err("a worker breaks down");
    assert_eq!(error.step, 3);
    assert_eq!(error.block, Some(program.block_of(owner)));
    assert!(error.problem.contains("broke down"), "{error}");
    assert_eq!(context.step, before.step);
    assert_eq!(context.discrete, before.discrete);
}
