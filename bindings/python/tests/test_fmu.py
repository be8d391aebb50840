"""The code of an FMU runs in a process of its own, which the script of the wheel is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import simulate as sim
from conftest import make_decay


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("cc") is None, reason="an FMU is compiled")
def test_an_fmu_of_a_model_has_its_bits(tmp_path: Path) -> None:
    m = make_decay(steps=20)
    m.save(tmp_path / "decay.simx")
    command = [sys.executable, "-m", "simulate", "export", str(tmp_path / "decay.simx"), "--to", "fmu", "--out", str(tmp_path / "decay.fmu")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    user = sim.Model(steps=20, delta=0.01)
    user.save(tmp_path / "user.simx")
    user.add("User/FMU", "decay", File="decay.fmu", Outputs="y") >> user.exit("y")
    text = user.to_simx()
    (tmp_path / "user.simx").write_text(text)
    with pytest.raises(sim.InvalidModelError, match="may not run|allow"):
        sim.load(tmp_path / "user.simx").run()
    allowed = sim.load(tmp_path / "user.simx", allow_fmu=[tmp_path / "decay.fmu"])
    assert np.array_equal(allowed.run()["y"], m.run()["y"])
