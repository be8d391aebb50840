//! The first days of COVID-19 in two states, and HIV in a country.

use super::{Problem, assert_sum, assert_values, fitted, folder, rows, values};

/// Infected of two states of the USA from 20 to 30 March 2020 (Bertozzi et al., PNAS 117 (2020) 16732), with two states of the
/// differential equation. The initial number of infected is fitted, so the state is the difference to it.
const BERTOZZI: Problem = Problem {
    equations: "_i = i0 + i; _s = n - i0 + s; _v = r0*g/n*_i*_s; i' = _v - g*_i; s' = -_v; y = _i",
    initial: "",
    params: &[("i0", 1e3, 1e4, 3162.0), ("r0", 1.5, 5.0, 2.739), ("g", 0.01, 0.2, 0.04472)],
    constants: &[("n", 19.54e6)],
    solver: r#"solver="rk4""#,
    steps: 101,
    delta: 0.1,
    outputs: &["y"],
};

/// Two experiments with all parameters of their own. Weights are 1 divided by the published standard deviations, which are
/// estimates of the collection. At the published values SciPy's sum is 21.9989, 1 for each of the 22 values. The
/// reproduction number of New York is at its bound, that of California hardly determined.
#[test]
fn two_states_have_their_own_epidemics() {
    let table = |table: &str, deviation: f64| {
        let rows: String = rows(table).map(|row| format!("{},{},{}\n", row[0], row[1], 1.0 / deviation)).collect();
        format!("time,y,w\n{rows}")
    };
    let ny = table(include_str!("bertozzi_ny.csv"), 638.7370177109516);
    let ca = table(include_str!("bertozzi_ca.csv"), 171.5520042582738);
    let folder = folder(&[("m.simx", &BERTOZZI.file()), ("ny.csv", &ny), ("ca.csv", &ca)]);
    let params = BERTOZZI.params();
    let mut args = vec!["--data", "ny.csv", "--data", "ca.csv", "--weight", "y=w"];
    params.iter().for_each(|param| args.extend(["--parameter-for", "ny.csv", &**param]));
    args.extend(["--parameter-for", "ca.csv", "i0.Value=1e2:1e3:log", "--set-for", "ca.csv", "i0.Value=316.2"]);
    params.iter().skip(1).for_each(|param| args.extend(["--parameter-for", "ca.csv", &**param]));
    args.extend(["--set-for", "ca.csv", "n.Value=39.56e6"]);
    let result = fitted(folder.path(), &args);
    assert_sum(&result, 21.9988964, 1e-5);
    let right = [3631.9734930511822, 1.5, 0.15974646749068355, 232.90259817432732];
    for (found, right) in values(&result).iter().zip(right) {
        assert!((found / right - 1.0).abs() < 1e-3, "{found} is not {right}");
    }
    assert_eq!(result["parameters"][1]["at_bound"], true);
}

/// HIV in South Africa, with treatment (Rahman et al., Mathematical Biosciences 280 (2016) 38): seven states.
const RAHMAN: Problem = Problem {
    equations: "_t = tn + tm + tw; _p = n + m + w + _t; \
        _f = bm*(bn*n + m + bw*w + 0.04*_t)/(s + _p)*exp(-c*_p)*s; s' = 1032672 - _f - 0.0288*s; \
        n' = _f - (wn + 0.0888)*n; m' = wn*n - (wm + 0.1368)*m; w' = wm*m - (tr + 0.3108)*w; \
        tw' = tr*w - (iw + 0.1752)*tw; tm' = iw*tw - (im + 0.0528)*tm; tn' = im*tm - 0.0408*tn; y = 100*_p/(s + _p)",
    initial: "s = 17940000; n = 16300; m = 9000; w = 11000",
    params: &[
        ("bn", 0.1, 1e3, 1e3),
        ("bm", 1e-4, 1.0, 1e-3),
        ("bw", 0.1, 1e3, 1e3),
        ("tr", 1e-4, 1.0, 1e-4),
        ("wn", 1e-4, 1.0, 1.0),
        ("wm", 1e-4, 1.0, 1e-2),
        ("im", 1e-4, 1.0, 0.1),
        ("iw", 1e-4, 1.0, 1.0),
        ("c", 1e-9, 1e-5, 1e-7),
    ],
    constants: &[],
    solver: r#"solver="rodas34" rtol="1e-7""#,
    steps: 23,
    delta: 1.0,
    outputs: &["y"],
};

/// At the published values, which have five digits, SciPy's sum is 0.0358074. Two rates of those under treatment have
/// no effect to speak of, since hardly anybody is treated.
#[test]
fn prevalence_of_hiv() {
    let folder = folder(&[("m.simx", &RAHMAN.file()), ("d.csv", include_str!("rahman.csv"))]);
    let result = RAHMAN.fitted(folder.path(), &["--data", "d.csv"]);
    assert_sum(&result, 0.0358074, 1e-3);
    let right = [("bn", 427.47), ("bm", 0.0029273), ("bw", 992.96), ("tr", 1e-4), ("wn", 0.66545), ("wm", 0.0079757)];
    assert_values(&RAHMAN, &result, &right, 0.01);
    assert_values(&RAHMAN, &result, &[("c", 1.338e-7)], 0.01);
}
