//! Solvers on published problems with published solutions, and the orders of the solvers.

use crate::sketch::odes::{
    ARENSTORF_PERIOD, Net, arenstorf, counts, hires, medical_akzo, oregonator, pleiades, pollution, ring_modulator,
    robertson, smooth, van_der_pol,
};
use simulate::engine::Solver;

/// The error decreases with the step to the power of the order.
#[test]
fn every_solver_of_fixed_step_has_its_order() {
    let error = |solver: &str, steps: u64| {
        let end = 2.0;
        let mut net = Net::new(end / steps as f64).attribute("solver", solver);
        smooth(&mut net);
        let mut run = net.run("simple");
        run.steps(steps + 1);
        let want = [("y", end.sin().exp()), ("z", end.cos()), ("v", -end.sin())];
        want.iter().map(|(name, want)| (run.exit(name)[0] - want).abs()).fold(0.0, f64::max)
    };
    let cases = [
        ("euler", 1.0, 500),
        ("heun", 2.0, 100),
        ("rk4", 4.0, 40),
        ("dopri5", 5.0, 20),
        ("dopri8", 8.0, 6),
        ("backward-euler", 1.0, 500),
        ("trapezoidal", 2.0, 100),
        ("rodas4", 4.0, 40),
    ];
    for (solver, order, steps) in cases {
        let got = (error(solver, steps) / error(solver, 2 * steps)).log2();
        assert!((got - order).abs() < 0.4, "{solver}: order {got}, not {order}");
    }
    let fixed = Solver::ALL.iter().filter(|solver| !solver.is_variable()).count();
    assert_eq!(fixed, cases.len(), "every solver of fixed step is here");
}

/// The error of a variable-step solver follows its tolerance, also at grid points between its own steps.
#[test]
fn tolerances_are_met() {
    for solver in Solver::ALL.iter().filter(|solver| solver.is_variable()) {
        for tolerance in ["1e-4", "1e-6", "1e-8", "1e-10"] {
            let mut net = Net::new(0.01).attribute("solver", solver.name());
            net = net.attribute("rtol", tolerance).attribute("atol", tolerance);
            smooth(&mut net);
            let mut run = net.run("simple");
            let mut worst: f64 = 0.0;
            for step in 0..=1000 {
                run.steps(1);
                let t = f64::from(step) * 0.01;
                worst = worst.max((run.exit("y")[0] - t.sin().exp()).abs());
                worst = worst.max((run.exit("z")[0] - t.cos()).abs());
            }
            let (steps, ..) = counts(&run.context);
            let allowed = 100.0 * tolerance.parse::<f64>().expect("a number");
            assert!(worst < allowed, "{solver:?} {tolerance}: {worst}");
            if tolerance == "1e-4" {
                assert!(steps < 100.0, "{solver:?}: {steps} steps, though the grid has a thousand");
            }
        }
    }
}

/// Checks the relative errors of states after `steps` steps of `delta`.
fn check(
    draw: &dyn Fn(&mut Net),
    solver: &str,
    (delta, steps): (f64, u64),
    tolerances: (&str, &str),
    want: &[(&str, f64)],
    allowed: f64,
) {
    let (rtol, atol) = tolerances;
    let mut net = Net::new(delta).attribute("solver", solver).attribute("rtol", rtol).attribute("atol", atol);
    draw(&mut net);
    for engine in ["flat", "compiled"] {
        let mut run = net.run(engine);
        run.steps(steps + 1);
        for &(name, want) in want {
            let got = run.exit(name)[0];
            let error = ((got - want) / want).abs();
            assert!(
                error < allowed,
                "{solver}, {engine}, {name}: {got}, not {want}: {error:e}, {:?}",
                counts(&run.context)
            );
        }
    }
}

/// Test Set for IVP Solvers, release 2.4, problem VDPOL scaled back: μ = 1000, at t = 2000.
#[test]
fn van_der_pol_meets_its_reference() {
    let want = [("y1", 1.706_167_732_170_483), ("y2", -8.928_097_010_247_975e-4)];
    check(&|net| van_der_pol(net, 1000.0), "rodas34", (20.0, 100), ("1e-8", "1e-10"), &want, 1e-4);
}

/// The same, problem HIRES, at t = 321.8122.
#[test]
fn hires_meets_its_reference() {
    let want = [
        ("y1", 0.737_131_257_332_566_8e-3),
        ("y2", 0.144_248_572_631_618_5e-3),
        ("y3", 0.588_872_974_096_758e-4),
        ("y4", 0.117_565_134_328_315_9e-2),
        ("y5", 0.238_635_619_883_133_1e-2),
        ("y6", 0.623_896_825_274_282_8e-2),
        ("y7", 0.284_999_839_518_576_9e-2),
        ("y8", 0.285_000_160_481_423_1e-2),
    ];
    check(&hires, "rodas34", (3.218_122, 100), ("1e-8", "1e-12"), &want, 1e-5);
}

/// The same, problem OREGO, at t = 360.
#[test]
fn the_oregonator_meets_its_reference() {
    let want =
        [("y1", 0.100_081_487_031_851_7e1), ("y2", 0.122_817_852_154_978_6e4), ("y3", 0.132_055_494_284_651_3e3)];
    check(&oregonator, "rodas34", (3.6, 100), ("1e-8", "1e-10"), &want, 1e-4);
}

/// The same, problem ROBER, at t = 1e11.
#[test]
fn robertson_meets_its_reference() {
    let want =
        [("y1", 0.208_334_014_970_125_5e-7), ("y2", 0.833_336_077_033_415_6e-13), ("y3", 0.999_999_979_166_505_7)];
    check(&robertson, "rodas34", (1e10, 10), ("1e-8", "1e-16"), &want, 1e-4);
}

/// The orbit closes: Hairer, Nørsett, Wanner (1993), II.0.
#[test]
fn arenstorfs_orbit_closes() {
    for solver in ["dopri45", "rodas34", "radau35"] {
        let want = [("y1", 0.994), ("v2", -2.001_585_106_379_082_5)];
        check(&arenstorf, solver, (ARENSTORF_PERIOD / 128.0, 128), ("1e-12", "1e-12"), &want, 2e-3);
    }
}

/// Test Set for IVP Solvers, problem PLEI, at t = 3.
#[test]
fn the_pleiades_meet_their_reference() {
    let want = [
        ("x1", 0.370_613_914_397_050_2),
        ("x2", 0.323_728_409_205_723_3e1),
        ("x3", -0.322_255_903_241_832_4e1),
        ("x4", 0.659_709_145_577_531),
        ("x5", 0.342_558_170_715_658_4),
        ("x6", 0.156_217_210_140_063_1e1),
        ("x7", -0.700_309_292_221_249_5),
        ("y1", -0.394_343_758_551_739_2e1),
        ("y2", -0.327_138_097_397_255e1),
        ("y3", 0.522_508_184_345_654_3e1),
        ("y4", -0.259_061_243_497_747e1),
        ("y5", 0.119_821_369_339_227_5e1),
        ("y6", -0.242_968_234_493_582_4),
        ("y7", 0.109_144_924_042_898e1),
    ];
    check(&pleiades, "dopri45", (0.25, 12), ("1e-10", "1e-10"), &want, 1e-7);
}

/// The same, problem POLLU, at t = 60.
#[test]
fn pollution_meets_its_reference() {
    let want = [
        ("y1", 0.564_625_548_002_276_9e-1),
        ("y2", 0.134_248_413_042_233_9),
        ("y3", 0.413_973_433_109_942_7e-8),
        ("y4", 0.552_314_020_748_435_9e-2),
        ("y5", 0.201_897_726_230_219_6e-6),
        ("y6", 0.146_454_186_349_396_6e-6),
        ("y7", 0.778_424_911_899_796_4e-1),
        ("y8", 0.324_507_535_339_601_8),
        ("y9", 0.749_401_338_388_040_6e-2),
        ("y10", 0.162_229_315_730_156_1e-7),
        ("y11", 0.113_586_383_325_707_5e-7),
        ("y12", 0.223_050_597_572_135_9e-2),
        ("y13", 0.208_716_288_279_863e-3),
        ("y14", 0.139_692_101_684_015_8e-4),
        ("y15", 0.896_488_485_689_829_5e-2),
        ("y16", 0.435_284_636_933_010_3e-17),
        ("y17", 0.689_921_969_626_340_5e-2),
        ("y18", 0.100_780_303_736_594_6e-3),
        ("y19", 0.177_214_651_396_998_4e-5),
        ("y20", 0.568_294_329_231_639_2e-4),
    ];
    for solver in ["rodas34", "radau35"] {
        check(&pollution, solver, (6.0, 10), ("1e-7", "1e-14"), &want, 1e-5);
    }
}

/// The same, problem MEDAKZO, at t = 20: concentrations at some points, whose published digits are right to 1e-8.
#[test]
fn medical_akzo_nobel_meets_its_reference() {
    let want = [
        ("u", 0, 0.511_398_384_091_990_9e-5),
        ("u", 39, 0.233_994_221_704_643_4e-3),
        ("u", 74, 0.359_561_601_750_673_5e-3),
        ("u", 99, 0.117_374_130_446_283_3e-3),
        ("v", 109, 0.989_020_487_279_994_4),
        ("v", 119, 0.999_999_732_585_517_4),
    ];
    for solver in ["rodas34", "radau35"] {
        let mut net = Net::new(2.0).attribute("solver", solver).attribute("rtol", "1e-4").attribute("atol", "1e-8");
        medical_akzo(&mut net);
        for engine in ["simple", "flat", "compiled"] {
            let mut run = net.run(engine);
            run.steps(11);
            for (name, point, want) in want {
                let got = run.exit(name)[point];
                let error = ((got - want) / want).abs();
                assert!(error < 1e-3, "{solver}, {engine}, {name}, {point}: {got}, not {want}: {error:e}");
            }
        }
    }
}

/// Every engine has the bits of the others while the diodes of problem RINGMOD begin to conduct.
#[test]
fn ring_modulators_of_all_engines_are_equal() {
    for solver in ["rodas34", "radau35"] {
        let mut net = Net::new(5.2e-6).attribute("solver", solver).attribute("rtol", "1e-3").attribute("atol", "1e-8");
        ring_modulator(&mut net);
        let of_engines = ["simple", "flat", "compiled"].map(|engine| {
            let mut run = net.run(engine);
            run.steps(11);
            run.context.continuous.iter().map(|state| state.to_bits()).collect::<Vec<_>>()
        });
        assert!(of_engines.iter().all(|bits| *bits == of_engines[0]), "{solver}: {of_engines:?}");
    }
}

/// The halves of the ring modulator are alike, so that some of its states are 0 but for rounding, of which no iteration makes
/// less.
#[test]
fn rounding_in_a_state_that_is_0_does_not_end_a_run() {
    let [euler, trapezoidal, exact] = ["backward-euler", "trapezoidal", "radau35"].map(|solver| {
        let mut net = Net::new(2e-8).attribute("solver", solver).attribute("rtol", "1e-9").attribute("atol", "1e-12");
        ring_modulator(&mut net);
        let mut run = net.run("compiled");
        run.steps(201);
        (1..=15).map(|n| run.exit(&format!("y{n}"))[0]).collect::<Vec<f64>>()
    });
    let largest = exact.iter().fold(0.0, |largest: f64, y| largest.max(y.abs()));
    for (found, tolerance) in [(euler, 2e-2), (trapezoidal, 1e-3)] {
        for (n, (got, want)) in (1..).zip(found.iter().zip(&exact)) {
            assert!((got - want).abs() < tolerance * largest, "y{n}: {got}, not {want}");
        }
    }
}
