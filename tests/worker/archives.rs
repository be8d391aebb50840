//! Archives of strangers: hostile ones are refused, damaged ones are errors.

use std::fs;
use std::io::{Cursor, Write as _};

use proptest::prelude::*;
use simulate::format::fmu::{Causality, Fmu, FmuError, FmuType};
use zip::write::SimpleFileOptions;

use super::{Trial, fmus};
use crate::cli::simulate;
use crate::random_cases;

const LAG: &str = "Lag.fmi2.fmu";

fn description() -> String {
    let bytes = fs::read(fmus().join(LAG)).expect("an FMU");
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).expect("a zip");
    std::io::read_to_string(zip.by_name("modelDescription.xml").expect("it")).expect("a text")
}

pub(super) fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        out.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        out.write_all(bytes).expect("it is written");
    }
    out.finish().expect("it is written").into_inner()
}

/// Reads and unpacks it.
fn unpacked(bytes: Vec<u8>) -> Result<(), FmuError> {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).expect("a folder");
    let result = Fmu::read(bytes).and_then(|fmu| fmu.unpack(&inner));
    let names: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(names.len(), 1, "nothing is written outside");
    result
}

#[test]
fn an_fmu_for_scheduled_execution_alone_says_so() {
    let about = |interfaces: &str| {
        let text = format!(
            "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"m\" instantiationToken=\"{{1}}\">{interfaces}\
             <ModelVariables/><ModelStructure/></fmiModelDescription>"
        );
        Fmu::read(archive(&[("modelDescription.xml", text.as_bytes())])).map(|_| ())
    };
    let scheduled = "<ScheduledExecution modelIdentifier=\"m\"/>";
    let problem = about(scheduled).expect_err("it cannot be used").to_string();
    assert!(problem.contains("offers scheduled execution only, which Simulate does not support"), "{problem}");
    let problem = about("").expect_err("it cannot be used").to_string();
    assert!(problem.contains("neither co-simulation nor model exchange"), "{problem}");
    assert!(about(&format!("{scheduled}<CoSimulation modelIdentifier=\"m\"/>")).is_ok());
}

#[test]
fn descriptions_of_both_versions_say_the_same() {
    for version in [2, 3] {
        let fmu = Fmu::read(fs::read(fmus().join(format!("Types.fmi{version}.fmu"))).expect("an FMU")).expect("an FMU");
        let about = &fmu.description;
        assert_eq!((about.name.as_str(), about.states, about.indicators), ("Types", 0, 0));
        assert!(about.interface(simulate::format::fmu::Simulated::ModelExchange).expect("it").can_save_state);
        let names: Vec<&str> = about.inputs().map(|input| input.name.as_str()).collect();
        assert_eq!(names[..4], ["real in", "int in", "bool in", "choice in"]);
        let text = about.variables.iter().find(|variable| variable.name == "text").expect("it");
        assert_eq!(
            (text.kind, text.causality, &text.start[..]),
            (FmuType::String, Causality::Parameter, &["hello".to_owned()][..])
        );
        let vector = about.inputs().find(|input| input.name == "vector in");
        assert_eq!(
            vector.map(|vector| (vector.width(), vector.start_numbers())),
            (version == 3).then(|| (3, vec![1.0, 2.0, 3.0]))
        );
        let lag =
            Fmu::read(fs::read(fmus().join(format!("Bounce.fmi{version}.fmu"))).expect("an FMU")).expect("an FMU");
        assert_eq!((lag.description.states, lag.description.indicators), (2, 1));
    }
}

/// The digest that `sha256sum` prints for three bytes is in FIPS 180-2; the file's is compared with `sha256sum` itself.
#[test]
fn the_hash_is_that_of_other_programs() {
    let path = fmus().join(LAG);
    let fmu = Fmu::read(fs::read(&path).expect("an FMU")).expect("an FMU");
    let output = std::process::Command::new("sha256sum").arg(&path).output().expect("coreutils");
    let expected = String::from_utf8(output.stdout).expect("a text");
    assert_eq!(Some(fmu.hash.as_str()), expected.split_whitespace().next());
}

#[test]
fn entries_outside_of_the_archive_are_refused() {
    let text = description();
    for name in ["../evil.so", "resources/../../evil", "/tmp/evil", "C:/evil", "resources\\..\\..\\evil", "a/b:c"] {
        let result = unpacked(archive(&[("modelDescription.xml", text.as_bytes()), (name, b"x")]));
        assert!(matches!(result, Err(FmuError::Outside(_))), "{name}: {result:?}");
    }
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    out.start_file("modelDescription.xml", SimpleFileOptions::default()).expect("an entry");
    out.write_all(text.as_bytes()).expect("it is written");
    out.add_symlink("resources/link", "/etc", SimpleFileOptions::default()).expect("an entry");
    let result = unpacked(out.finish().expect("it is written").into_inner());
    assert!(matches!(result, Err(FmuError::Link(_))), "{result:?}");
}

/// 3 GB of zeros in 3 MB.
#[test]
fn what_unpacks_to_too_much_is_refused() {
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().large_file(true);
    out.start_file("modelDescription.xml", options).expect("an entry");
    let zeros = vec![b' '; 1 << 20];
    for _ in 0..300 {
        out.write_all(&zeros).expect("it is written");
    }
    let result = unpacked(out.finish().expect("it is written").into_inner());
    assert!(matches!(result, Err(FmuError::Unpacked { .. })), "{result:?}");
}

#[test]
fn faults_of_a_description_have_their_places() {
    let text = description();
    let changes = [
        ("fmiVersion=\"2.0\"", "fmiVersion=\"1.0\"", "2:", "FMI 1.0 is not supported"),
        (
            "valueReference=\"2\"",
            "valueReference=\"two\"",
            "8:",
            "“two” is not a value of the attribute “valueReference”",
        ),
        ("name=\"T\"", "name=\"k\"", "1", "two variables have the name “k”"),
        ("</ModelStructure>", "", "", "modelDescription.xml:"),
        ("modelIdentifier=\"Lag\"", "modelIdentifier=\"../Lag\"", "3:", "is not a name of a library"),
        (
            "<Unknown index=\"5\"/></Derivatives>",
            "<Unknown index=\"99\"/></Derivatives>",
            "",
            "no variable with the index 99",
        ),
        ("guid=", "geo=", "", "has no attribute “guid”"),
    ];
    for (from, to, place, problem) in changes {
        assert!(text.contains(from), "{from}");
        let changed = text.replace(from, to);
        let error =
            Fmu::read(archive(&[("modelDescription.xml", changed.as_bytes())])).expect_err("it is wrong").to_string();
        assert!(error.contains(problem) && error.contains(&format!("modelDescription.xml:{place}")), "{to}: {error}");
    }
    assert!(matches!(Fmu::read(b"no archive".to_vec()), Err(FmuError::Archive(_))));
    assert!(matches!(Fmu::read(archive(&[("a", b"b")])), Err(FmuError::Missing(_))));
    // An entity that grows is not expanded.
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bbbbbbbb\">]><fmiModelDescription fmiVersion=\"2.0\" modelName=\"&b;\"/>";
    assert!(Fmu::read(archive(&[("modelDescription.xml", bomb.as_bytes())])).is_err());
}

#[test]
fn code_for_other_platforms_only_is_an_error_that_names_them() {
    let entries = [("modelDescription.xml", description()), ("binaries/win64/Lag.dll", "MZ".to_owned())];
    let entries: Vec<(&str, &[u8])> = entries.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let outcome = Trial::of(&archive(&entries), &["y"]).run("simple");
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("no code for this platform, linux64: it has code for: win64"), "{}", outcome.err);
}

#[test]
fn clocks_that_nobody_ticks_are_an_error_that_names_them() {
    let bytes = fs::read(fmus().join("Lag.fmi3.fmu")).expect("an FMU");
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).expect("a zip");
    let text = std::io::read_to_string(zip.by_name("modelDescription.xml").expect("it")).expect("a text");
    let clock = "<ModelVariables><Clock name=\"tick\" valueReference=\"999\" causality=\"input\" \
                 intervalVariability=\"triggered\"/>";
    let changed = text.replace("<ModelVariables>", clock);
    assert_ne!(changed, text);
    let outcome = Trial::of(&archive(&[("modelDescription.xml", changed.as_bytes())]), &["y"]).run("simple");
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("clocks that another program ticks (tick)"), "{}", outcome.err);
}

#[test]
fn check_prints_the_description() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(fmus().join(LAG), folder.path().join("lag.fmu")).expect("a copy");
    fs::write(folder.path().join("bad.fmu"), "no archive").expect("a file");
    let outcome = simulate(folder.path(), &["check", "lag.fmu"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let lines = ["lag.fmu: valid", "  name: Lag", "  FMI: 2.0", "  code for: linux64", "  states: 1"];
    for line in
        lines.iter().chain(&["    k: Float64, Tunable, start 2", "  experiment: start 0 s, stop 5 s, step 0.01 s"])
    {
        assert!(outcome.out.lines().any(|found| found == *line), "{line}: {}", outcome.out);
    }
    let outcome = simulate(folder.path(), &["check", "bad.fmu"]);
    assert_eq!(outcome.code, 2, "{}", outcome.out);
    assert!(outcome.out.contains("not a ZIP archive"), "{}", outcome.out);
    let outcome = simulate(folder.path(), &["check", "lag.fmu", "--format", "json"]);
    assert!(outcome.out.contains("\"co_simulation\": true"), "{}", outcome.out);
}

proptest! {
    #![proptest_config(random_cases(300))]

    /// A changed archive is read or refused.
    #[test]
    fn changed_bytes_of_an_archive_are_read_or_refused(at in any::<proptest::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = fs::read(fmus().join("Types.fmi3.fmu")).expect("an FMU");
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = unpacked(bytes);
    }

    /// A changed description is read or refused, with a place in it.
    #[test]
    fn changed_bytes_of_a_description_are_read_or_refused(at in any::<proptest::sample::Index>(), byte in any::<u8>()) {
        let mut text = description().into_bytes();
        let at = at.index(text.len());
        text[at] = byte;
        let _ = unpacked(archive(&[("modelDescription.xml", &text)]));
    }
}

/// Without its dependencies an output may follow every input at once; otherwise it follows those that are listed, in FMI 2
/// by their places among the variables, from 1 on, and in FMI 3 by their references.
#[test]
fn outputs_follow_the_inputs_that_they_depend_on() {
    let variables =
        [("x", ""), ("u", "input"), ("v", "input"), ("a", "output"), ("b", "output"), ("c", "output"), ("d", "output")];
    let causality = |of: &str| if of.is_empty() { String::new() } else { format!("causality=\"{of}\" ") };
    let second: String = variables
        .iter()
        .zip(10..)
        .map(|((name, of), at)| {
            format!("<ScalarVariable name=\"{name}\" {}valueReference=\"{at}\"><Real/></ScalarVariable>", causality(of))
        })
        .collect();
    let third: String = variables
        .iter()
        .zip(10..)
        .map(|((name, of), at)| format!("<Float64 name=\"{name}\" {}valueReference=\"{at}\"/>", causality(of)))
        .collect();
    let head = |version: &str, token: &str| {
        format!(
            "<fmiModelDescription fmiVersion=\"{version}\" modelName=\"M\" {token}=\"1\"><CoSimulation modelIdentifier=\"M\"/>"
        )
    };
    // a depends on v, b on x, c on nothing, and d is not said to.
    let texts = [
        format!(
            "{}<ModelVariables>{second}</ModelVariables><ModelStructure><Outputs><Unknown index=\"4\" dependencies=\"1 3\"/>\
             <Unknown index=\"5\" dependencies=\"1\"/><Unknown index=\"6\" dependencies=\"\"/><Unknown index=\"7\"/>\
             </Outputs></ModelStructure></fmiModelDescription>",
            head("2.0", "guid")
        ),
        format!(
            "{}<ModelVariables>{third}</ModelVariables><ModelStructure><Output valueReference=\"13\" dependencies=\"10 12\"/>\
             <Output valueReference=\"14\" dependencies=\"10\"/><Output valueReference=\"15\" dependencies=\"\"/>\
             <Output valueReference=\"16\"/></ModelStructure></fmiModelDescription>",
            head("3.0", "instantiationToken")
        ),
    ];
    for text in texts {
        let fmu = Fmu::read(archive(&[("modelDescription.xml", text.as_bytes())])).expect("an FMU");
        let found: Vec<(&str, bool)> =
            fmu.description.outputs().map(|output| (output.name.as_str(), output.is_direct)).collect();
        assert_eq!(found, [("a", true), ("b", false), ("c", false), ("d", true)], "{text}");
    }
}
