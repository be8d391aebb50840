use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};
use std::f64::consts::{PI, TAU};

pub static DEF: BlockDef = BlockDef {
    group: "Signal",
    name: "Unit Conversion",
    doc: "Converts its input from one unit to another",
    formula: "y = a·u + b, with the factors of the SI (BIPM: The International System of Units, 9th edition)",
    aliases: &["convert units", "degrees", "radians", "rpm", "celsius", "fahrenheit", "kelvin", "km/h", "bar", "psi"],
    look: Look::rect(Face::Param("Conversion")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::choice(
        "Conversion",
        &[
            "deg to rad",
            "rad to deg",
            "rpm to rad/s",
            "rad/s to rpm",
            "Hz to rad/s",
            "rad/s to Hz",
            "km/h to m/s",
            "m/s to km/h",
            "°C to K",
            "K to °C",
            "°F to °C",
            "°C to °F",
            "bar to Pa",
            "Pa to bar",
        ],
    )
    .doc("The two units")],
    build: |b| {
        let u = b.input(0);
        let y = match b.settings().choice("Conversion") {
            "rad to deg" => u * 180.0 / PI,
            "rpm to rad/s" => u * PI / 30.0,
            "rad/s to rpm" => u * 30.0 / PI,
            "Hz to rad/s" => u * TAU,
            "rad/s to Hz" => u / TAU,
            "km/h to m/s" => u / 3.6,
            "m/s to km/h" => u * 3.6,
            "°C to K" => u + 273.15,
            "K to °C" => u - 273.15,
            "°F to °C" => (u - 32.0) / 1.8,
            "°C to °F" => u * 1.8 + 32.0,
            "bar to Pa" => u * 1e5,
            "Pa to bar" => u / 1e5,
            _ => u * PI / 180.0,
        };
        b.output(0, y);
    },
    examples: &[
        Example {
            doc: "A right angle",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[90.0]],
            outputs: &[&[std::f64::consts::FRAC_PI_2]],
        },
        Example {
            doc: "The boiling point of water",
            options: &[("Conversion", &["°F to °C"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[212.0]],
            outputs: &[&[100.0]],
        },
        Example {
            doc: "3000 rpm",
            options: &[("Conversion", &["rpm to rad/s"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[3000.0]],
            outputs: &[&[314.1592653589793]],
        },
    ],
};
