"""Makes values.txt: the elementary functions at many points, by MPFR with 500 bits.

Needs gmpy2 (2.3 was used).  Each line has a function, its arguments and the value rounded to the nearest double, all as
the 16 hexadecimal digits of their bits, and on which side of that double the true value lies: "+" above, "-" below,
"=" on it.  The points are drawn with a fixed seed: over all doubles, over the middle binades, and where each function
is hard: beside multiples of pi/2, beside 1, at the edges of overflow and underflow, below the normal numbers.
"""

import math
import random
import struct

import gmpy2
from gmpy2 import mpfr

context = gmpy2.get_context()
context.precision = 500
draw = random.Random(20)
COUNT = 20

FUNCTIONS = {
    "sin": gmpy2.sin, "cos": gmpy2.cos, "tan": gmpy2.tan,
    "asin": gmpy2.asin, "acos": gmpy2.acos, "atan": gmpy2.atan,
    "sinh": gmpy2.sinh, "cosh": gmpy2.cosh, "tanh": gmpy2.tanh,
    "asinh": gmpy2.asinh, "acosh": gmpy2.acosh, "atanh": gmpy2.atanh,
    "exp": gmpy2.exp, "ln": gmpy2.log, "log10": gmpy2.log10,
    "pow": lambda x, y: x**y, "atan2": gmpy2.atan2, "hypot": gmpy2.hypot, "rem": gmpy2.fmod,
}  # fmt: skip


def bits(x):
    return "%016x" % struct.unpack("<Q", struct.pack("<d", x))[0]


def any_bits():
    return struct.unpack("<d", struct.pack("<Q", draw.getrandbits(64)))[0]


def binade(low, high):
    return draw.choice((-1, 1)) * math.ldexp(1 + draw.random(), draw.randrange(low, high))


def many(make):
    return [make() for _ in range(COUNT)]


def between(low, high):
    return many(lambda: draw.uniform(low, high))


def tiny():
    return draw.choice((-1, 1)) * draw.random() * 2.0**-1022


def beside(x):
    for _ in range(draw.randrange(4)):
        x = math.nextafter(x, draw.choice((-math.inf, math.inf)))
    return x


def of_one(name):
    points = many(any_bits) + many(lambda: binade(-60, 60)) + many(lambda: binade(-10, 4)) + many(tiny)
    if name in ("sin", "cos", "tan"):
        for most in (8, 1000, 600_000):
            points += many(lambda: beside(draw.randrange(1, most) * math.pi / 2))
            points += many(lambda: draw.randrange(1, most) * math.pi / 2 + binade(-40, -1))
        points += many(lambda: draw.randrange(100) * math.pi / 2 + math.pi / 4 + binade(-20, -8))
        points += between(-1, 1) + between(1e6, 1.1e6) + between(1e6, 1e15)
        # The double closest to a multiple of pi/2 (Kahan), and others that are close.
        points += [6381956970095103 * 2.0**797, 5.319372648326541e255, 37364.2, 1e22]
    if name in ("exp", "sinh", "cosh", "tanh"):
        for low, high in ((-1, 1), (-40, 40), (700, 711), (-746, -700), (0.3, 0.4), (0.25, 0.26), (18, 23)):
            points += between(low, high)
        points += [709.782712893384, 709.7827128933841, -745.1332191019411, -745.1332191019412, 710.4758600739439]
    if name in ("ln", "log10"):
        points += many(lambda: 1 + binade(-53, -1)) + between(0.65, 0.75) + between(1.35, 1.45)
        points += [10.0**k for k in range(0, 23)] + many(lambda: abs(any_bits()))
    if name == "acosh":
        points += many(lambda: 1 + abs(binade(-52, 3))) + between(1, 3) + many(lambda: abs(any_bits()))
    if name == "asinh":
        points += between(-3, 3) + between(-0.5, 0.5)
    if name in ("atanh", "asin", "acos"):
        points += between(-1, 1) + between(0.4, 0.6)
        points += many(lambda: 1 - abs(binade(-53, -2))) + many(lambda: -1 + abs(binade(-53, -2)))
    if name == "atan":
        points += between(-1, 1) + between(-4, 4) + between(0.2, 0.3) + between(0.7, 0.8)
    return [(x,) for x in points]


def of_two(name):
    points = list(zip(many(any_bits), many(any_bits)))
    if name == "pow":
        for low, high in ((-1000, 1000), (-3, 3)):
            for x in many(lambda: abs(binade(low, high))):
                points.append((x, draw.uniform(-1, 1) * 745 / abs(math.log(x))))
        for x in many(lambda: 1 + binade(-40, -2)):
            points.append((x, draw.uniform(-1, 1) * 745 / abs(math.log(x))))
        points += zip(between(0.7, 1.42), between(-2100, 2100))
        points += zip(between(-20, 20), many(lambda: float(draw.randrange(-60, 60))))
        points += zip(many(lambda: abs(tiny())), between(-1, 1))
        points += zip(between(2, 2.001), between(1020, 1024.5))
        points += zip(between(2, 2.001), between(-1075, -1020))
        return points
    for low, high in ((-60, 60), (-3, 3), (-1022, 1022), (-330, -290), (290, 330), (1000, 1022)):
        points += zip(many(lambda: binade(low, high)), many(lambda: binade(low, high)))
    points += zip(many(tiny), many(tiny))
    if name == "rem":
        points += zip(many(lambda: binade(10, 40)), many(lambda: binade(0, 10)))
        points += zip(many(lambda: draw.randrange(-1000, 1000) * 0.1), [0.1] * COUNT)
        points += [(b * k, b) for b, k in zip(many(lambda: binade(0, 1)), many(lambda: draw.randrange(1 << 26)))]
    return points


def main():
    two = ("pow", "atan2", "hypot", "rem")
    for name, function in FUNCTIONS.items():
        for args in of_two(name) if name in two else of_one(name):
            true = function(*map(mpfr, args))
            if gmpy2.is_nan(true):
                continue
            near = float(true)
            side = "+" if true > mpfr(near) else "-" if true < mpfr(near) else "="
            print(name, *map(bits, args), bits(near), side)


main()
