#!/usr/bin/env python3
"""Our program beside others on the benchmark models: cost of a step and start-up, as Markdown tables.

Every program's values are compared with the plain loops of `reference.py` first; a time is shown only if they agree.
See README.md for how to install the others; what is not installed is skipped.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import peer_xcos
from measure import least, marginal
from models import MODELS, Model
from ours import Ours
from reference import VALUES, error

HERE = Path(__file__).resolve().parent
ENGINES = ["compiled", "flat", "simple"]
PEERS = ["xcos", "jaxonomy", "pathsim", "bdsim", "simupy"]
TOLERANCE = 1e-9  # relative


@dataclass
class Cell:
    """One program on one model: nanoseconds a step, seconds of start-up, relative error; or why there is none."""

    ns: float | None = None
    start: float | None = None
    error: float | None = None
    why: str = ""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    root = HERE.parent.parent
    parser.add_argument("--program", default=root / "target/release/simulate", type=Path, help="our program")
    parser.add_argument("--peers", default=root / "target/peers", type=Path, help="a virtual environment for each peer")
    parser.add_argument("--models", default=list(MODELS), nargs="+", choices=list(MODELS))
    parser.add_argument("--only", default=PEERS, nargs="*", choices=PEERS, help="which peers")
    parser.add_argument("--target", default=0.5, type=float, help="seconds a long run takes")
    parser.add_argument("--repeats", default=3, type=int, help="of which the least counts")
    parser.add_argument("--limit", default=240.0, type=float, help="seconds a peer may take for a model")
    return parser.parse_args()


def interpreter(peer: str, folder: Path) -> str | None:
    """The Python that has the peer; none where it is not installed."""
    if peer == "xcos":
        return sys.executable if peer_xcos.is_installed() else None
    python = folder / peer / "bin/python"
    return str(python) if python.exists() else None


def seconds(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def checked(cell: Cell) -> Cell:
    return cell if cell.error <= TOLERANCE else Cell(error=cell.error, why=f"other values, error {cell.error:.1g}")


def our_cell(args: argparse.Namespace, engine: str, model: Model, folder: Path) -> Cell:
    ours = Ours(str(args.program), engine, model, folder)
    off = error(ours.values(model.check), VALUES[model.name](model.check))
    start = least(lambda: ours.seconds(10), args.repeats)
    return checked(Cell(marginal(ours.seconds, args.target, args.repeats), start, off))


def ask(args: argparse.Namespace, python: str, peer: str, model: Model, *job: str) -> dict:
    """What the worker says, or why it says nothing."""
    command = [python, str(HERE / "worker.py"), peer, model.name, *job]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=args.limit, cwd=HERE)
    except subprocess.TimeoutExpired:
        return {"skipped": f"not done in {args.limit:.0f} s"}
    if done.returncode != 0:
        return {"skipped": (done.stderr.strip() or "no message").splitlines()[-1]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def start_up(args: argparse.Namespace, python: str, peer: str, model: Model) -> float:
    """From the start of the process to its end with ten steps, in seconds, without the Python that drives Scilab."""
    if peer == "xcos":
        return seconds(lambda: peer_xcos.Peer(model).seconds(10))
    return seconds(lambda: ask(args, python, peer, model, "start"))


def peer_cell(args: argparse.Namespace, python: str, peer: str, model: Model) -> Cell:
    said = ask(args, python, peer, model, "measure", str(args.target), str(args.repeats))
    if "skipped" in said:
        return Cell(why=said["skipped"])
    start = least(lambda: start_up(args, python, peer, model), args.repeats)
    return checked(Cell(said["ns"], start, said["error"]))


def measured(args: argparse.Namespace) -> dict[str, dict[str, Cell]]:
    """All cells, by program and model."""
    rows: dict[str, dict[str, Cell]] = {f"ours, {engine}": {} for engine in ENGINES}
    pythons = {peer: interpreter(peer, args.peers) for peer in args.only}
    for peer, python in pythons.items():
        if python is None:
            print(f"{peer}: not installed, skipped", file=sys.stderr)
        else:
            rows[peer] = {}
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # A disk that is waited for would count.
    with tempfile.TemporaryDirectory(prefix="simulate-peers-", dir=memory) as folder:
        for name in args.models:
            model = MODELS[name]()
            for row, cells in rows.items():
                if row in pythons:
                    cells[name] = peer_cell(args, pythons[row], row, model)
                else:
                    cells[name] = our_cell(args, row.split()[1], model, Path(folder))
                print(f"{name}, {row}: {cells[name]}", file=sys.stderr, flush=True)
    return rows


def number(value: float | None) -> str:
    """Three significant digits."""
    if value is None:
        return "–"
    digits = max(0, 2 - len(str(int(abs(value)))) + 1) if value >= 1 else 2
    return f"{value:,.{digits}f}" if value < 1000 else f"{float(f'{value:.3g}'):,.0f}"


def table(title: str, rows: dict[str, dict[str, Cell]], models: list[str], text) -> str:
    lines = [f"| {title} | " + " | ".join(models) + " |", "|---|" + "---:|" * len(models)]
    lines += [f"| {row} | " + " | ".join(text(row, name) for name in models) + " |" for row in rows]
    return "\n".join(lines)


def ratio(cell: Cell, base: Cell) -> str:
    return number(cell.ns / base.ns) if cell.ns and base.ns else "–"


def main() -> None:
    args = arguments()
    if shutil.which(str(args.program)) is None:
        sys.exit(f"{args.program}: no such program; build it with cargo build --release --no-default-features")
    rows = measured(args)
    base = rows["ours, compiled"]
    print(table("a step, ns", rows, args.models, lambda row, name: number(rows[row][name].ns)), end="\n\n")
    print(table("times ours", rows, args.models, lambda row, name: ratio(rows[row][name], base[name])), end="\n\n")
    print(table("start-up, s", rows, args.models, lambda row, name: number(rows[row][name].start)), end="\n\n")
    print(f"Greatest relative error: {max(c.error or 0 for cells in rows.values() for c in cells.values()):.1g}.")
    for row, cells in rows.items():
        for name, cell in cells.items():
            if cell.why:
                print(f"- {row}, {name}: {cell.why}")


if __name__ == "__main__":
    main()
