"""Writes pendulum.csv: the derivatives of the angle of a pendulum under PID control, by complex steps of the same RK4
recursion with 60 digits. A complex step of 1e-30 has no error of differences."""

from mpmath import mp, mpc, mpf, sin

mp.dps = 60
H, STEPS, EVERY, STEP = mpf(0.01), 300, 50, mpf(10) ** -30
NAMES = ["P", "I", "D", "N", "angle", "stiffness"]
VALUES = [mpf(8), mpf(3), mpf(1.5), mpf(40), mpf(0.7), mpf(9.81)]


def rates(x, p):
    angle, speed, integral, filtered = x
    kp, ki, kd, n, _, stiffness = p
    error = mpf(0.25) - angle
    derivative = n * (kd * error - filtered)
    control = kp * error + integral + derivative
    return [speed, control - stiffness * sin(angle), ki * error, derivative]


def run(p):
    x = [p[4], mpf(0), mpf(0), mpf(0)]
    angles = [x[0]]
    for _ in range(STEPS):
        k1 = rates(x, p)
        k2 = rates([a + H / 2 * k for a, k in zip(x, k1)], p)
        k3 = rates([a + H / 2 * k for a, k in zip(x, k2)], p)
        k4 = rates([a + H * k for a, k in zip(x, k3)], p)
        x = [a + H / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(x, k1, k2, k3, k4)]
        angles.append(x[0])
    return angles


columns = []
for number in range(len(NAMES)):
    p = [mpc(value, STEP if number == own else 0) for own, value in enumerate(VALUES)]
    columns.append([angle.imag / STEP for angle in run(p)])
with open("pendulum.csv", "w") as file:
    file.write("step," + ",".join(NAMES) + "\n")
    for step in range(0, STEPS + 1, EVERY):
        row = [mp.nstr(column[step], 20, strip_zeros=False) for column in columns]
        file.write(f"{step}," + ",".join(row) + "\n")
