"""Tries FMUs with fmpy: validates each, simulates it and compares with `simulate run`.

usage: fmpy_check.py SIMULATE FOLDER FILE.simx...

FOLDER is for the FMUs and tables. Co-simulation must have the bits of the simulation at each communication point; model
exchange, which CVode integrates with a relative tolerance of 1e-10, must be within 1e-5 of the largest value.
"""

import csv
import subprocess
import sys
from pathlib import Path

import fmpy
from fmpy.build import build_platform_binary
from fmpy.validation import validate_fmu

STEPS = 300


def element(name):
    """The column of the table for an element of a vector: they are counted from 0 there, from 1 in FMI 2."""
    if name.endswith("]") and "[" in name:
        start, number = name[:-1].rsplit("[", 1)
        return f"{start}[{int(number) - 1}]"
    return name


def columns(result, variable):
    """The columns of a result that belong to a variable, by their names in the table."""
    values = result[variable.name]
    if values.ndim == 1:
        return {element(variable.name): values}
    return {f"{variable.name}[{i}]": values[:, i] for i in range(values.shape[1])}


def check(simulate, folder, file, version):
    fmu = folder / f"{file.stem}.{version}.fmu"
    command = [simulate, "export", file, "--to", "fmu", "--fmi", str(version), "--out", fmu, "-q"]
    subprocess.run(command, check=True)
    problems = validate_fmu(str(fmu))
    assert not problems, problems
    description = fmpy.read_model_description(str(fmu))
    step = float(description.defaultExperiment.stepSize)
    table = folder / "table.csv"
    command = [simulate, "run", file, "--steps", str(STEPS + 1), "--signals", "exits", "--out", table, "--hex", "-q"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(table, encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    outputs = [variable for variable in description.modelVariables if variable.causality == "output"]
    names = [variable.name for variable in outputs]
    compared = 0
    for multiple in (1, 5):
        result = fmpy.simulate_fmu(
            str(fmu), fmi_type="CoSimulation", validate=True, stop_time=STEPS * step, output_interval=multiple * step, output=names
        )
        assert len(result) == STEPS // multiple + 1, len(result)
        for variable in outputs:
            for name, values in columns(result, variable).items():
                got = [float(value).hex() for value in values]
                expected = [float.fromhex(row[name]).hex() for row in rows[: STEPS + 1 : multiple]]
                assert got == expected, (fmu.name, multiple, name)
                compared += 1
    assert compared > 0
    exchange = ""
    if description.modelExchange is not None:
        result = fmpy.simulate_fmu(
            str(fmu), fmi_type="ModelExchange", stop_time=STEPS * step, output_interval=step, relative_tolerance=1e-10, output=names
        )
        for variable in outputs:
            for name, values in columns(result, variable).items():
                expected = [float.fromhex(row[name]) for row in rows[: STEPS + 1]]
                difference = abs(float(values[-1]) - expected[-1])
                assert difference <= 1e-5 * max(map(abs, expected)), (fmu.name, name, difference)
        exchange = ", model exchange"
    return f"{fmu.name}: {compared} columns equal to the last bit{exchange}"


def check_sources(simulate, folder, file, version):
    """Compiles the sources with fmpy, which knows nothing of how this program would do it."""
    fmu = folder / f"{file.stem}.sources.{version}.fmu"
    command = [simulate, "export", file, "--to", "fmu", "--fmi", str(version), "--out", fmu, "-q", "--sources-only"]
    subprocess.run(command, check=True)
    unpacked = fmpy.extract(str(fmu))
    build_platform_binary(unpacked)
    result = fmpy.simulate_fmu(unpacked, fmi_type="CoSimulation")
    assert len(result) > 1
    return f"{fmu.name}: fmpy compiles and runs it"


def main():
    simulate, folder, files = sys.argv[1], Path(sys.argv[2]), [Path(name) for name in sys.argv[3:]]
    for file in files:
        for version in (2, 3):
            print(check(simulate, folder, file, version))
    try:
        import cmake  # noqa: F401
    except ImportError:
        return
    for version in (2, 3):
        print(check_sources(simulate, folder, files[0], version))


main()
