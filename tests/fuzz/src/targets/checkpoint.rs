//! Checkpoints: a run that is resumed from any bytes is refused, or goes on with the same bits on every engine.
//!
//! The first byte of an input chooses the simulation. The rest is a list of changes of a good checkpoint, ten bytes each:
//! which number, and its bits.

use std::cell::RefCell;
use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Context, Engines, Execute, Program, Samples, TierUp, compile};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader};

use super::trial::{bits, bounded};
use super::{MEGABYTE, Memory};

pub const MEMORY: Memory = Memory { fixed: 64 * MEGABYTE, times: 16 };

const FILES: [&[u8]; 2] = [include_bytes!("fixed_step.simx"), include_bytes!("variable_step.simx")];
const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];
/// The bytes before the first number that may be changed: what the file is, and of which program.
const HEAD: usize = 16;

/// A simulation that every engine is ready to run.
struct Case {
    program: Arc<Program>,
    executes: Vec<Box<dyn Execute>>,
    good: Vec<u8>,
}

thread_local! {
    static CASES: RefCell<Vec<Case>> = const { RefCell::new(Vec::new()) };
}

fn cases() -> Vec<Case> {
    let case = |file: &&[u8]| {
        let simulation = Simx.read(file, &LoadOptions::default()).expect("it is well formed").simulation;
        let program = Arc::new(compile(&simulation, &Registry::standard()).expect("it compiles"));
        let engines = Engines::with(TierUp::Wait);
        let prepare = |name: &&str| engines.get(name).expect("the engine").prepare(&program).expect("it can run this");
        let mut executes: Vec<_> = ENGINES.iter().map(prepare).collect();
        let mut context = Context::new(&program);
        executes[0].run(&mut context, 5, &mut Samples::default()).expect("the steps run");
        Case { good: context.to_bytes(&program), program, executes }
    };
    FILES.iter().map(case).collect()
}

pub fn run(data: &[u8]) {
    let Some((which, changes)) = data.split_first() else { return };
    CASES.with_borrow_mut(|known| {
        if known.is_empty() {
            *known = cases();
        }
        let count = known.len();
        let Case { program, executes, good } = &mut known[usize::from(*which) % count];
        let mut file = good[..good.len() - 4].to_vec();
        for change in changes.chunks(10) {
            match change.split_first_chunk::<2>() {
                Some((at, bits)) if bits.len() == 8 => {
                    let at = HEAD + usize::from(u16::from_le_bytes(*at)) * 8;
                    match file.get_mut(at..at + 8) {
                        Some(number) => number.copy_from_slice(bits),
                        None => file.extend(bits),
                    }
                }
                // A rest cuts the file off or makes it longer.
                _ => file.truncate(file.len() - change.len() % 8),
            }
        }
        file.extend(crc32fast::hash(&file).to_le_bytes());
        let Ok(context) = Context::from_bytes(&file, program) else { return };
        let mut first: Option<Vec<u64>> = None;
        for (execute, name) in executes.iter_mut().zip(ENGINES) {
            let mut context = context.clone();
            let Some(end) = bounded(|samples| execute.run(&mut context, 3, samples).is_ok()) else { return };
            let mut found = bits(&context);
            found.push(u64::from(end));
            match &first {
                None => first = Some(found),
                Some(known) => assert!(*known == found, "{} and {name} differ", ENGINES[0]),
            }
        }
    });
}

/// Good checkpoints, and ones with a number that is not finite or that is very large.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for which in 0..FILES.len() as u8 {
        seeds.push(vec![which]);
        for number in [f64::NAN, f64::INFINITY, -1e308] {
            for at in 0..16u16 {
                seeds.push([&[which][..], &at.to_le_bytes(), &number.to_le_bytes()].concat());
            }
        }
    }
    seeds
}
