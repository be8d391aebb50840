"""Writes tests/controller.ipynb from its cells: python make_notebook.py."""

from pathlib import Path

import nbformat

CELLS = [
    ("markdown", """# From an empty model to a tuned controller

A cart on a track is driven by a motor. The model is built from code, a controller is tuned by a sweep and by optimization,
and the Bode plot of the open loop is compared with python-control's."""),
    ("code", """import numpy as np
import simulate as sim

m = sim.Model("Cart", steps=3000, delta=1e-3)"""),
    ("markdown", """The plant: the motor follows its voltage with 50 ms and pushes the cart, mass 2 kg, friction 1.5 N s/m."""),
    ("code", """plant = m.submodel("Drive")
for name, value in {"mass": 2, "friction": 1.5}.items():
    plant.variable(name, value)
force = plant.add("Continuous/PT1", "motor", options={"Gain": 4, "Time Constant": 0.05})
net = plant.add("Math/Sum", "net force", Signs="+-")
speed = plant.add("Math/Integrate", "speed")
plant.entry("voltage") >> force >> net >> plant.add("Math/Gain", "1/m", Gain="1/mass") >> speed
speed >> plant.add("Math/Gain", "drag", Gain="friction") >> net
speed >> plant.add("Math/Integrate", "position") >> plant.exit("position")"""),
    ("markdown", "The loop, with a PID controller whose gains are guesses."),
    ("code", """cart = m.add(plant, "cart")
error = m.add("Math/Sum", "error", Signs="+-")
pid = m.add("Continuous/PID Controller", "PID", P=1, I=0, D=0, options={"Filter Coefficient": 200})
m.add("Var/Step", "wanted", options={"Step Time": 0.1}) >> error >> pid >> cart >> m.exit("position")
m.connect(cart, error)
assert not [found for found in m.check() if found.severity == "error"]
m"""),
    ("code", """r = m.run()
print(r, r["position"][-1])"""),
    ("markdown", "## Tuned by a sweep\n\nThe sweep runs on all processors; the criterion is the integral of time times error."),
    ("code", """def cost(position, time):
    late = np.clip(time - 0.1, 0, None)
    return (late * np.abs(1 - position)).sum(axis=-1) * m.delta

s = m.sweep({"PID.P": sim.linspace(2, 20, 10), "PID.D": sim.linspace(0, 4, 9)}, every=1)
costs = cost(s["position"], s.time)
best = int(np.nanargmin(costs))
start = {name: float(values[best]) for name, values in s.values_of.items()}
print(s, start, costs[best])"""),
    ("markdown", "## Refined by optimization\n\nA run costs a fraction of a millisecond, so that SciPy's optimizer is quick."),
    ("code", """from scipy.optimize import minimize

def of(x):
    r = m.run(set={"PID.P": x[0], "PID.I": abs(x[1]), "PID.D": x[2]})
    # No more than the motor can take.
    return cost(r["position"], r.time) + 1e-4 * np.square(x).sum()

tuned = minimize(of, [start["PID.P"], 0.01, start["PID.D"]], method="Nelder-Mead", options={"maxfev": 200})
gains = dict(zip(["PID.P", "PID.I", "PID.D"], np.abs(tuned.x)))
assert tuned.fun <= of([start["PID.P"], 0.0, start["PID.D"]]) and tuned.fun < 0.5 * of([1, 0, 0])
m.set(gains)
r = m.run(signals=["position", "PID", "cart/speed"])
overshoot = r["position"].max() - 1
print({name: round(value, 3) for name, value in gains.items()}, "overshoot", round(overshoot, 4))
assert abs(r["position"][-1] - 1) < 0.02 and overshoot < 0.2"""),
    ("code", """import matplotlib
matplotlib.use("Agg")
r.plot(["position", "cart/speed"]).set_title("Step response");"""),
    ("markdown", """## The open loop beside python-control

The loop is opened at the error; the linearization is exact. python-control computes the same from transfer functions."""),
    ("code", """import control

loop = m.linearize("error", "cart.position", open=True)
P, I, D = gains.values()
N = 200
s_ = control.tf("s")
controller = P + I / s_ + D * N * s_ / (s_ + N)
reference = controller * 4 / (0.05 * s_ + 1) / (2 * s_ + 1.5) / s_

omega = np.geomspace(1e-2, 1e3, 400)
ours, theirs = loop.response(omega), reference(1j * omega)
difference = np.max(np.abs(ours - theirs) / np.abs(theirs))
print("greatest difference to python-control", difference)
assert difference < 1e-9

magnitude, phase, _ = control.frequency_response(loop.to_control(), omega)
_, decibels, degrees = loop.bode(omega)
assert np.allclose(decibels, 20 * np.log10(magnitude), rtol=0, atol=1e-9)
assert np.allclose(degrees - degrees[0], np.degrees(np.unwrap(phase) - phase[0]), rtol=0, atol=1e-9)"""),
    ("code", """margins = loop.margins()
gm, pm, wpc, wgc = control.margin(reference)
print(margins)
assert abs(margins.phase - pm) < 1e-6 and abs(margins.phase_at - wgc) < 1e-6 * wgc
assert margins.phase > 30"""),
    ("code", """m.save("cart.simx")
assert np.array_equal(sim.load("cart.simx").run()["position"], r["position"])
loop.plot();"""),
]

notebook = nbformat.v4.new_notebook()
notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
for number, (kind, text) in enumerate(CELLS):
    make = nbformat.v4.new_markdown_cell if kind == "markdown" else nbformat.v4.new_code_cell
    notebook.cells.append(make(text, id=f"cell-{number}"))
nbformat.write(notebook, Path(__file__).parent / "tests" / "controller.ipynb")
