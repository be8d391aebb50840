"""Makes the coefficients of src/block/math: minimax polynomials by the exchange method of Remez, 60 digits, rounded to
doubles one after the other (lowest first), the rest fitted anew each time.  Needs mpmath.  Prints name, the base-2
logarithm of the largest error (relative to the function, as named), and the coefficients, constant first."""

from mpmath import asin, mp, mpf, matrix, lu_solve, sin, cos, exp, log, atan, atanh, sqrt, pi, polyval

mp.dps = 60


def remez(f, weight, a, b, low, high):
    """Coefficients of x**low .. x**high that minimise max |weight * (p - f)|."""
    count = high - low + 1
    grid = [a + (b - a) * (1 - cos(pi * (i + mpf(1) / 2) / 600)) / 2 for i in range(600)]
    goal = [f(x) for x in grid]
    scale = [weight(x) for x in grid]
    at = [int((i + 0.5) * 600 / (count + 1)) for i in range(count + 1)]
    for _ in range(12):
        rows = matrix(count + 1, count + 1)
        right = matrix(count + 1, 1)
        for i, k in enumerate(at):
            for j in range(count):
                rows[i, j] = grid[k] ** (low + j)
            rows[i, count] = (-1) ** i / scale[k]
            right[i] = goal[k]
        found = lu_solve(rows, right)
        c = list(found)[:count]
        error = [scale[k] * (polyval(c[::-1], grid[k]) * grid[k] ** low - goal[k]) for k in range(600)]
        runs, start = [], 0
        for k in range(1, 601):
            if k == 600 or (error[k] > 0) != (error[start] > 0):
                runs.append(max(range(start, k), key=lambda i: abs(error[i])))
                start = k
        while len(runs) > count + 1:
            runs.remove(min((runs[0], runs[-1]), key=lambda i: abs(error[i])))
        if len(runs) < count + 1 or runs == at:
            break
        at = runs
    return c


def fit(name, f, weight, a, b, degree):
    a, b = mpf(a), mpf(b)
    fixed = []
    for low in range(degree + 1):
        rest = lambda x: f(x) - polyval(fixed[::-1], x) if fixed else f(x)
        fixed.append(mpf(float(remez(rest, weight, a, b, low, degree)[0])))
    points = [a + (b - a) * mpf(i) / 1009 for i in range(1, 1009)]
    worst = max(abs(weight(x) * (polyval(fixed[::-1], x) - f(x))) for x in points)
    print(name, "%.1f" % float(log(worst, 2)))
    for c in fixed:
        print("   ", repr(float(c)))


def series(x):
    return sum(x**k / mp.factorial(k + 3) for k in range(40))


quarter = (pi / 4) ** 2 * mpf("1.002")
fit("sin", lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / sin(sqrt(z)), mpf("1e-12"), quarter, 5)
fit("cos", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: z * z / cos(sqrt(z)), mpf("1e-9"), quarter, 5)
half = log(2) / 2 * mpf("1.001")
fit("exp", series, lambda r: abs(r) ** 3 / exp(r), -half, half, 9)
third = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * mpf("1.001")
fit("log", lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z, lambda z: z / 2, mpf("1e-12"), third, 6)
fit("log of a power", lambda z: (atanh(sqrt(z)) / sqrt(z) - 1 - z / 3 - z**2 / 5) / z**3, lambda z: z**3, mpf("1e-6"), third, 5)
fit("atan", lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, mpf("1e-12"), mpf("0.0626"), 7)
fit("asin", lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, mpf("1e-12"), mpf("0.2501"), 12)
