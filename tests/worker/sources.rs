//! FMUs that have no code for this platform: their sources are compiled, once the user has allowed them.

use std::fs;

use simulate::format::fmu::{Fmu, FmuError, Simulated};

use super::archives::archive;
use super::own::{LORENZ, can_load, exported_with};
use super::{Trial, columns};
use crate::cli::{folder, simulate};

const COUNTER: &str = include_str!("counter.c");
const DESCRIPTION: &str = "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"Counter\" instantiationToken=\"1\">\
    <CoSimulation modelIdentifier=\"counter\"/><ModelVariables>\
    <Float64 name=\"time\" valueReference=\"0\" causality=\"independent\"/>\
    <Float64 name=\"y\" valueReference=\"1\" causality=\"output\" initial=\"exact\" start=\"0\"/></ModelVariables>\
    <ModelStructure><Output valueReference=\"1\"/></ModelStructure></fmiModelDescription>";
const BUILD: &str = "<fmiBuildDescription fmiVersion=\"3.0\">\
    <BuildConfiguration modelIdentifier=\"other\"><SourceFileSet language=\"Fortran\"/></BuildConfiguration>\
    <BuildConfiguration modelIdentifier=\"counter\"><SourceFileSet language=\"C99\">\
    <SourceFile name=\"parts/counter.c\"/><PreprocessorDefinition name=\"STEP\" value=\"3\"/>\
    <IncludeDirectory name=\"headers\"/></SourceFileSet></BuildConfiguration></fmiBuildDescription>";

/// An FMU with only these sources, and a file that is no part of its library.
fn counter(source: &str, build: &str) -> Vec<u8> {
    archive(&[
        ("modelDescription.xml", DESCRIPTION.as_bytes()),
        ("sources/buildDescription.xml", build.as_bytes()),
        ("sources/parts/counter.c", source.as_bytes()),
        ("sources/headers/count.h", b"#define COUNT(step) (2.0 * (step))\n"),
        ("sources/other.c", b"#error not a part of it\n"),
    ])
}

#[test]
fn sources_of_our_own_export_have_the_bits_of_the_simulation() {
    if !can_load() {
        return;
    }
    let alone = folder(&[("model.simx", LORENZ)]);
    let args = ["run", "model.simx", "--signals", "exits", "--out", "out.csv", "--steps", "500"];
    assert_eq!(simulate(alone.path(), &args).code, 0);
    let expected = columns(&fs::read_to_string(alone.path().join("out.csv")).expect("results"))[1..].to_vec();
    for version in ["2", "3"] {
        let fmu = exported_with(LORENZ, version, &["--sources-only"]);
        assert!(Fmu::read(fmu.clone()).expect("an FMU").description.platforms.is_empty());
        let trial = Trial::of(&fmu, &["x", "y", "z"]).with_head("steps=\"500\" delta=\"0.001\"");
        assert_eq!(trial.results("compiled"), expected, "FMI {version}");
    }
}

/// The headers of FMI are not in the archive; its folders and definitions are those of the build description.
#[test]
fn sources_are_compiled_as_their_description_says() {
    if !can_load() {
        return;
    }
    let trial = Trial::of(&counter(COUNTER, BUILD), &["y"]).with_head("steps=\"4\" delta=\"0.1\"");
    let results = trial.results("simple");
    assert_eq!(results.iter().find(|(name, _)| name == "y").expect("it").1, [0.0, 6.0, 12.0, 18.0]);
}

#[test]
fn an_error_in_sources_names_its_line() {
    if !can_load() {
        return;
    }
    let source = COUNTER.replace("COUNT(STEP)", "unknown_name");
    let trial = Trial::of(&counter(&source, BUILD), &["y"]);
    let line = source.lines().position(|line| line.contains("unknown_name")).expect("it") + 1;
    let outcome = trial.run("simple");
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    let expected = format!("counter.c:{line}:");
    assert!(
        outcome.err.contains("its sources cannot be compiled: ") && outcome.err.contains(&expected),
        "{}",
        outcome.err
    );
    assert!(outcome.err.contains("unknown_name"), "{}", outcome.err);
}

/// A stranger's build description gives the compiler no options.
#[test]
fn odd_build_descriptions_are_refused() {
    let sources = |build: &str| Fmu::read(counter(COUNTER, build)).expect("an FMU").sources(Simulated::CoSimulation);
    let found = sources(BUILD).expect("sources");
    assert_eq!((found.files, found.includes), (vec!["parts/counter.c".to_owned()], vec!["headers".to_owned()]));
    assert_eq!(found.definitions, [("STEP".to_owned(), "3".to_owned())]);
    for path in ["../counter.c", "/counter.c", "-oevil.c", "parts/../../counter.c"] {
        let result = sources(&BUILD.replace("parts/counter.c", path));
        assert!(matches!(result, Err(FmuError::Outside(_))), "{path}: {result:?}");
    }
    for (text, to, said) in [
        ("name=\"STEP\"", "name=\"A B\"", "is not the name of a definition"),
        ("language=\"C99\"", "language=\"C++11\"", "written in C++11; only C is compiled"),
        ("modelIdentifier=\"counter\"", "modelIdentifier=\"another\"", "no sources are named"),
        ("</BuildConfiguration></fmi", "</Build></fmi", "not well-formed XML"),
        ("<SourceFile name=\"parts/counter.c\"/>", "<SourceFile/>", "<SourceFile> has no attribute “name”"),
    ] {
        let result = sources(&BUILD.replace(text, to)).expect_err(text).to_string();
        assert!(result.contains(said), "{text}: {result}");
    }
}

/// In FMI 2 the description of the model lists the files; without a list all files are compiled.
#[test]
fn the_files_of_fmi_2_are_in_its_description() {
    let text = |list: &str| {
        format!(
            "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"A\" guid=\"1\">\
             <ModelExchange modelIdentifier=\"a\"/><CoSimulation modelIdentifier=\"a\">{list}</CoSimulation>\
             <ModelVariables/><ModelStructure/></fmiModelDescription>"
        )
    };
    let sources = |list: &str, simulated: Simulated| {
        let text = text(list);
        let files: [(&str, &[u8]); 4] = [
            ("modelDescription.xml", text.as_bytes()),
            ("sources/b.c", b""),
            ("sources/a.c", b""),
            ("sources/inner/c.c", b""),
        ];
        Fmu::read(archive(&files)).expect("an FMU").sources(simulated).expect("sources").files
    };
    let list = "<SourceFiles><File name=\"all.c\"/><File name=\"inner/c.c\"/></SourceFiles>";
    assert_eq!(sources(list, Simulated::CoSimulation), ["all.c", "inner/c.c"]);
    assert_eq!(sources(list, Simulated::ModelExchange), ["a.c", "b.c"]);
    assert_eq!(sources("", Simulated::CoSimulation), ["a.c", "b.c"]);
}
