//! Contexts as bytes.

use simulate::block::Registry;
use simulate::engine::{CheckpointError, Context, compile};
use simulate::model::Simulation;

use crate::sketch::{Run, Sketch};

/// A state of each kind, histories included.
fn sketch() -> Sketch {
    Sketch::new(0.01)
        .block(0, "Var/Sine", &[])
        .block(1, "Math/Integrate", &[("Initial Value", &["1", "-0"])])
        .block(2, "Discrete/Unit Delay", &[("Sample Time", &["0.03"])])
        .block(3, "Continuous/Transport Delay", &[("Delay", &["0.055"])])
        .block(4, "Var/Noise", &[])
        .block(5, "exit y", &[])
        .block(6, "Math/Sum", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input")
        .wire("2.Output", "3.Input")
        .wire("3.Output", "6.Input 1")
        .wire("4.Output", "6.Input 2")
        .wire("6.Output", "5.Input")
}

#[test]
fn a_run_goes_on_from_its_bytes_as_if_nothing_had_been() {
    for engine in ["simple", "flat", "compiled"] {
        let simulation = sketch().simulation;
        let mut whole = Run::new(&simulation, engine);
        whole.steps(157);
        for pause in [0, 1, 7, 50, 156] {
            let mut first = Run::new(&simulation, engine);
            first.steps(pause);
            let bytes = first.context.to_bytes(&first.program);
            let mut second = Run::new(&simulation, engine);
            second.context = Context::from_bytes(&bytes, &second.program).expect("its own bytes");
            // Values that are not set are NaN, which is not equal to itself.
            assert_eq!(second.context.to_bytes(&second.program), bytes);
            second.steps(157 - pause);
            assert_eq!(second.context.to_bytes(&second.program), whole.context.to_bytes(&whole.program), "{engine}");
        }
    }
}

#[test]
fn other_bytes_are_refused() {
    let mut run = sketch().run();
    run.steps(3);
    let bytes = run.context.to_bytes(&run.program);
    let read = |bytes: &[u8]| Context::from_bytes(bytes, &run.program).map(drop);
    assert_eq!(read(&bytes), Ok(()));
    assert_eq!(read(b""), Err(CheckpointError::NoCheckpoint));
    assert_eq!(read(b"<simulation/>"), Err(CheckpointError::NoCheckpoint));
    for length in 8..bytes.len() {
        assert_eq!(read(&bytes[..length]), Err(CheckpointError::Damaged), "the first {length} bytes");
    }
    for place in 8..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[place] ^= 0x10;
        assert_eq!(read(&bytes), Err(CheckpointError::Damaged), "byte {place}");
    }
    let other = sketch().block(7, "Var/Clock", &[]).simulation;
    let other = compile(&other, &Registry::standard()).expect("it compiles");
    assert_eq!(Context::from_bytes(&bytes, &other).map(drop), Err(CheckpointError::OtherProgram));
}

/// A checkpoint continues with the step length, solver and tolerances of its program only.
#[test]
fn a_checkpoint_of_another_step_or_solver_is_refused() {
    let sketch = |delta: f64| Sketch::new(delta).block(0, "Var/Sine", &[]).block(1, "Math/Integrate", &[]);
    let mut run = sketch(0.01).wire("0.Output", "1.Input").run();
    run.steps(3);
    let bytes = run.context.to_bytes(&run.program);
    let read = |simulation: &Simulation| {
        let program = compile(simulation, &Registry::standard()).expect("it compiles");
        Context::from_bytes(&bytes, &program).map(drop)
    };
    assert_eq!(read(&sketch(0.01).wire("0.Output", "1.Input").simulation), Ok(()));
    assert_eq!(read(&sketch(0.02).wire("0.Output", "1.Input").simulation), Err(CheckpointError::OtherProgram));
    for (name, value) in
        [("solver", "euler"), ("rtol", "1e-9"), ("atol", "1e-9"), ("max-step", "1"), ("max-steps", "77")]
    {
        let mut simulation = sketch(0.01).wire("0.Output", "1.Input").simulation;
        simulation.attributes.set(name, value);
        assert_eq!(read(&simulation), Err(CheckpointError::OtherProgram), "{name}");
    }
    // A longest step of its own, so that the step of the grid is all that differs.
    let with_own = |delta: f64| {
        let mut simulation = sketch(delta).wire("0.Output", "1.Input").simulation;
        simulation.attributes.set("max-step", "1");
        compile(&simulation, &Registry::standard()).expect("it compiles")
    };
    let bytes = Context::new(&with_own(0.01)).to_bytes(&with_own(0.01));
    assert!(Context::from_bytes(&bytes, &with_own(0.01)).is_ok());
    assert_eq!(Context::from_bytes(&bytes, &with_own(0.02)).map(drop), Err(CheckpointError::OtherProgram));
}

/// Returns a checkpoint with the `at`th number from the end replaced, and a checksum that fits.
fn with_number(bytes: &[u8], at: usize, number: u64) -> Vec<u8> {
    let mut bytes = bytes[..bytes.len() - 4].to_vec();
    let first = bytes.len() - 8 * at;
    bytes[first..first + 8].copy_from_slice(&number.to_le_bytes());
    let sum = crc32fast::hash(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Found by the fuzz target `checkpoint`: the engines wrote outside the ring of a delay.
#[test]
fn a_checkpoint_whose_ring_goes_on_outside_of_itself_is_refused() {
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Clock", &[])
        .block(1, "Discrete/Delay", &[("Length", &["3"])])
        .block(2, "exit y", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input");
    let mut run = sketch.run();
    run.steps(4);
    let bytes = run.context.to_bytes(&run.program);
    let behind = 2 + run.context.params.len() + run.context.solver.len();
    let next = run.context.history.last().expect("a ring").to_bits();
    assert_eq!(with_number(&bytes, behind + 1, next), bytes, "the number is that of the ring");
    for wrong in [3.0, -1.0, 0.5, 1e300, f64::NAN] {
        let bytes = with_number(&bytes, behind + 1, f64::to_bits(wrong));
        assert_eq!(Context::from_bytes(&bytes, &run.program), Err(CheckpointError::Damaged), "{wrong}");
    }
}

/// Found by the fuzz target `checkpoint`: the number of the next step was beyond the greatest number.
#[test]
fn a_checkpoint_of_the_last_possible_step_is_refused() {
    let run = sketch().run();
    let bytes = run.context.to_bytes(&run.program);
    let step = (bytes.len() - 4) / 8 - 2;
    let read = |number| Context::from_bytes(&with_number(&bytes, step, number), &run.program).map(|read| read.step);
    assert_eq!(read(7), Ok(7), "the number is that of the step");
    assert_eq!(read(u64::MAX), Err(CheckpointError::Damaged));
}
