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

/// The function by hand in single precision: the functions of mathematics follow the type of their arguments.
const SINGLE: &str = "#include <tgmath.h>\n#define double float\n";
/// Makes literals of the function by hand single, too. Only gcc has it.
const SINGLE_LITERALS: &str = "-fsingle-precision-constant";
/// The steps whose values are compared in single precision, before its rounding decides; and the largest difference as a
/// part of the largest value.
const COMPARED_SINGLE: usize = 100;
const SINGLE_DIFFERENCE: f32 = 1e-3;

/// Times the exported code of a seed's model against its function by hand.
pub fn measure(kind: &Kind, seed: u64, (compiler, level): (&str, &str), precision: Precision) -> Measured {
    let Sketch { simulation, c, mut states } = (kind.draw)(seed);
    let is_single = precision == Precision::Single;
    let name = format!("{}-{seed}-{compiler}{level}{}", kind.name, if is_single { "-single" } else { "" });
    let program = Arc::new(compile(&simulation, &Registry::standard()).expect("it compiles"));
    let options =
        Options { name: "model", is_single_file: true, inlines_parameters: true, precision, params: &program.params };
    let code = export(&program, &simulation, &options).expect("it can be exported");
    let text = caller(&name, &program, &code, is_single);
    let (hand_text, extra) = match is_single {
        true => (format!("{SINGLE}{c}"), &[SINGLE_LITERALS][..]),
        false => (c, &[][..]),
    };
    let hand = Yardstick::built(&format!("{name}-hand"), &hand_text, (compiler, level), extra);
    let ours = Yardstick::built(&name, &text, (compiler, level), &[]);
    if is_single {
        states = packed(&states);
    }
    let (mut hand_states, mut our_states) = (states.clone(), vec![0.0; states.len().max(1)]);
    let [mut want, mut got] = [(); 2].map(|()| vec![0.0; COMPARED]);
    hand.run_logged(&mut hand_states, 0, &mut want);
    ours.run_logged(&mut our_states, 0, &mut got);
    match is_single {
        true => compare_single(&name, &got, &want),
        false => {
            for (step, (got, want)) in got.iter().zip(&want).enumerate() {
                assert!(got.to_bits() == want.to_bits(), "{name}: step {step} has {got:?}, by hand {want:?}");
            }
        }
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

/// Numbers of single precision one after the other in the memory of those of double precision, as many as before.
fn packed(values: &[f64]) -> Vec<f64> {
    let singles: Vec<u32> = values.iter().map(|value| (*value as f32).to_bits()).collect();
    let pairs = singles.chunks(2).map(|pair| {
        let [first, second] = [0, 1].map(|index| u64::from(pair.get(index).copied().unwrap_or(0)));
        f64::from_bits(if cfg!(target_endian = "little") { second << 32 | first } else { first << 32 | second })
    });
    let mut packed: Vec<f64> = pairs.collect();
    packed.resize(values.len(), 0.0);
    packed
}

/// The numbers of single precision in this memory.
fn unpacked(values: &[f64]) -> Vec<f32> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    bytes.chunks_exact(4).map(|four| f32::from_ne_bytes(four.try_into().expect("four bytes"))).collect()
}

fn compare_single(name: &str, got: &[f64], want: &[f64]) {
    let (got, want) = (unpacked(got), unpacked(want));
    let (got, want) = (&got[..COMPARED_SINGLE], &want[..COMPARED_SINGLE]);
    let largest = want.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
    for (step, (got, want)) in got.iter().zip(want).enumerate() {
        let is_close = (got - want).abs() <= SINGLE_DIFFERENCE * largest;
        assert!(is_close, "{name}: step {step} has {got:?}, by hand {want:?}");
    }
}

/// Writes the exported files to a folder; returns a file that includes and calls them.
fn caller(name: &str, program: &Program, code: &Code, is_single: bool) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("family").join(format!("{name}-files"));
    std::fs::create_dir_all(&folder).expect("a folder");
    for file in &code.files {
        std::fs::write(folder.join(&file.name), &file.text).expect("a file");
    }
    let exits = program.exits();
    let output = exits.first().map(|(title, ..)| identifier(title)).expect("an exit");
    let text = CALLER.replace("OUTPUT", &output);
    let text = if is_single { text.replace("double", "float") } else { text };
    format!("#include \"{}\"\n{text}", folder.join("model.c").display())
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
