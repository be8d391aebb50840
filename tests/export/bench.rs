//! Compiles exported code of many simulations into one program, runs it, and compares what it prints with the reference
//! engine.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use simulate::block::{Registry, SignalType, element_names, hex_text};
use simulate::engine::{Context, Engines, Program, Samples, compile, is_unset};
use simulate::export::c::{Code, Options, Precision, Refusal, export};
use simulate::model::{BlockId, BlockKind, ParamAddress, Simulation};

/// Flags with which the code must compile without a warning.
pub const FLAGS: [&str; 6] = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"];
/// A compiler and its flags.
pub type Build = (&'static str, &'static [&'static str]);
/// Compilers, with flags that must not change a bit.
pub const BUILDS: [Build; 4] = [
    ("gcc", &["-O2", "-ffp-contract=off"]),
    ("gcc", &["-O0", "-ffp-contract=off"]),
    ("clang", &["-O2", "-ffp-contract=off"]),
    ("clang", &["-O0", "-ffp-contract=off"]),
];
/// Flags that allow fused multiply-add, which the files themselves forbid.
const FUSED: [Build; 2] = [("gcc", &["-O3", "-march=x86-64-v3"]), ("clang", &["-O3", "-march=x86-64-v3"])];

/// All builds that this machine can run.
pub fn all_builds() -> Vec<Build> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("bmi2") {
        return BUILDS.into_iter().chain(FUSED).collect();
    }
    BUILDS.to_vec()
}

/// How a simulation is tried.
#[derive(Clone, Debug)]
pub struct Trial {
    pub name: String,
    pub simulation: Simulation,
    pub steps: u64,
    /// For each input the values of each step; the last ones stay.
    pub inputs: Vec<(String, Vec<Vec<f64>>)>,
    pub inlines_parameters: bool,
    pub precision: Precision,
    /// The engine that the code is compared with.
    pub engine: &'static str,
}

/// A simulation as code, and what its test bench must print.
#[derive(Debug)]
pub struct Case {
    pub name: String,
    pub code: Code,
    pub steps: u64,
    pub inputs: Option<String>,
    pub expected: String,
}

impl Trial {
    pub fn new(name: &str, simulation: Simulation, steps: u64) -> Trial {
        let name = name.to_owned();
        Trial {
            name,
            simulation,
            steps,
            inputs: Vec::new(),
            inlines_parameters: false,
            precision: Precision::Double,
            engine: "simple",
        }
    }

    /// Exports the simulation and runs it on the engine.
    pub fn case(&self) -> Result<Case, Refusal> {
        let program = Arc::new(compile(&self.simulation, &Registry::standard()).expect("it compiles"));
        let options = Options {
            name: &self.name,
            is_single_file: true,
            inlines_parameters: self.inlines_parameters,
            precision: self.precision,
            params: &program.params,
        };
        let code = export(&program, &self.simulation, &options)?;
        let expected = self.table(&program);
        let (name, steps) = (code.name.clone(), self.steps);
        Ok(Case { name, code, steps, inputs: self.input_table(), expected })
    }

    fn input_table(&self) -> Option<String> {
        let rows = self.inputs.iter().map(|(_, rows)| rows.len()).max()?;
        let names = self.inputs.iter().flat_map(|(name, rows)| element_names(name, &SignalType::plain(rows[0].len())));
        let mut text = names.collect::<Vec<_>>().join(",") + "\n";
        for row in 0..rows {
            let values = self.inputs.iter().flat_map(|(_, rows)| &rows[row.min(rows.len() - 1)]);
            text += &(values.map(|value| hex_text(*value)).collect::<Vec<_>>().join(",") + "\n");
        }
        Some(text)
    }

    /// Returns what the test bench must print.
    fn table(&self, program: &Arc<Program>) -> String {
        let exits = program.exits();
        let mut text = "step,time".to_owned();
        for (name, _, output) in &exits {
            for name in element_names(name, &program.output_type(*output)) {
                text += &format!(",{name}");
            }
        }
        text.push('\n');
        let engines = Engines::standard();
        let mut execute = engines.get(self.engine).expect("the engine").prepare(program).expect("it runs");
        let mut context = Context::new(program);
        let root = self.simulation.root_model().expect("a root");
        let entry = |name: &str| -> BlockId {
            let is_it = |kind: &BlockKind| matches!(kind, BlockKind::Entry { name: known } if **known == *name);
            root.blocks.values().find(|block| is_it(&block.kind)).expect("the entry").id
        };
        let mut samples = Samples::new(exits.iter().map(|(_, _, output)| *output));
        for step in 0..self.steps {
            for (name, rows) in &self.inputs {
                let values = &rows[(step as usize).min(rows.len() - 1)];
                context
                    .set_param(program, &ParamAddress::new(&[], entry(name), "Initial Value"), values)
                    .expect("it can be set");
            }
            let count = if self.inputs.is_empty() { self.steps } else { 1 };
            let ran = execute.run(&mut context, count, &mut samples);
            let rows = samples.len();
            for row in 0..rows {
                let number = samples.first() + row as u64;
                let _ = write!(text, "{number},{}", hex_text(number as f64 * program.delta));
                for watch in samples.watches() {
                    let width = watch.values.len() / rows;
                    for value in &watch.values[row * width..(row + 1) * width] {
                        text.push(',');
                        if !is_unset(*value) {
                            text += &hex_text(*value);
                        }
                    }
                }
                text.push('\n');
            }
            let is_over = ran.is_err() || samples.end().is_some() || self.inputs.is_empty();
            samples.clear();
            if is_over {
                break;
            }
        }
        text
    }
}

pub fn is_installed(compiler: &str) -> bool {
    let is_there = Command::new(compiler).arg("--version").output().is_ok();
    if !is_there {
        eprintln!("{compiler} is not installed: exported code is not tried with it");
    }
    is_there
}

/// Writes the code of all cases with a program that runs one of them; returns the files to be compiled.
fn written(cases: &[Case], folder: &Path) -> Vec<PathBuf> {
    let mut driver = "#include <string.h>\n".to_owned();
    let mut calls = String::new();
    let mut sources = vec![folder.join("driver.c")];
    for Case { name, code, inputs, .. } in cases {
        for file in &code.files {
            if file.name.ends_with(".c") || file.name.ends_with(".h") {
                std::fs::write(folder.join(&file.name), &file.text).expect("a file");
            }
        }
        if let Some(inputs) = inputs {
            std::fs::write(folder.join(format!("{name}.csv")), inputs).expect("a file");
        }
        let unit = format!("#include \"{name}.c\"\n#define main {name}_bench\n#include \"{name}_main.c\"\n");
        let path = folder.join(format!("{name}_unit.c"));
        std::fs::write(&path, unit).expect("a file");
        sources.push(path);
        driver += &format!("int {name}_bench(int count, char *arguments[]);\n");
        calls +=
            &format!("    if (strcmp(arguments[1], \"{name}\") == 0) return {name}_bench(count - 1, arguments + 1);\n");
    }
    driver += &format!("int main(int count, char *arguments[])\n{{\n{calls}    return 3;\n}}\n");
    std::fs::write(&sources[0], driver).expect("a file");
    sources
}

/// Returns what the code of each case prints with a build, if that is installed.
pub fn printed(cases: &[Case], (compiler, flags): Build) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    let sources = written(cases, folder.path());
    if !is_installed(compiler) {
        return None;
    }
    let binary = folder.path().join("bench");
    let mut command = Command::new(compiler);
    let built = command.args(FLAGS).args(flags).arg("-o").arg(&binary).args(&sources).arg("-lm").output();
    let built = built.expect("the compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let text = |case: &Case| String::from_utf8(run(case, &binary, folder.path()).stdout).expect("a text");
    Some(cases.iter().map(text).collect())
}

/// Compiles all cases with each build that is installed, runs them and returns what differs.
pub fn differences(cases: &[Case], builds: &[Build]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let sources = written(cases, folder.path());
    let try_build = |(number, (compiler, flags)): (usize, &Build)| -> Vec<String> {
        if !is_installed(compiler) {
            return Vec::new();
        }
        let binary = folder.path().join(format!("bench_{number}"));
        let built =
            Command::new(compiler).args(FLAGS).args(*flags).arg("-o").arg(&binary).args(&sources).arg("-lm").output();
        let built = built.expect("the compiler");
        if !built.status.success() {
            let text = String::from_utf8_lossy(&built.stderr).into_owned();
            return vec![format!("{compiler} {flags:?}:\n{}", text.chars().take(3000).collect::<String>())];
        }
        let differs =
            |case: &Case| Some(format!("{compiler} {flags:?}: {}", difference(case, &binary, folder.path())?));
        cases.iter().filter_map(differs).collect()
    };
    std::thread::scope(|scope| {
        let builds: Vec<_> = builds.iter().enumerate().map(|build| scope.spawn(move || try_build(build))).collect();
        builds.into_iter().flat_map(|build| build.join().expect("no panic")).collect()
    })
}

/// Runs the code of a case; returns what it prints.
fn run(case: &Case, binary: &Path, folder: &Path) -> Output {
    let mut command = Command::new(binary);
    command.current_dir(folder).arg(&case.name).arg(case.steps.to_string());
    if case.inputs.is_some() {
        command.arg(format!("{}.csv", case.name));
    }
    command.output().expect("it starts")
}

/// Returns the first difference between what the code of a case prints and what it must print.
fn difference(case: &Case, binary: &Path, folder: &Path) -> Option<String> {
    let ran = run(case, binary, folder);
    let got = String::from_utf8(ran.stdout).expect("a text");
    let pair = case.expected.lines().zip(got.lines()).find(|(expected, got)| expected != got);
    if let Some((expected, got)) = pair {
        let columns = expected.split(',').zip(got.split(',')).zip(case.expected.lines().next()?.split(','));
        let column = columns
            .filter(|((expected, got), _)| expected != got)
            .map(|((expected, got), name)| format!("{name}: {expected} expected, not {got}"));
        let step = expected.split(',').next().unwrap_or_default();
        return Some(format!("{} in step {step}: {}", case.name, column.take(3).collect::<Vec<_>>().join("; ")));
    }
    let (expected, lines) = (case.expected.lines().count(), got.lines().count());
    let error = String::from_utf8_lossy(&ran.stderr).into_owned();
    (expected != lines).then(|| format!("{}: {expected} lines expected, not {lines} {error}", case.name))
}

/// Fails if a build of the cases differs, or none is there to be compared.
#[track_caller]
pub fn check(cases: &[Case], builds: &[Build]) {
    assert!(!cases.is_empty(), "there are cases");
    let found = differences(cases, builds);
    assert!(
        found.is_empty(),
        "{} differ:\n{}",
        found.len(),
        found.iter().take(20).cloned().collect::<Vec<_>>().join("\n")
    );
}
