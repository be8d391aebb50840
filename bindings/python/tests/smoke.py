"""Tests the functions that need NumPy alone, in a fresh environment: python smoke.py MODEL."""

import sys

import simulate as sim

model = sim.load(sys.argv[1])
result = model.run(until=0.5)
assert result["Motor.speed"].shape == (500,), result
assert model.picture().startswith("<"), "a picture"
assert sorted(name for name in sys.modules if name in ("pandas", "matplotlib", "scipy", "control")) == []
swept = model.sweep({"PID/P.Gain": [50.0, 100.0]}, steps=100)
assert swept["speed"].shape == (2,)
print(f"{result!r}, {sys.version.split()[0]}")
