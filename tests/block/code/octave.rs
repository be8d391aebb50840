//! The results of GNU Octave.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Case, Results, STEPS};

/// Returns the stored results of each program: for each step the elements of all results, row after row. With
/// `UPDATE_OCTAVE=1` Octave computes and stores them.
pub fn results(file: &Path, cases: &[Case]) -> Vec<Results> {
    if std::env::var_os("UPDATE_OCTAVE").is_some() {
        fs::write(file, computed(cases)).expect("the results are written");
    }
    let text = fs::read_to_string(file).expect("the results of Octave");
    let number = |hex: &str| f64::from_bits(u64::from_str_radix(hex, 16).expect("the bits of a number"));
    let mut lines = text.lines();
    let results: Vec<Results> = cases
        .iter()
        .map(|case| {
            assert_eq!(lines.next(), Some(case.name.as_str()), "the results of Octave are those of other programs");
            let mut step = || lines.next().expect("a line for each step").split_whitespace().map(number).collect();
            case.shown.clone().map(|_| step()).collect()
        })
        .collect();
    assert_eq!(lines.next(), None, "each result belongs to a program");
    results
}

/// Runs the programs in Octave.
fn computed(cases: &[Case]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let mut script = String::from(
        "1;\nfunction show(x)\n  x = double(x).';\n  h = num2hex(x(:));\n  for i = 1:rows(h), printf('%s ', h(i, :)); end\nend\n",
    );
    for (number, case) in cases.iter().enumerate() {
        let name = format!("case_{number}");
        let head = case.code.lines().next().expect("the line of the function");
        let outputs = match head.split_once('=') {
            Some((outputs, _)) => outputs.matches([',', ' ']).count().min(outputs.matches(',').count()) + 1,
            None => 1,
        };
        let code = case.code.replacen(" f(", &format!(" {name}("), 1);
        fs::write(folder.path().join(format!("{name}.m")), code).expect("a file of a function");
        let _ = writeln!(script, "printf('{}\\n');", case.name);
        for step in 0..STEPS {
            let column = |input: usize| {
                let values = case.values(input, step);
                format!("[{}]", values.iter().map(f64::to_string).collect::<Vec<_>>().join("; "))
            };
            let arguments: Vec<String> = (0..case.inputs.len()).map(column).collect();
            let results: Vec<String> = (0..outputs).map(|output| format!("r{output}")).collect();
            let _ = writeln!(script, "[{}] = {name}({});", results.join(", "), arguments.join(", "));
            if case.shown.contains(&step) {
                results.iter().for_each(|result| script.push_str(&format!("show({result}); ")));
                script.push_str("printf('\\n');\n");
            }
        }
    }
    fs::write(folder.path().join("run_all.m"), script).expect("the script");
    // The hints for code generators, which Octave does not know.
    let hints = "function s = coder()\n  s = struct('inline', @(of) 0, 'nullcopy', @(of) of);\nend\n";
    fs::write(folder.path().join("coder.m"), hints).expect("the hints");
    let octave = Command::new("octave-cli").args(["--norc", "run_all.m"]).current_dir(folder.path()).output();
    let octave = octave.expect("GNU Octave is there");
    let problem = String::from_utf8_lossy(&octave.stderr);
    let failed = problem.split("case_").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse::<usize>().ok());
    let code = failed.and_then(|number| cases.get(number)).map_or("", |case| &case.code);
    assert!(octave.status.success(), "{problem}\n{code}");
    let text = String::from_utf8(octave.stdout).expect("numbers");
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
