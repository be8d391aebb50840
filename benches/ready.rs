//! From a document to its first step, and what that keeps in memory beside the document.
//!
//! `cargo bench --bench ready -- [--blocks N] [--rounds N] [MODEL…]` for models of 1,000, 10,000 and 100,000 blocks; each
//! time is the least of the rounds. The first step is interpreted; machine code is compiled beside the steps.

mod models;

use std::sync::Arc;
use std::time::Instant;

use simulate::block::Registry;
use simulate::engine::{Context, Engines, Samples, compile};
use simulate::model::Simulation;

/// Milliseconds of each part, and bytes a block.
struct Ready {
    blocks: usize,
    compile: f64,
    prepare: f64,
    first_step: f64,
    bytes: f64,
    program_bytes: f64,
}

impl Ready {
    fn measure(simulation: &Simulation, registry: &Registry) -> Ready {
        // The allocator puts in order what the round before has freed when something large is wanted.
        drop(std::hint::black_box(Vec::<u8>::with_capacity(1 << 20)));
        let before = memory::live();
        let (program, compile) = timed(|| Arc::new(compile(simulation, registry).expect("it compiles")));
        let of_program = memory::live() - before;
        let ((mut execute, mut context), prepare) = timed(|| {
            let execute = Engines::standard().get("compiled").expect("the engine").prepare(&program).expect("it runs");
            (execute, Context::new(&program))
        });
        let each = |bytes: isize| bytes as f64 / program.units.len() as f64;
        let (bytes, program_bytes) = (each(memory::live() - before), each(of_program));
        let mut samples = Samples::new([]);
        let first_step = timed(|| execute.run(&mut context, 1, &mut samples).expect("the step runs")).1;
        Ready { blocks: program.units.len(), compile, prepare, first_step, bytes, program_bytes }
    }

    fn all(&self) -> f64 {
        self.compile + self.prepare + self.first_step
    }

    fn least(self, other: Ready) -> Ready {
        Ready {
            compile: self.compile.min(other.compile),
            prepare: self.prepare.min(other.prepare),
            first_step: self.first_step.min(other.first_step),
            ..self
        }
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let made = work();
    (made, start.elapsed().as_secs_f64() * 1e3)
}

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let (mut lengths, mut rounds, mut wanted) = (vec![1_000, 10_000, 100_000], 5, Vec::new());
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|text| text.parse().ok()).expect("a number");
        match arg.as_str() {
            "--blocks" => lengths = vec![number()],
            "--rounds" => rounds = number(),
            _ => wanted.push(arg),
        }
    }
    let columns = ["blocks", "compile", "prepare", "first step", "in all, ms", "bytes a block", "in program"];
    println!("{:<24} {}", "model", columns.map(|column| format!("{column:>14}")).join(""));
    let registry = Registry::standard();
    for length in lengths {
        let models = models::sizes(length);
        let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part));
        for (name, simulation) in models.into_iter().filter(|(name, _)| is_wanted(name)) {
            let mut all = (0..rounds).map(|_| Ready::measure(&simulation, &registry));
            let first = all.next().expect("a round");
            let ready = all.fold(first, Ready::least);
            let Ready { blocks, compile, prepare, first_step, bytes, program_bytes } = ready;
            let times = [compile, prepare, first_step, ready.all()].map(|time| format!("{time:>14.2}")).join("");
            println!("{name:<24} {blocks:>14}{times}{bytes:>14.0}{program_bytes:>14.0}");
        }
    }
}

/// Counts what is allocated.
mod memory {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::sync::atomic::{AtomicIsize, Ordering};

    static LIVE: AtomicIsize = AtomicIsize::new(0);

    struct Counting;

    // SAFETY: the system's allocator does all the work.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            LIVE.fetch_add(layout.size() as isize, Ordering::Relaxed);
            // SAFETY: as the caller promised.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
            LIVE.fetch_sub(layout.size() as isize, Ordering::Relaxed);
            // SAFETY: as the caller promised.
            unsafe { System.dealloc(at, layout) }
        }
    }

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    /// Bytes in use.
    pub fn live() -> isize {
        LIVE.load(Ordering::Relaxed)
    }
}
