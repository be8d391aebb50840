"""Runs one peer on one model in its own process; prints one line of JSON.

`worker.py PEER MODEL start` builds the model, runs ten steps and ends; `worker.py PEER MODEL measure TARGET REPEATS`
compares the values with the reference and times.
"""

import importlib
import json
import sys

from measure import marginal
from models import MODELS


def main() -> None:
    peer_name, model_name, job, *numbers = sys.argv[1:]
    model = MODELS[model_name]()
    module = importlib.import_module(f"peer_{peer_name}")
    if model_name in module.SKIPPED:
        print(json.dumps({"skipped": module.SKIPPED[model_name]}))
        return
    peer = module.Peer(model)
    if job == "start":
        peer.seconds(10)
        result = {}
    else:
        from reference import VALUES, error

        off = error(peer.values(model.check), VALUES[model_name](model.check))
        target, repeats = float(numbers[0]), int(numbers[1])
        result = {"error": off, "ns": marginal(peer.seconds, target, repeats)}
    print("\n" + json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
