//! Exported C beside the C function by hand, both compiled with the same compiler and options.

use std::path::PathBuf;
use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Program, compile};
use simulate::export::c::{Code, Options, Precision, export, identifier};

use super::kinds::Kind;
use super::sketch::Sketch;
use super::yardstick::Yardstick;
use super::{COMPARED, Measured, ROUND, ROUNDS, time};

/// Compilers with their level of optimisation.
pub const BUILDS: [(&str, &str); 4] = [("gcc", "-O2"), ("gcc", "-O3"), ("clang", "-O2"), ("clang", "-O3")];

/// Calls the step in the file that it is in, as the function by hand has its loop in its own.
const CALLER: &str = "\
static model_t self;
void run(double *states, long first, long count)
{
    double sum = 0.0;
    for (long step = 0; step < count; step++) {
        (void)model_step(&self);
        sum += self.outputs.OUTPUT;
    }
    states[0] = sum + (double)first;
}
void run_logged(double *states, long first, long count, double *log)
{
    model_init(&self);
    for (long step = 0; step < count; step++) {
        (void)model_step(&self);
        log[step] = self.outputs.OUTPUT;
    }
    states[0] = (double)first;
}
";

/// Times the exported code of a seed's model against its function by hand.
pub fn measure(kind: &Kind, seed: u64, (compiler, level): (&str, &str)) -> Measured {
    let Sketch { simulation, c, states } = (kind.draw)(seed);
    let name = format!("{}-{seed}-{compiler}{level}", kind.name);
    let program = Arc::new(compile(&simulation, &Registry::standard()).expect("it compiles"));
    let options = Options {
        name: "model",
        is_single_file: true,
        inlines_parameters: true,
        precision: Precision::Double,
        params: &program.params,
    };
    let code = export(&program, &simulation, &options).expect("it can be exported");
    let text = caller(&name, &program, &code);
    let hand = Yardstick::built(&format!("{name}-hand"), &c, (compiler, level));
    let ours = Yardstick::built(&name, &text, (compiler, level));
    let (mut hand_states, mut our_states) = (states.clone(), vec![0.0; states.len().max(1)]);
    let [mut want, mut got] = [(); 2].map(|()| vec![0.0; COMPARED]);
    hand.run_logged(&mut hand_states, 0, &mut want);
    ours.run_logged(&mut our_states, 0, &mut got);
    for (step, (got, want)) in got.iter().zip(&want).enumerate() {
        assert!(got.to_bits() == want.to_bits(), "{name}: step {step} has {got:?}, by hand {want:?}");
    }
    let once = time(|| hand.run(&mut hand_states, COMPARED, COMPARED));
    let steps = ((ROUND / once * COMPARED as f64) as usize).max(100);
    let mut first = 2 * COMPARED;
    let mut least = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        least[0] = least[0].min(time(|| hand.run(&mut hand_states, first, steps)));
        least[1] = least[1].min(time(|| ours.run(&mut our_states, first, steps)));
        first += steps;
    }
    let [c, ours] = least.map(|seconds| seconds / steps as f64 * 1e9);
    Measured { c, ours }
}

/// Writes the exported files to a folder; returns a file that includes and calls them.
fn caller(name: &str, program: &Program, code: &Code) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("family").join(format!("{name}-files"));
    std::fs::create_dir_all(&folder).expect("a folder");
    for file in &code.files {
        std::fs::write(folder.join(&file.name), &file.text).expect("a file");
    }
    let exits = program.exits();
    let output = exits.first().map(|(title, ..)| identifier(title)).expect("an exit");
    format!("#include \"{}\"\n{}", folder.join("model.c").display(), CALLER.replace("OUTPUT", &output))
}

/// The characters of the code of a model, without comments and white space: exported, and by hand.
pub fn lengths(kind: &Kind, seed: u64) -> (usize, usize) {
    let Sketch { simulation, c, .. } = (kind.draw)(seed);
    let program = Arc::new(compile(&simulation, &Registry::standard()).expect("it compiles"));
    let options = Options {
        name: "model",
        is_single_file: false,
        inlines_parameters: true,
        precision: Precision::Double,
        params: &program.params,
    };
    let code = export(&program, &simulation, &options).expect("it can be exported");
    let source = code.files.iter().find(|file| file.name == "model.c").expect("the source");
    // What every model has and the function by hand has not.
    let own = source.text.split("int32_t model_selftest").next().unwrap_or_default();
    (characters(own), characters(&c))
}

fn characters(text: &str) -> usize {
    let mut without = String::new();
    for (number, part) in text.split("/*").enumerate() {
        without.push_str(if number == 0 { part } else { part.split_once("*/").map_or("", |(_, rest)| rest) });
    }
    without.chars().filter(|character| !character.is_whitespace()).count()
}
