//! Two blocks: a pendulum, and a moving maximum.

use simulate_plugin::{math, plugin, Call, Outcome};

plugin! { "../description.json", outputs, update: update, derivatives: derivatives }

const PENDULUM: usize = 0;

fn outputs(block: usize, call: &mut Call) -> Outcome {
    if block == PENDULUM {
        // Angle and speed are states: the block needs no input in the same step.
        let state = [call.state(0)[0], call.state(0)[1]];
        call.output(0)[0] = state[0];
        call.output(1)[0] = state[1];
    } else {
        let now = largest(call);
        call.output(0)[0] = now;
    }
    Ok(())
}

/// x' = (speed, torque/(m·l²) − g/l·sin(angle) − damping·speed)
fn derivatives(_: usize, call: &mut Call) -> Outcome {
    let [length, mass, damping] = [0, 1, 2].map(|index| call.param(index)[0]);
    if !(length > 0.0 && mass > 0.0) {
        return Err("length and mass must be above 0");
    }
    let (angle, speed, torque) = (call.state(0)[0], call.state(0)[1], call.input(0)[0]);
    let rate = torque / (mass * length * length) - 9.81 / length * math::sin(angle) - damping * speed;
    call.rate(0).copy_from_slice(&[speed, rate]);
    Ok(())
}

/// The state is the last values, the newest first.
fn update(_: usize, call: &mut Call) -> Outcome {
    let newest = call.input(0)[0];
    let last = call.state(0).len() - 1;
    for index in 0..last {
        let value = call.state(0)[index];
        call.next(0)[index + 1] = value;
    }
    call.next(0)[0] = newest;
    Ok(())
}

fn largest(call: &Call) -> f64 {
    call.state(0).iter().fold(call.input(0)[0], |most, &value| if value > most { value } else { most })
}
