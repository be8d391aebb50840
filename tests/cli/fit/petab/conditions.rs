//! Enzymes and signals of a cell in six experiments each, with a standard deviation for each measured value.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Problem, assert_sum, assert_values, fitted, folder};

/// The data file of an experiment, from a table of experiment, time, signal, value and standard deviation: a column of times,
/// and for each signal that was measured its values and weights, which are empty at other times.
fn experiment(table: &str, number: u32) -> String {
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let own: Vec<&Vec<&str>> = rows.iter().filter(|row| row[0] == number.to_string()).collect();
    let signals: BTreeSet<&str> = own.iter().map(|row| row[2]).collect();
    let mut text = "time".to_owned();
    signals.iter().for_each(|signal| write!(text, ",{signal},w{signal}").expect("a string"));
    for row in own {
        write!(text, "\n{}", row[1]).expect("a string");
        for signal in &signals {
            let weight = 1.0 / row[4].parse::<f64>().expect("a number");
            let cells = if *signal == row[2] { format!(",{},{weight}", row[3]) } else { ",,".to_owned() };
            text.push_str(&cells);
        }
    }
    text + "\n"
}

/// A folder with the model and the data files of six experiments, `d1.csv` to `d6.csv`.
fn six_experiments(problem: &Problem, table: &str) -> (tempfile::TempDir, Vec<String>) {
    let names: Vec<String> = (1..=6).map(|number| format!("d{number}.csv")).collect();
    let tables: Vec<String> = (1..=6).map(|number| experiment(table, number)).collect();
    let file = problem.file();
    let mut files = vec![("m.simx", &*file)];
    files.extend(names.iter().zip(&tables).map(|(name, table)| (&**name, &**table)));
    (folder(&files), names)
}

/// The steps that enzymes of plants split carotenoids in (Bruno et al., Journal of Experimental Botany 67 (2016) 5993). In
/// each experiment one of them is there at first, and all rates are `szea` times as high in two.
const BRUNO: Problem = Problem {
    equations: "_m = 1 + zs*(szea - 1); _c = ic + c; _b = ib + b; _y = iy + y; _o = io + o; _z = iz + z; \
        c' = -_m*kb1*_c; b' = _m*(kb1*_c - kb2*_b + kc1*_y); y' = -_m*(kc1 + kc2)*_y; \
        o' = _m*(kc2*_y - kc4*_o + k5*_z); z' = -_m*k5*_z; bcar = _c; b10 = _b; bcry = _y; ohb10 = _o; zea = _z",
    initial: "",
    params: &[
        ("k5", 1e-5, 1e3, 0.1),
        ("kb1", 1e-5, 1e3, 0.1),
        ("kb2", 1e-5, 1e3, 0.1),
        ("kc1", 1e-5, 1e3, 0.1),
        ("kc2", 1e-5, 1e3, 0.1),
        ("kc4", 1e-5, 1e3, 0.1),
        ("szea", 1e-5, 1e3, 0.1),
    ],
    constants: &[("zs", 0.0), ("ic", 0.0), ("ib", 0.0), ("iy", 0.0), ("io", 0.0), ("iz", 0.0)],
    solver: r#"solver="rodas34" rtol="1e-7""#,
    steps: 37,
    delta: 5.0,
    outputs: &["bcar", "b10", "bcry", "ohb10", "zea"],
};

/// The first amount is a parameter of each experiment alone. SciPy's sum of the published values, and the least it
/// finds, is 65.1114261.
#[test]
fn enzymes_that_split_carotenoids() {
    let (folder, names) = six_experiments(&BRUNO, include_str!("bruno.csv"));
    let weights: Vec<String> = BRUNO.outputs.iter().map(|signal| format!("{signal}=w{signal}")).collect();
    let mut args = Vec::new();
    weights.iter().for_each(|weight| args.extend(["--weight", &**weight]));
    let params = BRUNO.params();
    params.iter().for_each(|param| args.extend(["--parameter", &**param]));
    let begins = ["ib", "ic", "ic", "iy", "io", "iz"].map(|begin| format!("{begin}.Value=1e-5:1e3:log"));
    let sets = ["ib", "ic", "ic", "iy", "io", "iz"].map(|begin| format!("{begin}.Value=0.1"));
    for (number, name) in names.iter().enumerate() {
        args.extend(["--data", name, "--parameter-for", name, &begins[number], "--set-for", name, &sets[number]]);
        if [2, 5].contains(&number) {
            args.extend(["--set-for", name, "zs.Value=1"]);
        }
    }
    let result = fitted(folder.path(), &args);
    assert_sum(&result, 65.1114261, 1e-6);
    let right = [
        ("k5", 0.003086673219173),
        ("kb1", 0.016628409992721),
        ("kb2", 0.005843831819271),
        ("kc1", 0.001678825242274),
        ("kc2", 0.006975989070463),
        ("kc4", 0.006082700899195),
        ("szea", 0.516831766210391),
    ];
    assert_values(&BRUNO, &result, &right, 1e-4);
}

/// Epidermal growth factor at six concentrations and the signal behind its receptor (Fujita et al., Science Signaling 3 (2010)
/// ra56): nine states, rates and amounts over fifteen orders of magnitude, of which few are determined alone.
const FUJITA: Problem = Problem {
    equations: "_e = e0 + e; _a = a0 + a; _s = s0 + s; _1 = egf*_e*k1 - b*q1; _2 = _a*f*k2 - g*q2; \
        _5 = _s*h*k5 - c*q5; e' = -_1 + (68190 - _e)*kt; b' = _1 - k9*b; f' = k9*b - _2 + k3*g - k4*f; \
        g' = _2 - k3*g; a' = k7*h - _2; h' = k3*g - _5 + k6*c - k7*h; s' = k8*d - _5; c' = _5 - k6*c; \
        d' = k6*c - k8*d; ye = ge*(f + g); ya = ga*(h + c); ys = gs*d",
    initial: "",
    params: &[
        ("kt", 1e-8, 1e8, 1e-3),
        ("a0", 1e-8, 1e8, 1e-2),
        ("e0", 1e-8, 1e8, 1e8),
        ("s0", 1e-8, 1e8, 1e2),
        ("k1", 1e-8, 1e8, 1e-2),
        ("q1", 1e-8, 1e8, 1e-3),
        ("k2", 1e-8, 1e8, 1e-3),
        ("q2", 1e-8, 1e8, 1e5),
        ("k3", 1e-8, 1e8, 1.0),
        ("k4", 1e-8, 1e8, 1e-2),
        ("k5", 1e-8, 1e8, 1e-5),
        ("q5", 1e-8, 1e8, 1e-3),
        ("k6", 1e-8, 1e8, 1e-5),
        ("k7", 1e-8, 1e8, 1e-2),
        ("k8", 1e-8, 1e8, 1e-3),
        ("k9", 1e-8, 1e8, 1e-2),
        ("ga", 1e-8, 1e8, 1e2),
        ("ge", 1e-8, 1e8, 1e-7),
        ("gs", 1e-8, 1e8, 1e5),
    ],
    constants: &[("egf", 0.1)],
    solver: r#"solver="rodas34" rtol="1e-4""#,
    steps: 61,
    delta: 60.0,
    outputs: &["ye", "ya", "ys"],
};

/// SciPy's sum at the published values is 761.06593. From there it still falls along a valley, where amounts and scales act
/// together, to 760.8; a wide tolerance ends that.
#[test]
fn growth_factor_in_six_concentrations() {
    let (folder, names) = six_experiments(&FUJITA, include_str!("fujita.csv"));
    let sets = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0].map(|egf| format!("egf.Value={egf}"));
    let mut args = vec!["--weight", "ye=wye", "--weight", "ya=wya", "--weight", "ys=wys", "--tolerance", "1e-3"];
    for (name, set) in names.iter().zip(&sets) {
        args.extend(["--data", name, "--set-for", name, set]);
    }
    let result = FUJITA.fitted(folder.path(), &args);
    assert_sum(&result, 761.06593, 1e-3);
    assert_values(&FUJITA, &result, &[("kt", 0.001479614562719), ("k7", 0.011803208311735)], 0.05);
    assert_values(&FUJITA, &result, &[("k8", 0.000944761775113)], 0.01);
}
