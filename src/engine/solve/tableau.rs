//! Butcher tableaus of the explicit methods.

use crate::engine::Solver;

impl Solver {
    /// The method, where it is an explicit one of fixed step length.
    pub fn tableau(self) -> Option<&'static Tableau> {
        match self {
            Solver::Euler => Some(&EULER),
            Solver::Heun => Some(&HEUN),
            Solver::Rk4 => Some(&RK4),
            Solver::Dopri5 => Some(&DOPRI5),
            Solver::Dopri8 => Some(&DOPRI8),
            _ => None,
        }
    }
}

/// An explicit Runge–Kutta method. Stage `i` assumes `x + h·Σ a[i][j]·k[j]` at the time `part[i]` of the step; the new
/// state is `x + h·Σ weight[j]·k[j] / divisor`. Terms of weight 0 are left out, sums run in order.
#[derive(Debug)]
pub struct Tableau {
    /// The times of the stages as fractions of the step; the first is 0.
    pub parts: &'static [f64],
    /// For each stage but the first, the rates of earlier stages with their factors.
    pub rows: &'static [&'static [Term]],
    pub weights: &'static [Term],
    pub divisor: f64,
}

/// A stage's number and its factor.
pub type Term = (usize, f64);

impl Tableau {
    /// Returns the state of stage `stage` (1 or more), from the state at the beginning and the rates of the earlier
    /// stages.
    pub fn stage_state(&self, stage: usize, x: f64, k: impl Fn(usize) -> f64, h: f64) -> f64 {
        match self.rows[stage - 1] {
            &[(of, factor)] => x + factor * h * k(of),
            row => x + h * sum(row, k),
        }
    }

    /// Returns the state at the end of the step.
    pub fn advance(&self, x: f64, k: impl Fn(usize) -> f64, h: f64) -> f64 {
        x + h * sum(self.weights, k) / self.divisor
    }
}

/// The weighted sum of rates, in order. A factor of 1 changes no bit.
fn sum(terms: &[Term], k: impl Fn(usize) -> f64) -> f64 {
    let mut terms = terms.iter().map(|&(of, factor)| factor * k(of));
    let first = terms.next().unwrap_or(0.0);
    terms.fold(first, |sum, term| sum + term)
}

pub static EULER: Tableau = Tableau { parts: &[0.0], rows: &[], weights: &[(0, 1.0)], divisor: 1.0 };

pub static HEUN: Tableau =
    Tableau { parts: &[0.0, 1.0], rows: &[&[(0, 1.0)]], weights: &[(0, 1.0), (1, 1.0)], divisor: 2.0 };

/// Kutta: Beitrag zur näherungsweisen Integration totaler Differentialgleichungen (1901).
pub static RK4: Tableau = Tableau {
    parts: &[0.0, 0.5, 0.5, 1.0],
    rows: &[&[(0, 0.5)], &[(1, 0.5)], &[(2, 1.0)]],
    weights: &[(0, 1.0), (1, 2.0), (2, 2.0), (3, 1.0)],
    divisor: 6.0,
};

/// Dormand, Prince: A family of embedded Runge–Kutta formulae, J. Comp. Appl. Math. 6 (1980), RK5(4)7M. The seventh
/// stage, at the new state, is the next step's first.
pub static DOPRI5: Tableau = Tableau {
    parts: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0],
    rows: &[
        &[(0, 0.2)],
        &[(0, 3.0 / 40.0), (1, 9.0 / 40.0)],
        &[(0, 44.0 / 45.0), (1, -56.0 / 15.0), (2, 32.0 / 9.0)],
        &[(0, 19372.0 / 6561.0), (1, -25360.0 / 2187.0), (2, 64448.0 / 6561.0), (3, -212.0 / 729.0)],
        &[(0, 9017.0 / 3168.0), (1, -355.0 / 33.0), (2, 46732.0 / 5247.0), (3, 49.0 / 176.0), (4, -5103.0 / 18656.0)],
    ],
    weights: &[(0, 35.0 / 384.0), (2, 500.0 / 1113.0), (3, 125.0 / 192.0), (4, -2187.0 / 6784.0), (5, 11.0 / 84.0)],
    divisor: 1.0,
};

/// Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, 2nd edition (1993), section II.10: the method
/// of order 8 of the code DOP853.
pub static DOPRI8: Tableau = Tableau {
    parts: &[
        0.0,
        0.052_600_151_958_767_73,
        0.078_900_227_938_151_6,
        0.118_350_341_907_227_4,
        0.281_649_658_092_772_6,
        0.333_333_333_333_333_3,
        0.25,
        0.307_692_307_692_307_7,
        0.651_282_051_282_051_3,
        0.6,
        0.857_142_857_142_857_1,
        1.0,
    ],
    rows: &[
        &[(0, 0.052_600_151_958_767_73)],
        &[(0, 0.019_725_056_984_537_9), (1, 0.059_175_170_953_613_7)],
        &[(0, 0.029_587_585_476_806_85), (2, 0.088_762_756_430_420_54)],
        &[(0, 0.241_365_134_159_266_7), (2, -0.884_549_479_328_286_1), (3, 0.924_834_003_261_792)],
        &[(0, 0.037_037_037_037_037_035), (3, 0.170_828_608_729_473_86), (4, 0.125_467_687_566_822_42)],
        &[(0, 0.037_109_375), (3, 0.170_252_211_019_544_05), (4, 0.060_216_538_980_455_96), (5, -0.017_578_125)],
        &[
            (0, 0.037_092_000_118_504_79),
            (3, 0.170_383_925_712_239_98),
            (4, 0.107_262_030_446_373_28),
            (5, -0.015_319_437_748_624_402),
            (6, 0.008_273_789_163_814_023),
        ],
        &[
            (0, 0.624_110_958_716_075_7),
            (3, -3.360_892_629_446_941_4),
            (4, -0.868_219_346_841_726),
            (5, 27.592_099_699_446_71),
            (6, 20.154_067_550_477_894),
            (7, -43.489_884_181_069_96),
        ],
        &[
            (0, 0.477_662_536_438_264_34),
            (3, -2.488_114_619_971_667_7),
            (4, -0.590_290_826_836_843),
            (5, 21.230_051_448_181_193),
            (6, 15.279_233_632_882_423),
            (7, -33.288_210_968_984_86),
            (8, -0.020_331_201_708_508_627),
        ],
        &[
            (0, -0.937_142_430_085_987_3),
            (3, 5.186_372_428_844_064),
            (4, 1.091_437_348_996_729_5),
            (5, -8.149_787_010_746_927),
            (6, -18.520_065_659_996_96),
            (7, 22.739_487_099_350_505),
            (8, 2.493_605_552_679_652_3),
            (9, -3.046_764_471_898_219_6),
        ],
        &[
            (0, 2.273_310_147_516_538),
            (3, -10.534_495_466_737_25),
            (4, -2.000_872_058_224_862_5),
            (5, -17.958_931_863_118_8),
            (6, 27.948_884_529_419_96),
            (7, -2.858_998_277_135_023_5),
            (8, -8.872_856_933_530_63),
            (9, 12.360_567_175_794_303),
            (10, 0.643_392_746_015_763_6),
        ],
    ],
    weights: &[
        (0, 0.054_293_734_116_568_765),
        (5, 4.450_312_892_752_409),
        (6, 1.891_517_899_314_500_3),
        (7, -5.801_203_960_010_585),
        (8, 0.311_164_366_957_819_9),
        (9, -0.152_160_949_662_516_1),
        (10, 0.201_365_400_804_030_34),
        (11, 0.044_710_615_727_772_59),
    ],
    divisor: 1.0,
};
