//! Internal tests: that work is sent to workers, and what happens when a worker breaks down.

use std::sync::Arc;

use super::super::native::{Compiled, TierUp};
use super::super::{Context, Engine, Execute, Program, Samples, compile};
use super::fork::{ForkState, Forked, Shared};
use super::fragments::{Fragment, Job, chunks, fragments};
use super::{LEAST_WORK, ThreadUse, Threaded, work};
use crate::block::{Binary, Registry, Unary};
use crate::engine::step_code::{Instruction, Opcode, Operand, Ring, StepCode};
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
fn a_run_that_was_begun_in_place_has_the_same_bits_on_threads() {
    let program = chains(6, 5);
    let run = |execute: &mut dyn Execute| {
        let mut context = Context::new(&program);
        for count in [1, 4, 90] {
            execute.run(&mut context, count, &mut Samples::default()).expect("the steps run");
        }
        context.values.iter().map(|value| value.to_bits()).collect::<Vec<u64>>()
    };
    let in_place = || Compiled(TierUp::Wait).prepare(&program).expect("it runs");
    let mut light = Threaded::limited(3).later(&program, in_place());
    let mut forked = Threaded::handing_out_all(3).later(&program, in_place());
    assert_eq!(light.engine(), "compiled");
    let expected = run(&mut *in_place());
    assert_eq!(run(&mut *light), expected);
    assert_eq!(run(&mut *forked), expected);
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
        let code = StepCode::with_owners(&program);
        let all: usize = fragments(&code)[0].iter().map(|fragment| fragment.list.len()).sum();
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
    let code = Arc::clone(&machine.code);
    let phases = Arc::get_mut(&mut team.phases).expect("nobody else has them");
    let shared = phases.iter_mut().flatten().find_map(|segment| match segment {
        Shared::Forked(jobs) => Some(jobs),
        Shared::Own(..) => None,
    });
    let job = shared.and_then(|jobs| jobs.last_mut()).and_then(Arc::get_mut).expect("a job on another thread");
    // An operand that is no cell.
    let at = job.list.iter().position(|ins| ins.elements > 1).expect("a vector");
    let owner = super::fragments::named(&code, &job.list[at]).expect("a unit");
    job.list[at].args[0] = Operand::Contiguous(code.cells as u32);
    let error = forked.run(&mut context, 2, &mut Samples::default()).expect_err("a worker breaks down");
    assert_eq!(error.step, 3);
    assert_eq!(error.block, Some(program.block_of(owner)));
    assert!(error.problem.contains("broke down"), "{error}");
    assert_eq!(context.step, before.step);
    assert_eq!(context.discrete, before.discrete);
}

/// Instructions of 32 elements, whose results begin at cell 100.
fn vectors(ins: &[(Opcode, u32, [Operand; 3])]) -> Fragment {
    let list = ins.iter().map(|&(opcode, dst, args)| Instruction { opcode, elements: 32, dst, args }).collect();
    Fragment { list, is_pinned: false }
}

fn is_cut(code: &StepCode, fragment: Fragment) -> bool {
    match chunks(code, fragment, 4, 8).len() {
        1 => false,
        4 => true,
        other => panic!("{other} pieces"),
    }
}

/// A fragment may be cut if no element reads what another element of it writes.
#[test]
fn a_vector_is_cut_where_its_elements_do_not_need_each_other() {
    use Operand::{Broadcast, Contiguous, Gather};
    // Tables of 32 cells each: all elsewhere, the own ones, the own ones but for the first, and but for the last.
    let own = 100..132;
    let mut tables: Vec<u32> = (0..32).map(|element| 50 - element).chain(own.clone()).collect();
    tables.extend([101].into_iter().chain(101..132));
    tables.extend((100..131).chain([100]));
    let code = StepCode { tables, ..StepCode::default() };
    let map = |arg| is_cut(&code, vectors(&[(Opcode::Unary(Unary::Abs), 100, [arg, Broadcast(0), Broadcast(0)])]));
    for (arg, want) in [
        (Gather(0), true),
        (Gather(32), true),
        (Gather(64), false),
        (Gather(96), false),
        (Broadcast(99), true),
        (Broadcast(100), false),
        (Broadcast(131), false),
        (Broadcast(132), true),
        (Contiguous(100), true),
        (Contiguous(101), false),
        (Contiguous(131), false),
        (Contiguous(132), true),
        (Contiguous(99), false),
        (Contiguous(69), false),
        (Contiguous(68), true),
    ] {
        assert_eq!(map(arg), want, "{arg:?}");
    }
    // Each operand counts that the operation reads, and no other.
    let [near, far] = [Contiguous(101), Contiguous(200)];
    for (opcode, args, want) in [
        (Opcode::Copy, [far, near, near], true),
        (Opcode::Binary(Binary::Add), [far, far, near], true),
        (Opcode::Binary(Binary::Add), [near, far, far], false),
        (Opcode::Binary(Binary::Add), [far, near, far], false),
        (Opcode::Select, [far, far, far], true),
        (Opcode::Select, [far, far, near], false),
        (Opcode::Random { is_vector: false }, [far, far, far], true),
        // Element numbers count, and they would start from 0 in each piece.
        (Opcode::Random { is_vector: true }, [far, far, far], false),
        (Opcode::Fold(Binary::Add), [far, far, far], false),
        (Opcode::Pick { count: 3 }, [far, far, far], false),
        (Opcode::Past(Ring { first: 0, length: 5 }), [far, far, far], false),
    ] {
        assert_eq!(is_cut(&code, vectors(&[(opcode, 100, args)])), want, "{opcode:?} {args:?}");
    }
    // The second instruction reads or writes what the first has written.
    let two = |dst, arg| {
        let [first, second] = [far, arg].map(|arg| [arg, Broadcast(0), Broadcast(0)]);
        is_cut(&code, vectors(&[(Opcode::Copy, 100, first), (Opcode::Copy, dst, second)]))
    };
    assert!(two(132, Contiguous(100)));
    assert!(two(68, Contiguous(100)));
    assert!(two(100, far), "written twice, element by element");
    for (dst, arg) in [(132, Contiguous(101)), (132, Broadcast(131)), (131, far), (69, far), (132, Contiguous(164 - 1))]
    {
        assert!(!two(dst, arg), "{dst} {arg:?}");
    }
    // The first instruction reads what the second writes.
    let back = [(Opcode::Copy, 100, [Contiguous(133), far, far]), (Opcode::Copy, 132, [far; 3])];
    assert!(!is_cut(&code, vectors(&back)));
}

#[test]
fn a_vector_is_cut_into_equal_pieces_of_whole_groups() {
    use Operand::{Broadcast, Contiguous, Gather};
    let code = StepCode { tables: (500..600).collect(), ..StepCode::default() };
    let ins = |elements| Instruction {
        opcode: Opcode::Select,
        elements,
        dst: 100,
        args: [Broadcast(7), Contiguous(200), Gather(3)],
    };
    let cut = |list: Vec<Instruction>, is_pinned: bool, pieces: u32, least: u32| {
        chunks(&code, Fragment { list, is_pinned }, pieces, least)
    };
    // A third of 36 is 12, and the next multiple of 8 is 16.
    let found = cut(vec![ins(36); 2], false, 3, 8);
    for (fragment, (first, elements)) in found.iter().zip([(0, 16), (16, 16), (32, 4)]) {
        let args = [Broadcast(7), Contiguous(200 + first), Gather(3 + first)];
        let want = Instruction { opcode: Opcode::Select, elements, dst: 100 + first, args };
        assert_eq!(fragment.list, [want, want]);
        assert!(!fragment.is_pinned);
    }
    assert_eq!(found.len(), 3);
    let count = |elements, is_pinned, pieces, least| cut(vec![ins(elements)], is_pinned, pieces, least).len();
    assert_eq!(count(32, false, 4, 8), 4);
    assert_eq!(count(32, true, 4, 8), 1, "the main context runs it");
    assert_eq!(count(32, false, 1, 8), 1);
    // A piece has at least the given number of elements.
    assert_eq!([15, 16, 23, 24].map(|elements| count(elements, false, 4, 8)), [1, 2, 2, 3]);
    assert_eq!(count(32, false, 2, 0), 2);
    // Elements of instructions of another length do not correspond.
    assert_eq!(cut(vec![ins(32), ins(31)], false, 4, 8).len(), 1);
    // Long lists are left whole.
    assert_eq!(cut(vec![ins(32); 64], false, 4, 8).len(), 4);
    assert_eq!(cut(vec![ins(32); 65], false, 4, 8).len(), 1);
}
