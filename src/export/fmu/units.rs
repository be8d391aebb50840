//! Units of measurement by their SI base units.

/// The exponents of a unit by the names of the base units, and its factor.
type Unit = (&'static str, &'static [(&'static str, i8)], f64);

/// Units by name; those that are not here have no base units in the description.
const KNOWN: &[Unit] = &[
    ("s", &[("s", 1)], 1.0),
    ("ms", &[("s", 1)], 1e-3),
    ("min", &[("s", 1)], 60.0),
    ("h", &[("s", 1)], 3600.0),
    ("Hz", &[("s", -1)], 1.0),
    ("1/s", &[("s", -1)], 1.0),
    ("rad", &[("rad", 1)], 1.0),
    ("deg", &[("rad", 1)], std::f64::consts::PI / 180.0),
    ("°", &[("rad", 1)], std::f64::consts::PI / 180.0),
    ("rad/s", &[("rad", 1), ("s", -1)], 1.0),
    ("m", &[("m", 1)], 1.0),
    ("m/s", &[("m", 1), ("s", -1)], 1.0),
    ("m/s^2", &[("m", 1), ("s", -2)], 1.0),
    ("m/s²", &[("m", 1), ("s", -2)], 1.0),
    ("kg", &[("kg", 1)], 1.0),
    ("A", &[("A", 1)], 1.0),
    ("K", &[("K", 1)], 1.0),
    ("mol", &[("mol", 1)], 1.0),
    ("N", &[("kg", 1), ("m", 1), ("s", -2)], 1.0),
    ("N m", &[("kg", 1), ("m", 2), ("s", -2)], 1.0),
    ("N·m", &[("kg", 1), ("m", 2), ("s", -2)], 1.0),
    ("Nm", &[("kg", 1), ("m", 2), ("s", -2)], 1.0),
    ("J", &[("kg", 1), ("m", 2), ("s", -2)], 1.0),
    ("W", &[("kg", 1), ("m", 2), ("s", -3)], 1.0),
    ("Pa", &[("kg", 1), ("m", -1), ("s", -2)], 1.0),
    ("V", &[("kg", 1), ("m", 2), ("s", -3), ("A", -1)], 1.0),
    ("Ohm", &[("kg", 1), ("m", 2), ("s", -3), ("A", -2)], 1.0),
    ("Ω", &[("kg", 1), ("m", 2), ("s", -3), ("A", -2)], 1.0),
    ("C", &[("A", 1), ("s", 1)], 1.0),
    ("F", &[("kg", -1), ("m", -2), ("s", 4), ("A", 2)], 1.0),
    ("H", &[("kg", 1), ("m", 2), ("s", -2), ("A", -2)], 1.0),
];

/// Returns the exponents of the base units and the factor of a unit.
pub fn base_units(name: &str) -> Option<(&'static [(&'static str, i8)], f64)> {
    KNOWN.iter().find(|(known, _, _)| *known == name).map(|(_, exponents, factor)| (*exponents, *factor))
}
