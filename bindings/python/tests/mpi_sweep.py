"""A sweep by the executor of mpi4py: prints the values and the ranks that computed them; for ``test_sweep.py``."""

from __future__ import annotations

import json

from conftest import make_loop
from mpi4py import MPI
from mpi4py.futures import MPIPoolExecutor
from test_sweep import POINTS


def rank() -> int:
    number: int = MPI.COMM_WORLD.Get_rank()
    return number


if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        found = make_loop().sweep(POINTS, steps=200, executor=executor, chunk=2)
        ranks = {future.result() for future in [executor.submit(rank) for _ in range(200)]}
    print(json.dumps([found["y"].tolist(), sorted(ranks)]))
