"""Runs: results, values for a run, checkpoints, engines, interruption, pickling."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import simulate as sim
from conftest import EXAMPLES, make_decay


def test_results_are_arrays_without_a_copy(decay: sim.Model) -> None:
    r = decay.run()
    y = r["y"]
    # RK4 of ẋ = −2x multiplies by the Taylor polynomial of exp(−2h) of order 4.
    h = -2 * decay.delta
    factor = 1 + h + h**2 / 2 + h**3 / 6 + h**4 / 24
    assert np.allclose(y, factor ** np.arange(100), rtol=1e-14, atol=0)
    assert np.array_equal(r.time, np.arange(100) * 0.01)
    assert y.base is not None and not y.flags.writeable and not y.flags.owndata
    with pytest.raises(ValueError):
        y[0] = 2
    kept = y.copy()
    del r
    assert np.array_equal(y, kept)


def test_until_counts_the_steps_before_it(decay: sim.Model) -> None:
    for until, steps in ((0.0, 0), (0.01, 1), (0.3, 30), (0.305, 31), (0.7, 70)):
        assert decay.run(until=until).steps == steps
    assert decay.run(steps=7).steps == 7
    with pytest.raises(TypeError):
        decay.run(until=1, steps=3)


def test_values_for_one_run_leave_the_model_alone(motor: sim.Model) -> None:
    before = motor.to_bytes()
    usual = motor.run()
    other = motor.run(set={"PID/P.Gain": 120})
    assert not np.array_equal(usual["speed"], other["speed"])
    assert motor.to_bytes() == before
    changed = motor.copy()
    changed.set({"PID/P.Gain": 120})
    assert np.array_equal(changed.run()["speed"], other["speed"])
    assert changed.get("PID/P.Gain") == 120
    # The length of a vector needs another program.
    vector = motor.run(steps=3, set={"#0.Final Value": [1, 2]}, signals=["#0"])
    assert vector["#0"].shape == (3, 2)


def test_a_value_of_an_initial_state_is_used(decay: sim.Model) -> None:
    assert decay.run(set={"x.Initial Value": 5})["y"][0] == 5


def test_signals_by_name_and_path(motor: sim.Model) -> None:
    r = motor.run(signals=["Motor.speed", "PID/P"])
    assert list(r) == ["Motor.speed", "PID/P"]
    # A signal that was not recorded is computed again, with the same bits.
    assert np.array_equal(r["Motor/Current"], motor.run(signals=["Motor/Current"])["Motor/Current"])
    assert np.array_equal(r["speed"], r["Motor.speed"])
    assert len(motor.run(signals="all")) == len(motor.signals)
    with pytest.raises(KeyError, match="no block"):
        r["Nothing.there"]


@pytest.mark.parametrize("engine", ["auto", "compiled", "threaded", "flat", "simple"])
def test_all_engines_give_the_same_bits(engine: str) -> None:
    for example in ("dc_motor", "lorenz", "thermostat"):
        m = sim.load(EXAMPLES / f"{example}.simx")
        wanted = m.run(steps=500, engine="simple", signals="all")
        found = m.run(steps=500, engine=engine, signals="all")
        for name in wanted:
            assert wanted[name].tobytes() == found[name].tobytes(), (example, name)


def test_an_unknown_engine_is_named(decay: sim.Model) -> None:
    with pytest.raises(sim.EngineError, match="“fast”; the engines are: auto"):
        decay.run(engine="fast")


def test_a_run_continues_at_a_checkpoint(motor: sim.Model) -> None:
    whole = motor.run(steps=2000)
    first = motor.run(steps=700)
    second = motor.run(steps=2000, resume=first)
    assert second.time[0] == 700 * 0.001
    assert np.array_equal(np.concatenate([first["speed"], second["speed"]]), whole["speed"])
    assert second.checkpoint == whole.checkpoint
    with pytest.raises(sim.CheckpointError, match="other blocks"):
        make_decay().run(resume=first.checkpoint)
    with pytest.raises(sim.CheckpointError, match="damaged"):
        motor.run(resume=first.checkpoint[:-1])


VARIANTS = """<simulation steps="1" delta="1" root="M"><variable name="mode" value="1"/><model name="M">
<block id="1" group="Var" name="Static"><option name="Value"><value>3</value></option></block>
<model id="2" model="Same" variants="Same if mode == 1; More if mode == 2"/><exit id="3" name="y"/>
<connection from="1" output="Output" to="2" input="u"/><connection from="2" output="y" to="3" input="Input"/></model>
<model name="Same"><entry id="1" name="u"/><exit id="3" name="y"/>
<connection from="1" output="Output" to="3" input="Input"/></model>
<model name="More"><entry id="1" name="u"/><exit id="3" name="y"/><block id="2" group="Math" name="Bias"/>
<connection from="1" output="Output" to="2" input="Input"/><connection from="2" output="Output" to="3" input="Input"/>
</model></simulation>"""


def test_a_value_leads_into_the_variant_that_another_one_chooses() -> None:
    m = sim.loads(VARIANTS)
    assert m.run(set={"mode": 2, "More/#2.Bias": 1})["y"][0] == 4
    assert m.run()["y"][0] == 3


def test_events_and_the_end_by_a_block() -> None:
    m = sim.Model("Watched", steps=100, delta=0.1)
    clock = m.add("Var/Clock")
    limit = m.add("Check/Upper Bound", "limit", Bound=1.0, Action="stop", Message="too late")
    clock >> limit
    clock >> m.exit("t")
    r = m.run()
    assert r.ended_by == "stop" and r.steps < 100
    assert [event.reaction for event in r.events] == ["stop"]
    assert r.events[0].time > 1.0 - 1e-9 and "limit" in r.events[0].block


def test_progress_is_told(decay: sim.Model) -> None:
    seen: list[tuple[int, int]] = []
    decay.run(steps=50_000, progress=lambda done, count: seen.append((done, count)))
    assert seen[-1] == (50_000, 50_000)
    assert seen == sorted(seen)


def test_an_exception_of_the_progress_ends_the_run(decay: sim.Model) -> None:
    def stop(done: int, count: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        decay.run(steps=10_000_000, progress=stop)


def test_other_threads_run_meanwhile() -> None:
    m = make_decay()
    counted = 0
    running = True

    def count() -> None:
        nonlocal counted
        while running:
            counted += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    begin = time.perf_counter()
    m.run(steps=5_000_000)
    took = time.perf_counter() - begin
    running = False
    other.join()
    assert counted > took / 0.001 / 20, f"{counted} in {took} s"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("kind", ["long", "iterated"])
def test_ctrl_c_ends_a_run(kind: str) -> None:
    program = f"""
        import time, sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import simulate as sim
        from test_run import endless
        m = endless({kind!r})
        print("begins", flush=True)
        try:
            m.run(steps=10**15)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "begins\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=20)
    assert out == "interrupted\n"
    assert child.returncode == 0


def endless(kind: str) -> sim.Model:
    """A run of many steps, or one whose first step lasts long."""
    if kind == "long":
        m = make_decay()
        # Nothing is recorded, so that the run does not fill the memory.
        m.remove(m["y"])
        return m
    return sim.loads(
        """<simulation steps="1" delta="1" root="M"><model name="M">
        <block id="2" group="Var" name="Static"><option name="Value"><value>9e7</value></option></block>
        <model id="1" model="Loop"/><connection from="2" output="Output" to="1" input="times"/></model>
        <model name="Loop"><entry id="1" name="times" role="for" limit="100000000"/>
        <block id="3" group="Math" name="Gain"/><connection from="1" output="Output" to="3" input="Input"/></model></simulation>"""
    )


def test_models_and_results_pickle(motor: sim.Model) -> None:
    r = motor.run(set={"PID/P.Gain": 80})
    again = pickle.loads(pickle.dumps(r))
    assert list(again) == list(r) and again.engine == r.engine
    for name in r:
        assert again[name].tobytes() == r[name].tobytes()
        assert not again[name].flags.writeable
    assert again.exits == r.exits
    m = pickle.loads(pickle.dumps(motor))
    assert m.to_bytes() == motor.to_bytes() and m.path == motor.path
    assert np.array_equal(m.run()["speed"], motor.run()["speed"])


def test_steps_from_python(motor: sim.Model) -> None:
    stepper = motor.stepper(["PID/P.Gain", "Wanted speed.Final Value"], ["speed", "PID.control"])
    wanted = motor.run(set={"PID/P.Gain": 50, "#0.Final Value": 2}, steps=300)
    found = [stepper.step([50.0, 2.0]) for _ in range(300)]
    assert np.array_equal(np.array(found)[:, 0], wanted["speed"])
    assert stepper.steps == 300 and stepper.time == 300 * motor.delta
    saved = stepper.checkpoint()
    after = [stepper.step((50, 2)) for _ in range(10)]
    stepper.restore(saved)
    assert [stepper.step((50, 2)) for _ in range(10)] == after
    stepper.reset()
    assert stepper.step([50.0, 2.0]) == found[0]
    with pytest.raises(ValueError, match="expected 2 numbers for the inputs, got 1"):
        stepper.step(3.0)


def test_an_entry_is_an_input() -> None:
    m = sim.Model(steps=10, delta=1)
    force = m.entry("force", 0)
    force >> m.add("Discrete/Unit Delay", "z") >> m.exit("y")
    stepper = m.stepper("force", "y")
    assert [stepper.step(float(k)) for k in range(5)] == [0, 0, 1, 2, 3]


def test_a_model_is_an_environment() -> None:
    m = sim.Model(steps=20, delta=0.1)
    m.entry("force", 0) >> m.add("Math/Integrate", "v") >> m.exit("v")
    env = sim.Env(m, ["force"], ["v"], lambda seen, held: -float(seen[0] ** 2), done=lambda seen: seen[0] > 0.95)
    seen, _ = env.reset()
    assert seen.shape == (1,)
    ended = False
    while not ended:
        seen, reward, ended, cut, _ = env.step([1.0])
        assert reward == -(seen[0] ** 2)
        assert not cut
    # After the first step the force is 0, then v grows by 0.1 a step.
    assert seen[0] == pytest.approx(1.0, abs=1e-12)


def test_a_failed_step_has_its_block_and_the_steps_before() -> None:
    m = sim.Model("Fails", steps=10, delta=1)
    clock = m.add("Var/Clock")
    clock >> m.add("Math/Gain", "down", Gain=-1) >> m.add("Math/Bias", Bias=3) >> m.add("Math/Function", "r", Function="1/u") >> m.exit("y")
    m.run()
    with pytest.raises(sim.RunError) as caught:
        m.run(stop_at_non_finite=True)
    error = caught.value
    assert (error.step, error.time) == (3, 3.0)
    assert error.block is not None and error.problem is not None and "infinite" in error.problem
    assert error.result["y"].tolist() == [1 / 3, 1 / 2, 1]


def test_what_does_not_fit_into_memory_is_refused_before_the_run() -> None:
    m = make_decay()
    with pytest.raises(MemoryError, match="1000000000000 samples of 1 numbers need 8000 GB"):
        m.run(steps=10**12)
    with pytest.raises(MemoryError):
        m.sweep({"rate.Gain": [-1.0, -2.0]}, steps=10**12, every=1)
    # Signals that are not recorded need no memory.
    assert len(m.run(steps=100, signals=[]).time) == 100
