//! The 27 problems of nonlinear regression with certified values of NIST's Statistical Reference Datasets, which are in
//! the public domain. `problems.csv` has starting and certified values, `data.csv` the observations.

mod dual;
mod models;

use std::collections::BTreeMap;

use self::dual::Dual;

/// A problem with its data.
#[derive(Default)]
pub struct Nist {
    pub name: String,
    pub starts: [Vec<f64>; 2],
    pub certified: Vec<f64>,
    /// The certified standard deviations of the parameters.
    pub deviations: Vec<f64>,
    /// The certified sum of the squares of the residuals.
    pub residual_sum: f64,
    pub y: Vec<f64>,
    pub x: Vec<[f64; 2]>,
}

impl Nist {
    /// Reads all problems.
    pub fn all() -> Vec<Nist> {
        let mut all: BTreeMap<&str, Nist> = BTreeMap::new();
        for line in include_str!("problems.csv").lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let of = all.entry(cells[0]).or_default();
            let number = |cell: &str| cell.parse::<f64>().expect("a number");
            of.name = cells[0].to_owned();
            if cells[1] == "residuals" {
                of.residual_sum = number(cells[4]);
                continue;
            }
            of.starts[0].push(number(cells[2]));
            of.starts[1].push(number(cells[3]));
            of.certified.push(number(cells[4]));
            of.deviations.push(number(cells[5]));
        }
        for line in include_str!("data.csv").lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let of = all.get_mut(cells[0]).expect("a problem");
            of.y.push(cells[1].parse().expect("a number"));
            of.x.push([cells[2].parse().expect("a number"), cells[3].parse().unwrap_or(0.0)]);
        }
        all.into_values().collect()
    }

    /// The value of the model minus the observation, for each observation, with the derivatives by the parameters.
    fn duals(&self, at: &[f64]) -> Vec<Dual> {
        let b: Vec<Dual> = at.iter().enumerate().map(|(index, value)| Dual::variable(*value, index)).collect();
        let one = |(x, y): (&[f64; 2], &f64)| match &*self.name {
            "Nelson" => models::value(&self.name, &b, *x) - y.ln(),
            _ => models::value(&self.name, &b, *x) - *y,
        };
        self.x.iter().zip(&self.y).map(one).collect()
    }

    pub fn residuals(&self, at: &[f64]) -> Vec<f64> {
        self.duals(at).iter().map(|residual| residual.value).collect()
    }

    /// The derivatives of the residuals: a row for each, a column for each parameter.
    pub fn jacobian(&self, at: &[f64]) -> Vec<f64> {
        self.duals(at).iter().flat_map(|residual| residual.slopes[..at.len()].to_vec()).collect()
    }

    /// The number of correct digits of the least exact value.
    pub fn digits(&self, found: &[f64]) -> f64 {
        let one = |(found, right): (&f64, &f64)| -((found - right).abs() / right.abs()).log10();
        found.iter().zip(&self.certified).map(one).fold(11.0, f64::min)
    }
}
