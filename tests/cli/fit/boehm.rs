//! STAT5 in cells, a problem of systems biology with published optimum (Boehm et al., Journal of Proteome Research 13
//! (2014) 5685): eight states, six parameters over ten orders of magnitude, of which two are hardly determined.

use super::{folder, values};
use crate::cli::simulate;

/// The published standard deviations of the three curves, which are the roots of their mean squares at the optimum.
const DEVIATIONS: [f64; 3] = [3.85261197844677, 6.59147818673419, 3.15271275648527];

/// With the published weights the sum of squares is that of the published optimum, 47.9765 (its likelihood −138.222, which
/// SciPy confirms), and the four parameters that the data determine are the published ones.
#[test]
fn the_published_optimum_is_found() {
    let folder = folder(&[("m.simx", include_str!("boehm.simx")), ("d.csv", include_str!("boehm.csv"))]);
    let params = ["d", "kxe", "kxo", "kie", "kio", "kp"].map(|name| format!("{name}.Value=1e-5:1e5:log"));
    let curves = ["pA", "pB", "rA"];
    let weights: Vec<String> =
        curves.iter().zip(DEVIATIONS).map(|(name, deviation)| format!("{name}={}", 1.0 / deviation)).collect();
    let mut args = vec!["fit", "m.simx", "--data", "d.csv", "--format", "json"];
    params.iter().for_each(|param| args.extend(["--parameter", &**param]));
    weights.iter().for_each(|weight| args.extend(["--weight", &**weight]));
    let outcome = simulate(folder.path(), &args);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let result: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
    assert_eq!(result["derivatives"], "sensitivities");
    let sum = result["sum_after"].as_f64().expect("a sum");
    assert!((sum - 47.9765).abs() < 0.01, "{sum}");
    let found = values(&result);
    for (index, right) in [(0, 0.026982514033029), (2, 0.006170228086381), (3, 0.0163679184468), (5, 15766.5070195731)]
    {
        assert!((found[index] / right - 1.0).abs() < 0.01, "{found:?}");
    }
    for (curve, right) in result["curves"].as_array().expect("curves").iter().zip(DEVIATIONS) {
        assert!((curve["deviation"].as_f64().expect("a number") / right - 1.0).abs() < 0.01, "{curve}");
    }
}
