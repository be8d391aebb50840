//! Parameters as the optimizer sees them: of about the same size.

/// How a parameter becomes a coordinate of the optimizer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamScale {
    /// In this unit, which is above 0.
    Unit(f64),
    /// As its natural logarithm.
    Log,
}

impl ParamScale {
    /// Returns the unit for a parameter with this start and these bounds: its size, or where it is 0 that of its range.
    pub fn of(start: f64, low: f64, high: f64) -> ParamScale {
        let range = high - low;
        match start.abs() {
            size if size > 0.0 && size.is_finite() => ParamScale::Unit(size),
            _ if range > 0.0 && range.is_finite() => ParamScale::Unit(range),
            _ => ParamScale::Unit(1.0),
        }
    }

    /// Returns the coordinate of a value.
    pub fn coordinate(self, value: f64) -> f64 {
        match self {
            ParamScale::Unit(unit) => value / unit,
            ParamScale::Log => libm::log(value),
        }
    }

    /// Returns the value at a coordinate.
    pub fn value(self, coordinate: f64) -> f64 {
        match self {
            ParamScale::Unit(unit) => coordinate * unit,
            ParamScale::Log => libm::exp(coordinate),
        }
    }

    /// Returns the derivative of the value by the coordinate, where it has this value.
    pub fn slope(self, value: f64) -> f64 {
        match self {
            ParamScale::Unit(unit) => unit,
            ParamScale::Log => value,
        }
    }
}
