//! Every block with extreme parameters and inputs, on every engine: an error that names the block, or the same bits on
//! all engines; no panic, no long wait, and no memory beyond what the program's values need.
//!
//! `EXTREMES=all` runs every case of every block on every engine with vectors of 100,000 elements, which takes most of an
//! hour; `EXTREMES=Math/Gain,Math/Sum` those of some blocks; otherwise a part of them is run, with shorter vectors.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use simulate::block::language::NoNames;
use simulate::block::library::GROUPS;
use simulate::block::{BlockDef, ParamDef, ParamKind, Registry, Settings};
use simulate::engine::{Context, Engines, Program, Samples, TierUp, compile, is_unset};
use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation};

use crate::memory::peaked;

/// Texts for parameters that are numbers.
const NUMBERS: [&str; 14] = [
    "0",
    "-0",
    "-1",
    "1e308",
    "-1e308",
    "1e-320",
    "nan",
    "inf",
    "-inf",
    "1e9",
    "[1 2; 3 4; nan 6]",
    "",
    "zeros(WIDE)",
    "1e308*ones(WIDE)",
];
const INTEGERS: [&str; 9] =
    ["0", "-1", "1000000000", "9223372036854775807", "-9223372036854775808", "1e308", "nan", "1.5", "1e19"];
const FORMULAS: [&str; 7] = [
    "y = zeros(1000000)",
    "x = 1/0; y = x^1e308",
    "x' = x",
    "y = u(1e9)",
    "y =",
    "y = [0:1e-9:1]",
    "x = nan; v = -inf",
];
const SCRIPTS: [&str; 5] = [
    "loop { }",
    "let a = [1.0]; loop { a += a; } y = a;",
    "fn f(n) { f(n + 1) } y = f(0);",
    "y = u[1000000000];",
    "let s = \"a\"; loop { s += s; }",
];
const TEXTS: [&str; 6] = ["", "\u{1}", "a b c", "../../etc/passwd", "y[1000000000]", "y[-1] y[1e308] [nan"];
/// The elements of inputs: their number, and what each is.
const INPUTS: [(usize, &str); 10] = [
    (1, "0"),
    (1, "-1"),
    (1, "1e308"),
    (1, "nan"),
    (1, "inf"),
    (2, "-inf"),
    (3, "1e9"),
    (9, "-1e308"),
    (WIDE, "0.5"),
    (WIDE, "nan"),
];
/// Stands for the number of elements of a long vector.
const WIDE: usize = usize::MAX;
/// The number of elements of a long vector in all cases, and in a part of them.
const WIDTHS: [usize; 2] = [100_000, 2_000];
/// One of so many cases is run if not all are.
const PART: usize = 20;
/// The longest time of the processor for a case on all engines, in a build without optimization.
const LONGEST: Duration = Duration::from_secs(60);
/// What compiling may take beyond the values of the program, in bytes.
const FIXED: usize = 256 << 20;
/// How many times the values of a program may be in memory while it runs: in the context, in the cells of an engine,
/// and in the copies of both for a step that fails.
const COPIES: usize = 8;

/// One block with its options and inputs.
struct Case {
    def: &'static BlockDef,
    option: Option<(&'static str, String)>,
    /// The width and the elements of all inputs; the second input may differ in width.
    inputs: [(usize, &'static str); 2],
}

fn texts_of(param: &ParamDef, wide: usize) -> Vec<String> {
    let all =
        |texts: &[&str]| -> Vec<String> { texts.iter().map(|text| text.replace("WIDE", &wide.to_string())).collect() };
    match param.kind {
        ParamKind::Number { .. } => all(&NUMBERS),
        ParamKind::Integer { .. } => all(&INTEGERS),
        ParamKind::Choice { of, .. } => of.iter().map(|choice| (*choice).to_owned()).chain(all(&TEXTS)).collect(),
        ParamKind::Formula { .. } => all(&FORMULAS),
        ParamKind::Code { .. } => all(&SCRIPTS),
        ParamKind::Flag { .. } | ParamKind::Text { .. } | ParamKind::Tag { .. } | ParamKind::File { .. } => all(&TEXTS),
    }
}

fn cases(def: &'static BlockDef, wide: usize) -> Vec<Case> {
    let inputs = INPUTS.map(|(width, element)| (if width == WIDE { wide } else { width }, element));
    let mut cases = Vec::new();
    for (number, input) in inputs.into_iter().enumerate() {
        cases.push(Case { def, option: None, inputs: [input, input] });
        cases.push(Case { def, option: None, inputs: [input, inputs[(number * 7 + 5) % inputs.len()]] });
    }
    for param in def.params {
        for (number, text) in texts_of(param, wide).into_iter().enumerate() {
            let option = Some((param.name, text));
            let input = inputs[number % inputs.len()];
            cases.push(Case { def, option: option.clone(), inputs: [(1, "1"), (1, "1")] });
            cases.push(Case { def, option: option.clone(), inputs: [(3, "nan"), (3, "nan")] });
            cases.push(Case { def, option, inputs: [input, input] });
        }
    }
    cases
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Case { def: BlockDef { group, name, .. }, option, inputs } = self;
        write!(f, "{group}/{name} with {option:?} and inputs {inputs:?}")
    }
}

impl Case {
    fn simulation(&self) -> Simulation {
        let texts = |name: &str| {
            let option = self.option.as_ref().filter(|(known, _)| *known == name);
            option.map(|(_, text)| vec![text.as_str()])
        };
        let (settings, _) = Settings::read(self.def, texts, &NoNames);
        let mut simulation = Simulation::new("Main");
        simulation.delta = 0.125;
        let model = simulation.model_mut("Main").expect("the root");
        let mut block = Block::new(BlockId(0), BlockKind::library(self.def.group, self.def.name));
        if let Some((name, text)) = &self.option {
            block = block.with_option(name, &[text]);
        }
        model.add_block(block);
        for (number, name) in self.def.inputs.names(&settings).iter().enumerate() {
            let (width, element) = self.inputs[number % 2];
            let id = BlockId(1_000_000 + number as i128);
            let source = Block::new(id, BlockKind::library("Var", "Static"));
            model.add_block(source.with_option("Value", &[&format!("({element}) * ones({width})")]));
            model.connect(Connection::new(id, "Output", BlockId(0), name));
        }
        for (number, name) in self.def.outputs.names(&settings).iter().enumerate() {
            let id = BlockId(2_000_000 + number as i128);
            model.add_block(Block::new(id, BlockKind::exit(&format!("y{number}"))));
            model.connect(Connection::new(BlockId(0), name, id, "Input"));
        }
        simulation
    }

    /// Compiles the case and runs it on all engines.
    ///
    /// # Errors
    /// The promise that is broken.
    fn check(&self, engines: &Engines) -> Result<(), String> {
        let begin = processor_time();
        let (compiled, peak) = peaked(|| compile(&self.simulation(), &Registry::standard()));
        match compiled {
            Err(found) => {
                let told = found.iter().any(|problem| problem.is_error() && problem.location.block.is_some());
                require(told, || format!("no error with a block: {found:?}"))?;
                require(peak <= FIXED, || format!("{peak} bytes to refuse it"))?;
            }
            Ok(program) => {
                let program = Arc::new(program);
                let (size, _) = peaked(|| size(&Context::new(&program)));
                let most = FIXED + COPIES * size;
                require(peak <= most, || format!("{peak} bytes to compile {size}"))?;
                let (checked, peak) = peaked(|| self.check_engines(&program, engines));
                checked?;
                require(peak <= most, || format!("{peak} bytes to run {size}"))?;
            }
        }
        let taken = processor_time().saturating_sub(begin);
        require(taken < LONGEST, || format!("{taken:?} of the processor"))
    }

    fn check_engines(&self, program: &Arc<Program>, engines: &Engines) -> Result<(), String> {
        let mut first: Option<(&str, Vec<u64>)> = None;
        for engine in engines.iter() {
            let Ok(mut execute) = engine.prepare(program) else { continue };
            let mut context = Context::new(program);
            let end = execute.run(&mut context, 3, &mut Samples::default());
            let mut found = bits(&context);
            found.push(u64::from(end.is_err()));
            match &first {
                None => first = Some((engine.name(), found)),
                Some((other, known)) => {
                    require(*known == found, || format!("{other} and {} differ: {end:?}", engine.name()))?;
                }
            }
        }
        Ok(())
    }
}

/// The time that this thread has had a processor, so that other work on the machine does not count.
#[cfg(unix)]
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes to a local value.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Elsewhere it does count.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static BEGIN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    BEGIN.elapsed()
}

fn require(is_met: bool, problem: impl FnOnce() -> String) -> Result<(), String> {
    if is_met { Ok(()) } else { Err(problem()) }
}

/// Returns the bytes of all values of a run.
fn size(context: &Context) -> usize {
    let Context { values, discrete, continuous, history, params, .. } = context;
    [values, discrete, continuous, history, params].iter().map(|part| part.len() * size_of::<f64>()).sum()
}

fn bits(context: &Context) -> Vec<u64> {
    let one = |value: &f64| if value.is_nan() && !is_unset(*value) { f64::NAN.to_bits() } else { value.to_bits() };
    let Context { step, values, discrete, continuous, history, .. } = context;
    let parts = [values, discrete, continuous, history];
    std::iter::once(*step).chain(parts.into_iter().flatten().map(one)).collect()
}

#[test]
fn every_block_refuses_extreme_parameters_or_computes() {
    let chosen = std::env::var("EXTREMES").ok();
    let is_all = chosen.is_some();
    let is_chosen = |def: &BlockDef| {
        let name = format!("{}/{}", def.group, def.name);
        chosen.as_ref().is_none_or(|chosen| chosen == "all" || chosen.split(',').any(|one| one == name))
    };
    let mut engines = Engines::with(TierUp::Wait);
    let [wide, less_wide] = WIDTHS;
    let (wide, part) = if is_all { (wide, 1) } else { (less_wide, PART) };
    if !is_all {
        engines.keep(&["simple", "flat", "compiled"]);
    }
    let (mut count, mut run) = (0usize, 0usize);
    let (mut slowest, mut largest, mut broken) = ((Duration::ZERO, String::new()), 0, Vec::new());
    for def in GROUPS.iter().flat_map(|group| group.iter().copied()).filter(|def| is_chosen(def)) {
        for case in cases(def, wide) {
            count += 1;
            if !count.is_multiple_of(part) {
                continue;
            }
            run += 1;
            let begin = processor_time();
            let checked = catch_unwind(AssertUnwindSafe(|| peaked(|| case.check(&engines))));
            let problem = match checked {
                Err(_) => Some("a panic".to_owned()),
                Ok((checked, peak)) => {
                    largest = largest.max(peak);
                    checked.err()
                }
            };
            if let Some(problem) = problem {
                let text: String = format!("{case}: {problem}").chars().take(600).collect();
                println!("{text}");
                broken.push(text);
            }
            let taken = processor_time().saturating_sub(begin);
            if taken > slowest.0 {
                slowest = (taken, case.to_string());
            }
        }
        // All cases take long: this shows how far they are.
        println!("{}/{}: {run} of {count} cases, {} broken", def.group, def.name, broken.len());
    }
    println!("{run} of {count} cases; the longest {:?}: {}; at most {largest} bytes", slowest.0, slowest.1);
    assert!(broken.is_empty(), "{} cases:\n{}", broken.len(), broken.join("\n"));
}
