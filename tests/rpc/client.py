"""A real client of the Model Context Protocol: the library `mcp` of its makers against `simulate mcp`.

usage: client.py PROGRAM EXAMPLES
"""

import asyncio
import json
import math
import pathlib
import shutil
import sys
import tempfile

import mcp
from mcp.client.stdio import StdioServerParameters


def content(result):
    return result.structured_content


async def listing(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert {"overview", "read", "edit", "write", "run", "check", "save", "picture"} <= set(tools), sorted(tools)
    assert tools["run"].annotations.read_only_hint is True
    assert tools["save"].annotations.destructive_hint is True
    assert tools["edit"].annotations.destructive_hint is False


async def building(client):
    """A model is built, refused, corrected after a diagnostic, run and saved."""
    await client.call_tool("create", {"file": "decay.simx"})
    wrong = await client.call_tool(
        "edit", {"file": "decay.simx", "operations": [{"op": "add", "type": "Integratr", "label": "Amount"}]}
    )
    assert wrong.is_error and "did you mean" in wrong.content[0].text, wrong
    operations = [
        {"op": "settings", "values": {"steps": 1000, "delta": 0.01}},
        {"op": "add", "type": "Integrate", "label": "Amount", "parameters": {"Initial Value": 2}},
        {"op": "add", "type": "Gain", "label": "Rate", "parameters": {"Gain": -0.5}},
        {"op": "add", "type": "output", "label": "amount"},
        {"op": "connect", "from": "Amount", "to": ["Rate", "amount"]},
    ]
    half = content(await client.call_tool("edit", {"file": "decay.simx", "operations": operations}))
    problem = half["new_problems"][0]
    assert problem["block"] == "#0" and problem["severity"] == "warning", half
    closed = await client.call_tool("edit", {"operations": [{"op": "connect", "from": "Rate", "to": "Amount"}]})
    assert content(closed)["warnings"] == 0, closed
    run = content(await client.call_tool("run", {"at": [0, 2, 8], "digits": 12}))
    for time, value in zip(run["times"], run["signals"][0]["values"]):
        assert abs(value - 2 * math.exp(-0.5 * time)) < 1e-9, run
    picture = await client.call_tool("picture", {"file": "decay.simx"})
    assert picture.content[1].mime_type == "image/png" and len(picture.content[1].data) > 1000
    assert content(await client.call_tool("save", {"file": "decay.simx"})) == {"saved": "decay.simx"}


async def scripts(client, folder):
    """Examples are built from nothing by calls alone, with the results of the examples."""
    here = pathlib.Path(__file__).parent / "scripts"
    # The signal of the model that is built, and that of the example.
    signals = {
        "dc_motor": ("speed", "speed"),
        "fibonacci": ("#4.Input", "#4.Input"),
        "van_der_pol": ("x", "x"),
        "predator_prey": ("prey", "prey"),
        "lorenz": ("X.Output", "#0.Output"),
    }

    async def values(file, signal):
        run = await client.call_tool("run", {"file": file, "signals": [signal], "digits": 17})
        assert not run.is_error, run
        return content(run)["signals"][0]["values"]

    for script in sorted(here.glob("*.json")):
        for call in json.loads(script.read_text()):
            # Another simulation is open, so a call must say which one it means.
            result = await client.call_tool(call["call"], {"file": "built.simx", **call["arguments"]})
            assert not result.is_error, (script.name, result)
        ours, theirs = signals[script.stem]
        assert await values("built.simx", ours) == await values(f"{script.stem}.simx", theirs), script.name
        await client.call_tool("save", {"file": "built.simx", "to": f"built_{script.stem}.simx"})
        assert (folder / f"built_{script.stem}.simx").is_file()


async def giving_up(client):
    """A long run reports its progress, is given up, and leaves the session in order."""
    seen = []

    async def progress(done, total, message):
        seen.append((done, total))

    arguments = {"file": "lorenz.simx", "steps": 30_000_000, "signals": ["#13.Input"]}
    run = asyncio.ensure_future(client.call_tool("run", arguments, progress_callback=progress))
    while not seen:
        await asyncio.sleep(0.01)
        assert not run.done(), run
    run.cancel()
    try:
        await run
        raise AssertionError("the call was not given up")
    except asyncio.CancelledError:
        pass
    assert 0 < seen[0][0] < seen[0][1]
    files = content(await client.call_tool("files", {}))
    assert "lorenz.simx" in files["files"], files


async def main(program, examples):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for example in pathlib.Path(examples).glob("*.simx"):
            shutil.copy(example, folder)
        server = StdioServerParameters(command=str(pathlib.Path(program).absolute()), args=["mcp", str(folder)])
        async with mcp.Client(server) as client:
            await listing(client)
            await building(client)
            await scripts(client, folder)
            await giving_up(client)
            print(f"a client of mcp, protocol {client.protocol_version}: all calls as expected")


asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), timeout=300))
