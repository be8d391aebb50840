//! What the code looks like, what protects its bits, and what is refused.

use std::process::Command;
use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::compile;
use simulate::export::c::{Code, Options, Precision, export};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader as _};
use simulate::model::ParamAddress;

use super::bench::is_installed;

fn exported(text: &str, inlines_parameters: bool) -> Result<Code, String> {
    let loaded = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it can be read");
    let program = Arc::new(compile(&loaded.simulation, &Registry::standard()).expect("it compiles"));
    let options = Options {
        name: "Test",
        is_single_file: false,
        inlines_parameters,
        precision: Precision::Double,
        params: &program.params,
    };
    export(&program, &loaded.simulation, &options).map_err(|refusal| refusal.to_string())
}

fn file<'a>(code: &'a Code, name: &str) -> &'a str {
    &code.files.iter().find(|file| file.name == name).expect("the file").text
}

/// Returns a model in which the input is multiplied and integrated.
fn gain() -> String {
    use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation};
    let mut simulation = Simulation::new("Main");
    simulation.delta = 0.5;
    simulation.attributes.set("solver", "rk4");
    let model = simulation.model_mut("Main").expect("the root");
    model.add_block(Block::new(BlockId(0), BlockKind::entry("Set */ Point")));
    let gain = Block::new(BlockId(1), BlockKind::library("Math", "Gain")).with_option("Gain", &["3"]);
    model.add_block(gain);
    model.add_block(Block::new(BlockId(2), BlockKind::library("Math", "Integrate")));
    model.add_block(Block::new(BlockId(3), BlockKind::exit("Result")));
    for (from, output, to, input) in [(0, "Output", 1, "Input"), (1, "Output", 2, "Input"), (2, "Output", 3, "Input")] {
        model.connect(Connection::new(BlockId(from), output, BlockId(to), input));
    }
    String::from_utf8(Simx.write(&simulation).expect("it can be written")).expect("a text")
}

#[test]
fn names_come_from_the_diagram_and_comments_name_the_blocks() {
    let code = exported(&gain(), false).expect("it can be exported");
    let (head, text) = (file(&code, "test.h"), file(&code, "test.c"));
    assert_eq!(code.inputs, ["set_point"]);
    for part in ["double set_point;", "double result; /* Result */", "int32_t test_step(test_t *self);"] {
        assert!(head.contains(part), "{part}\n{head}");
    }
    for part in
        ["/* #1 (Math/Gain) */", "self->inputs.set_point", "self->outputs.result = self->states.x[TEST_X_INTEGRATE_2];"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // The same file gives the same bytes.
    assert_eq!(code.files, exported(&gain(), false).expect("again").files);
    let trace: serde_json::Value = serde_json::from_str(file(&code, "test.trace.json")).expect("JSON");
    let lines = trace["blocks"]["#1"].as_array().expect("lines of the gain");
    let first = lines[0][0].as_u64().expect("a line") as usize;
    assert_eq!(text.lines().nth(first - 1).map(str::trim), Some("/* #1 (Math/Gain) */"));
}

/// Returns a model whose ports have these names.
fn with_ports(names: &[&str]) -> simulate::model::Simulation {
    use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation};
    let mut simulation = Simulation::new("Main");
    let model = simulation.model_mut("Main").expect("the root");
    for (number, name) in names.iter().enumerate() {
        let [entry, gain, exit] = [0, 1, 2].map(|part| BlockId(3 * number as i128 + part));
        model.add_block(Block::new(entry, BlockKind::entry(&format!("{name} "))));
        let mut block = Block::new(gain, BlockKind::library("Math", "Integrate"));
        block.attributes.set("label", name);
        model.add_block(block);
        model.add_block(Block::new(exit, BlockKind::exit(name)));
        model.connect(Connection::new(entry, "Output", gain, "Input"));
        model.connect(Connection::new(gain, "Output", exit, "Input"));
    }
    simulation
}

/// Exports a model under a name, and compiles its files as C and its header as C++.
#[track_caller]
fn compiles(simulation: &simulate::model::Simulation, name: &str) -> Code {
    let program = Arc::new(compile(simulation, &Registry::standard()).expect("it compiles"));
    let options = Options {
        name,
        is_single_file: false,
        inlines_parameters: false,
        precision: Precision::Double,
        params: &program.params,
    };
    let code = export(&program, simulation, &options).expect("it can be exported");
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("it is written");
    code.files.iter().for_each(|file| write(&file.name, &file.text));
    write("header.cpp", &format!("#include \"{0}.h\"\n{0}_t instance;\n", code.name));
    let sources = code.files.iter().map(|file| &*file.name).filter(|name| name.ends_with(".c"));
    for (compilers, sources) in [(["gcc", "clang"], sources.collect()), (["g++", "clang++"], vec!["header.cpp"])] {
        for compiler in compilers.into_iter().filter(|compiler| is_installed(compiler)) {
            let mut command = Command::new(compiler);
            command.args(["-fsyntax-only", "-Wall", "-Werror", "-ffp-contract=off", "-I."]).args(&sources);
            let done = command.current_dir(folder.path()).output().expect("it starts");
            assert!(done.status.success(), "{name}, {compiler}: {}", String::from_utf8_lossy(&done.stderr));
        }
    }
    code
}

#[test]
fn names_of_ports_are_no_words_of_c_or_of_its_libraries() {
    let names = "this class new delete int operator template typename virtual bool true nullptr alignas thread_local constexpr \
        wchar_t co_await requires namespace private public export and xor compl size_t int32_t uint8_t errno stdin assert \
        isnan signbit copysign fabs fmod memcpy self main x i status outputs linux near interface double_t";
    let names: Vec<&str> = names.split_whitespace().collect();
    let code = compiles(&with_ports(&names), "Test");
    assert!(file(&code, "test.h").contains("double class_2;"));
}

/// The files of such a model would take the places of those of the mathematics, or of the library of C.
#[test]
fn names_of_models_are_no_words_of_c_and_no_files_of_its_library() {
    let simulation = with_ports(&["y"]);
    for name in
        ["simulate_math", "simulate", "Simulate Math", "math", "string", "float", "this", "class", "new", "main"]
    {
        let code = compiles(&simulation, name);
        let mut files: Vec<&str> = code.files.iter().map(|file| &*file.name).collect();
        let count = files.len();
        files.sort();
        files.dedup();
        assert_eq!(files.len(), count, "{name}");
    }
}

/// Such characters make code look like another: what is behind them is shown before them, or on a line of its own.
#[test]
fn comments_have_no_characters_that_change_how_code_looks() {
    let hidden: Vec<char> = "\u{202A}\u{202E}\u{2066}\u{2069}\u{200F}\u{61C}\u{2028}\u{200B}\u{FEFF}".chars().collect();
    let name = format!("a{}b", hidden.iter().collect::<String>());
    let code = compiles(&with_ports(&[&name]), "Test");
    for file in code.files.iter().filter(|file| file.name.ends_with(".c") || file.name.ends_with(".h")) {
        assert!(!file.text.contains(&hidden[..]), "{}", file.name);
    }
}

#[test]
fn parameters_are_constants_where_that_is_wanted() {
    let code = exported(&gain(), true).expect("it can be exported");
    let (head, text) = (file(&code, "test.h"), file(&code, "test.c"));
    assert!(!head.contains("test_parameters"), "{head}");
    assert!(text.contains("self->inputs.set_point * 3.0") || text.contains("3.0 * self->inputs.set_point"), "{text}");
}

#[test]
fn flags_that_change_bits_are_refused_by_the_files_themselves() {
    let code = exported(&gain(), false).expect("it can be exported");
    let folder = tempfile::tempdir().expect("a folder");
    for file in &code.files {
        std::fs::write(folder.path().join(&file.name), &file.text).expect("a file");
    }
    for compiler in ["gcc", "clang"].into_iter().filter(|compiler| is_installed(compiler)) {
        let compiled = |flags: &[&str]| {
            let mut command = Command::new(compiler);
            command.current_dir(folder.path()).args(["-std=c99", "-c", "-o", "test.o"]).args(flags).arg("test.c");
            let output = command.output().expect("the compiler");
            (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        assert!(compiled(&[]).0);
        for flags in [&["-ffast-math"][..], &["-Ofast"], &["-ffinite-math-only"]] {
            let (is_done, text) = compiled(flags);
            assert!(!is_done && text.contains("they change results"), "{compiler} {flags:?}: {text}");
        }
        if cfg!(target_arch = "x86_64") && compiler == "gcc" {
            let (is_done, text) = compiled(&["-mfpmath=387"]);
            assert!(!is_done && text.contains("double precision"), "{text}");
        }
    }
}

/// A parameter that changes between steps acts as it does in a run.
#[test]
fn a_parameter_changes_between_steps() {
    check_changes(&gain(), "Gain", "gain_1_gain");
}

/// The parameters of code are parts of the struct by their names.
#[test]
fn parameters_of_code_change_between_steps() {
    let function = "<block id=\"1\" group=\"User\" name=\"Function\"><option name=\"Code\"><value>function y = f(u, kp, table)\n\
        persistent x\nif isempty(x), x = table(1); end\nx = x + kp * u;\ny = min(x, table(end));\nend</value></option>\
        <option name=\"kp\"><value>3</value></option><option name=\"table\"><value>[0.5 9]</value></option></block>";
    let text = format!(
        "<simulation root=\"Main\" steps=\"6\" delta=\"0.5\"><model name=\"Main\"><entry id=\"0\" name=\"Set */ Point\"/>\
         {function}<exit id=\"3\" name=\"Result\"/><connection from=\"0\" output=\"Output\" to=\"1\" input=\"u\"/>\
         <connection from=\"1\" output=\"y\" to=\"3\" input=\"Input\"/></model></simulation>"
    );
    let head = exported(&text, false).expect("it can be exported");
    assert!(file(&head, "test.h").contains("double function_1_table[2];"), "{}", file(&head, "test.h"));
    check_changes(&text, "kp", "function_1_kp");
}

/// Compares exported code whose parameter changes between steps with a run.
fn check_changes(text: &str, param: &str, field: &str) {
    use simulate::engine::{Context, Engines, Samples};
    use simulate::model::BlockId;
    let code = exported(text, false).expect("it can be exported");
    let loaded = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it can be read");
    let program = Arc::new(compile(&loaded.simulation, &Registry::standard()).expect("it compiles"));
    let mut context = Context::new(&program);
    let mut execute = Engines::standard().get("simple").expect("it").prepare(&program).expect("it runs");
    let mut expected = String::new();
    for step in 0..6 {
        let gain = if step < 3 { 3.0 } else { 0.1 };
        context.set_param(&program, &ParamAddress::new(&[], BlockId(1), param), &[gain]).expect("it can be set");
        context
            .set_param(&program, &ParamAddress::new(&[], BlockId(0), "Initial Value"), &[f64::from(step) + 0.3])
            .expect("an input");
        execute.run(&mut context, 1, &mut Samples::default()).expect("it runs");
        let value = context.exits(&program)[0].1.as_ref().expect("a value")[0];
        expected += &format!("{:016x}\n", value.to_bits());
    }
    let folder = tempfile::tempdir().expect("a folder");
    for file in &code.files {
        std::fs::write(folder.path().join(&file.name), &file.text).expect("a file");
    }
    let main = "#include <inttypes.h>\n#include <stdio.h>\n#include <string.h>\n#include \"test.h\"\n\
        int main(void)\n{\n    static test_t self;\n    test_init(&self);\n\
        for (int step = 0; step < 6; step++) {\n        uint64_t bits;\n\
        self.parameters.FIELD = (step < 3) ? 3.0 : 0.1;\n        test_apply_parameters(&self);\n\
        self.inputs.set_point = step + 0.3;\n        test_step(&self);\n\
        memcpy(&bits, &self.outputs.result, 8);\n        printf(\"%016\" PRIx64 \"\\n\", bits);\n    }\n    return 0;\n}\n";
    std::fs::write(folder.path().join("own.c"), main.replace("FIELD", field)).expect("a file");
    for compiler in ["gcc", "clang"].into_iter().filter(|compiler| is_installed(compiler)) {
        let mut command = Command::new(compiler);
        command.current_dir(folder.path()).args(["-std=c99", "-O2", "own.c", "test.c", "simulate_math.c", "-lm"]);
        let built = command.output().expect("the compiler");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let ran = Command::new(folder.path().join("a.out")).output().expect("it starts");
        assert_eq!(String::from_utf8_lossy(&ran.stdout), expected, "{compiler}");
    }
}

#[test]
fn what_cannot_be_exported_is_refused_with_its_block() {
    let solver = gain().replace("rk4", "dopri45");
    assert_eq!(
        exported(&solver, false).expect_err("a variable step"),
        "the solver “dopri45” has no fixed step; choose euler, heun, rk4, dopri5 or dopri8 for the simulation, or \
         backward-euler, trapezoidal or rodas4 for a stiff model"
    );
}
