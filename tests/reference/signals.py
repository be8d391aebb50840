"""Writes signals.json: the blocks of the groups Signal and Routing, by NumPy and by the factors of scipy.constants."""

import numpy as np
from scipy import constants

from trace import Table, half_away

table = Table(__file__, 7007)
noise, trace, rng = table.noise, table.trace, table.rng


def exact(block, origin, inputs, outputs, options=None, **named):
    trace(block, origin, inputs, outputs, options, tolerance=0, **named)


# --- Converters -------------------------------------------------------------------------------------------------------

u = 1.5 * noise(40)
for count, low, high in [(8, -1.0, 1.0), (3, 0.0, 4.0), (1, -2.0, 2.0)]:
    q = (high - low) / 2**count
    code = np.clip(np.floor((u - low) / q), 0, 2**count - 1)
    trace("Signal/ADC", "numpy.floor, numpy.clip", [u], [code, low + q * (code + 0.5)], Bits=count, Low=low, High=high)
    codes = rng.integers(-3, 2**count + 3, 40) + 0.25
    trace(
        "Signal/DAC",
        "numpy.floor, numpy.clip",
        [codes],
        [low + q * np.clip(np.floor(codes), 0, 2**count - 1)],
        Bits=count,
        Low=low,
        High=high,
    )
at = np.arange(40) // 4 * 4
code = np.clip(np.floor((u[at] + 1) * 128), 0, 255)
trace(
    "Signal/ADC",
    "numpy.floor, numpy.clip, of every fourth step",
    [u],
    [code, -1 + (code + 0.5) / 128],
    delta=0.25,
    Sample_Time=1,
)
codes = rng.integers(0, 256, 40)
trace(
    "Signal/DAC",
    "numpy.floor, numpy.clip, of every fourth step",
    [codes],
    [-1 + codes[at] / 128],
    delta=0.25,
    Sample_Time=1,
)

values = np.concatenate(
    [
        np.array([0.0, 0.25, 0.5, 1.5, 2.5, -0.5, -1.5, -2.75]),
        np.array([1.0, -1.0, 3.0]) * 127,
        np.array([1.0, -1.0]) * 40000,
        np.array([1.0, -1.0]) * 5e9,
        [127.0, 128.0, -128.0, -129.0, 255.0, 256.0, 32768.0, 65536.0],
    ]
)
table.at_once("Signal/Convert", "numpy.not_equal", [values], [values != 0], {"Type": "boolean"}, tolerance=0)
roundings = {"round": half_away, "floor": np.floor, "ceil": np.ceil, "fix": np.trunc}
for kind in ["int8", "uint8", "int16", "uint16", "int32", "uint32"]:
    info = np.iinfo(kind)
    for rounding, function in roundings.items():
        whole = function(values)
        wrapped = whole.astype(np.int64).astype(kind).astype(float)
        table.at_once(
            "Signal/Convert",
            "numpy.clip",
            [values],
            [np.clip(whole, info.min, info.max)],
            {"Type": kind, "Rounding": rounding, "Overflow": "saturate"},
            tolerance=0,
        )
        table.at_once(
            "Signal/Convert",
            "numpy astype, modulo the range",
            [values],
            [wrapped],
            {"Type": kind, "Rounding": rounding, "Overflow": "wrap"},
            tolerance=0,
        )

kelvin = constants.zero_Celsius
for conversion, want in {
    "deg to rad": np.deg2rad(u),
    "rad to deg": np.rad2deg(u),
    "rpm to rad/s": u * 2 * np.pi / constants.minute,
    "rad/s to rpm": u * constants.minute / (2 * np.pi),
    "Hz to rad/s": u * 2 * np.pi,
    "rad/s to Hz": u / (2 * np.pi),
    "km/h to m/s": u * constants.kmh,
    "m/s to km/h": u / constants.kmh,
    "°C to K": u + kelvin,
    "K to °C": u - kelvin,
    "°F to °C": constants.convert_temperature(u, "F", "C"),
    "°C to °F": constants.convert_temperature(u, "C", "F"),
    "bar to Pa": u * constants.bar,
    "Pa to bar": u / constants.bar,
}.items():
    trace("Signal/Unit Conversion", "scipy.constants", [u], [want], Conversion=conversion)

# --- Widths and signals that pass -------------------------------------------------------------------------------------

vectors = np.stack([noise(10) for _ in range(5)], axis=1)
exact(
    "Signal/Initial Value",
    "numpy.concatenate",
    [vectors],
    [np.concatenate([np.full((1, 5), 9.0), vectors[1:]])],
    Initial_Value=9,
)
exact("Signal/Probe", "numpy.shape", [vectors], [np.full(10, 5.0), np.full(10, 0.125)], delta=0.125)
exact("Signal/Width", "numpy.shape", [vectors], [np.full(10, 5.0)])
exact("Signal/Signal Specification", "the input itself", [vectors], [vectors], Width=5)

# --- Routing ----------------------------------------------------------------------------------------------------------

exact("Routing/Mux", "numpy.concatenate", [vectors[:, :2], vectors[:, 2], vectors[:, 3:]], [vectors], Inputs=3)
exact("Routing/Demux", "numpy.split", [vectors], [vectors[:, :2], vectors[:, 2], vectors[:, 3:]], Widths=[2, 1, 2])
exact(
    "Routing/Bus Creator",
    "numpy.concatenate",
    [vectors[:, :2], vectors[:, 2], vectors[:, 3:]],
    [vectors],
    Names="a b c",
)
names = {"Input Names": "a pose[3] mode"}
elements = {"Elements": "mode pose"}
exact(
    "Routing/Bus Selector",
    "numpy indexing by the place of a name",
    [vectors],
    [vectors[:, 4], vectors[:, 1:4]],
    {**names, **elements, "Output": "signals"},
)
exact(
    "Routing/Bus Selector",
    "numpy indexing by the place of a name",
    [vectors],
    [vectors[:, [4, 1, 2, 3]]],
    {**names, **elements, "Output": "bus"},
)
replaced = vectors.copy()
replaced[:, 4], replaced[:, 1:4] = vectors[:, 0], vectors[:, 2:]
exact(
    "Routing/Bus Assignment",
    "numpy indexing by the place of a name",
    [vectors, vectors[:, 0], vectors[:, 2:]],
    [replaced],
    {**names, **elements},
)
for first in [0, 1]:
    exact(
        "Routing/Selector",
        "numpy indexing",
        [vectors],
        [vectors[:, [4, 0, 0, 2]]],
        {"First Index": first, "Indices": np.array([4, 0, 0, 2]) + first},
    )
    index = np.round(rng.uniform(-2, 7, 10), 1)
    at = np.clip(np.trunc(index).astype(int) - first, 0, 4)
    exact(
        "Routing/Index Vector", "numpy indexing", [index, vectors], [vectors[np.arange(10), at]], {"First Index": first}
    )
    place = np.trunc(index).astype(int) - first
    at = np.where((place >= 0) & (place < 5), place, 4)
    exact(
        "Routing/Multiport Switch",
        "numpy indexing",
        [index, *vectors.T],
        [vectors[np.arange(10), at]],
        {"First Index": first, "Inputs": 5},
    )
for position in [1, 2]:
    exact(
        "Routing/Manual Switch",
        "the input itself",
        [vectors[:, :2], vectors[:, 3:]],
        [vectors[:, :2] if position == 1 else vectors[:, 3:]],
        Position=position,
    )
control = np.array([-1.0, 0.5, 0.0, 2.0, 0.5, 0.25, 0.5, 0.75, -0.5, 0.5])
for criterion, holds in [(">=", control >= 0.5), (">", control > 0.5), ("!=", control != 0.5)]:
    exact(
        "Routing/Switch",
        "numpy.where",
        [vectors[:, :2], control, vectors[:, 3:]],
        [np.where(holds[:, None], vectors[:, :2], vectors[:, 3:])],
        Criterion=criterion,
        Threshold=0.5,
    )

table.write()
