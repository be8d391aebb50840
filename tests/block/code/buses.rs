//! A bus at an input of code is a structure, and a structure at an output is a bus.

use super::ENGINES;
use crate::sketch::{Run, Sketch};

/// A bus of a motion, with a position of two elements and a speed, and a gear.
fn with_bus(code: &str) -> Sketch {
    Sketch::new(1.0)
        .source(1, &[1.0, 2.0])
        .source(2, &[3.0, 5.0])
        .block(3, "Var/Static", &[("Value", &["7 9"])])
        .block(4, "Routing/Bus Creator", &[("Names", &["position speed"])])
        .wire("3.Output", "4.position")
        .wire("1.Output", "4.speed")
        .block(5, "Routing/Bus Creator", &[("Names", &["motion gear"])])
        .wire("4.Bus", "5.motion")
        .wire("2.Output", "5.gear")
        .block(6, "User/Function", &[("Code", &[code])])
        .wire("5.Bus", "6.u")
}

#[test]
fn code_reads_fields_of_a_bus_and_makes_one() {
    let code = "function [y, s] = f(u)\n  y = u.motion.speed * u.gear + sum(u.motion.position);\n  \
                s = u;\n  s.gear = u.gear + 1;\n  s.motion.position(2) = 4;\nend";
    let sketch = with_bus(code)
        .block(7, "Routing/Bus Selector", &[("Elements", &["gear motion.position motion.speed"])])
        .wire("6.s", "7.Bus")
        .block(8, "exit y", &[])
        .wire("6.y", "8.Input")
        .block(9, "exit gear", &[])
        .wire("7.gear", "9.Input")
        .block(10, "exit position", &[])
        .wire("7.motion.position", "10.Input");
    for engine in ENGINES {
        let mut run = Run::new(&sketch.simulation, engine);
        for (y, gear) in [(19.0, 4.0), (26.0, 6.0)] {
            run.steps(1);
            assert_eq!(run.exit("y"), [y], "{engine}");
            assert_eq!(run.exit("gear"), [gear], "{engine}");
            assert_eq!(run.exit("position"), [7.0, 4.0], "{engine}");
        }
    }
}

/// A bare body, whose input is the structure that it reads.
#[test]
fn a_body_has_the_structures_as_inputs_and_outputs() {
    let sketch = with_bus("s.twice = 2 * u.gear;\ns.speed = u.motion.speed;")
        .block(7, "Routing/Bus Selector", &[("Elements", &["twice speed"])])
        .wire("6.s", "7.Bus")
        .block(8, "exit y", &[])
        .wire("7.twice", "8.Input");
    for engine in ENGINES {
        assert_eq!(Run::new(&sketch.simulation, engine).trace("y", 2), [6.0, 10.0], "{engine}");
    }
}
