//! The values of the runs of a sweep.

use simulate::engine::{Runs, Values, Vary, VaryError};

fn list(text: &str) -> Vec<f64> {
    match Vary::parse(&format!("Plant/Gain.Gain={text}")) {
        Ok(Vary { path, values: Values::List(values) }) if path == "Plant/Gain.Gain" => values,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn ranges_have_both_ends_and_equal_steps() {
    assert_eq!(list("4,-1.5,1e3"), [4.0, -1.5, 1000.0]);
    assert_eq!(list("7"), [7.0]);
    assert_eq!(list("0:10:6"), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    assert_eq!(list(" 3 : -3 : 4 "), [3.0, 1.0, -1.0, -3.0]);
    assert_eq!(list("5:9:1"), [5.0]);
    assert_eq!(list("5:9:2"), [5.0, 9.0]);
    // A tenth is no double, and the last value is the end all the same.
    let tenths = list("0:0.3:4");
    assert_eq!((tenths.len(), tenths[3]), (4, 0.3));
    let log = list("0.01:100:5:log");
    assert_eq!((log[0], log[4]), (0.01, 100.0));
    for (got, want) in log.iter().zip([0.01, 0.1, 1.0, 10.0, 100.0]) {
        // The logarithms are up to 4.6, and so are the rounding errors of the exponent.
        assert!((got / want - 1.0).abs() < 4.6 * 4.0 * f64::EPSILON, "{log:?}");
    }
}

#[test]
fn what_is_no_range_is_refused() {
    let range = |text: &str| match Vary::parse(&format!("a={text}")) {
        Err(VaryError::Range(_, problem)) => problem,
        other => panic!("{text}: {other:?}"),
    };
    for text in ["1:2:0", "1:2:100000001"] {
        assert_eq!(range(text), "the count must be an integer from 1 to 100 million", "{text}");
    }
    for text in ["1:2:1.5", "1:2:-1", "1:2:x"] {
        assert_eq!(range(text), "the count must be an integer", "{text}");
    }
    for text in ["0:2:3:log", "2:0:3:log", "-1:2:3:log"] {
        assert_eq!(range(text), "the limits of a logarithmic range must be positive", "{text}");
    }
    for text in ["uniform(2,1)", "uniform(-inf,1)", "uniform(0,inf)", "uniform(nan,1)"] {
        assert_eq!(range(text), "the lower limit must come first", "{text}");
    }
    for text in ["normal(0,-1)", "normal(inf,1)", "normal(0,inf)"] {
        assert_eq!(range(text), "the deviation must be at least 0", "{text}");
    }
    for text in ["a", "a=1:2", "a=1:2:3:lin", "a=1:2:3:log:5"] {
        assert!(matches!(Vary::parse(text), Err(VaryError::Malformed(_))), "{text}");
    }
    for text in ["a=", "a=1,", "a=x", "a=uniform(1)", "a=normal(1,2"] {
        assert!(matches!(Vary::parse(text), Err(VaryError::Number(..))), "{text}");
    }
    // Borders that are allowed.
    assert_eq!(Vary::parse("a=uniform(1,1)").map(|vary| vary.values), Ok(Values::Uniform { low: 1.0, high: 1.0 }));
    let still = Values::Normal { mean: 2.0, deviation: 0.0 };
    assert_eq!(Vary::parse("a=b= normal ( 2 , 0 )"), Ok(Vary { path: "a=b".to_owned(), values: still }));
}

fn runs(varied: &[&str], draws: u64, seed: u64) -> Runs {
    let parse = |text: &&str| Vary::parse(text).expect("values");
    Runs { varied: varied.iter().map(parse).collect(), draws, seed, ..Runs::default() }
}

/// Each combination has its draws one after the other; the last parameter varies fastest.
#[test]
fn runs_go_through_all_combinations() {
    for draws in [1, 2, 5] {
        let all = runs(&["a=1,2", "b=10,20,30", "c=7"], draws, 0);
        assert_eq!(all.count(), Some(6 * draws));
        let mut run = 0;
        for a in [1.0, 2.0] {
            for b in [10.0, 20.0, 30.0] {
                for _ in 0..draws {
                    assert_eq!(all.values(run), [a, b, 7.0], "run {run}, {draws} draws");
                    run += 1;
                }
            }
        }
    }
    assert_eq!(runs(&["a=1,2"], 0, 0).values(1), [2.0], "no draws are one");
    assert!(runs(&[], 3, 0).values(2).is_empty());
    // Up to a hundred million runs.
    let most = |draws| runs(&["a=1:2:1000", "b=1:2:1000"], draws, 0).count();
    assert_eq!((most(100), most(101), most(u64::MAX)), (Some(100_000_000), None, None));
}

/// Random values of 20,000 runs have the mean and the deviation of their law within five standard errors, and those of
/// two parameters, or of two seeds, are not correlated.
#[test]
fn random_values_have_their_law() {
    let all = runs(&["a=uniform(-3,5)", "b=normal(10,2)", "c=normal(10,2)"], 20_000, 4);
    let other = runs(&["a=uniform(-3,5)", "b=normal(10,2)", "c=normal(10,2)"], 20_000, 5);
    assert_eq!(all.count(), Some(20_000));
    let values: Vec<Vec<f64>> = (0..20_000).map(|run| all.values(run)).collect();
    let column = |at: usize| -> Vec<f64> { values.iter().map(|row| row[at]).collect() };
    let others: Vec<f64> = (0..20_000).map(|run| other.values(run)[1]).collect();
    let n = 20_000f64;
    // The variance of a uniform law is that of its width; the fourth moments are 9/5 and 3.
    for (values, mean, variance, kurtosis) in
        [(column(0), 1.0, 64.0 / 12.0, 1.8), (column(1), 10.0, 4.0, 3.0), (column(2), 10.0, 4.0, 3.0)]
    {
        let of = |power: i32| values.iter().map(|value| (value - mean).powi(power)).sum::<f64>() / n;
        assert!(of(1).abs() < 5.0 * (variance / n).sqrt(), "mean {}", of(1));
        assert!((of(2) - variance).abs() < 5.0 * variance * ((kurtosis - 1.0) / n).sqrt(), "variance {}", of(2));
    }
    assert!(column(0).iter().all(|value| (-3.0..=5.0).contains(value)));
    for (one, another) in [(column(1), column(2)), (column(1), others)] {
        let both = one.iter().zip(&another).map(|(a, b)| (a - 10.0) * (b - 10.0)).sum::<f64>() / n;
        assert!(both.abs() < 5.0 * 4.0 / n.sqrt(), "covariance {both}");
    }
    assert_eq!(all.values(77), values[77], "a run's values depend on its number only");
}
