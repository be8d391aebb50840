//@ reduce: rounder pair bits_of
/* The remainder of a positive number up to 400,000 to the nearest multiple of pi/2, and the multiple in the lowest
   bits. */
static uint64_t reduce(double x, pair *rest)
{
    const double shifted = (x * 0.6366197723675814) + ROUNDER;
    const double number = shifted - ROUNDER;
    const double first = x - (number * 1.5707963267341256);
    const double second = number * 6.077100506303966e-11;
    rest->hi = first - second;
    rest->lo = ((first - rest->hi) - second) - (number * 2.0222662487959506e-21);
    return bits_of(shifted);
}

//@ waves: pair polynomial
/* Sine and cosine of at most pi/4; more is the rounding error of the square of the argument, or part of it. */
static pair sine_of(pair y)
{
    static const double coefficients[6] = {
        -0.1666666666666663, 0.00833333333332184, -0.00019841269829358503, 2.755731353849688e-06,
        -2.505073438536119e-08, 1.5895433008318326e-10};
    const double z = y.hi * y.hi;
    const double hi = 1.0 - (0.5 * z);
    return make_pair(y.hi, ((y.hi * z) * polynomial(z, coefficients, 6U)) + (y.lo * hi));
}

static pair cosine_of(pair y, double more)
{
    static const double coefficients[6] = {
        0.041666666666666595, -0.0013888888888873307, 2.4801587288965237e-05, -2.7557314203084316e-07,
        2.087570314065877e-09, -1.1358617084750636e-11};
    const double z = y.hi * y.hi;
    const double half = 0.5 * z;
    const double hi = 1.0 - half;
    const double lost = ((1.0 - hi) - half) - (0.5 * more);
    return make_pair(hi, lost + (((z * z) * polynomial(z, coefficients, 6U)) - (y.hi * y.lo)));
}

//@ wave: waves flip
/* The sine of a number of quarter turns and a remainder. */
static double wave(pair rest, uint64_t quadrant)
{
    const pair of = ((quadrant & 1U) != 0U) ? cosine_of(rest, 0.0) : sine_of(rest);
    return flip(of.hi + of.lo, quadrant << 62U);
}

//@ large: bits_of from_bits rounder
/* Arguments above 400,000, as the crate libm has it, after musl and FreeBSD msun (e_rem_pio2.c, k_sin.c, k_cos.c,
   k_tan.c).
   Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
   Developed at SunPro, a Sun Microsystems, Inc. business. Permission to use, copy, modify, and distribute this
   software is freely granted, provided that this notice is preserved.
   musl and the crate: MIT licence. */
static double scaled_by(double x, int32_t exponent)
{
    /* Exact: all results are normal numbers or 0. */
    return x * from_bits((uint64_t)(1023 + (int64_t)exponent) << 52U);
}

static uint32_t high_word(double x)
{
    return (uint32_t)(bits_of(x) >> 32U) & 0x7FFFFFFFU;
}

/* x is the number in three pieces of 24 bits, the first with the exponent e0; the remainder to a multiple of pi/2 goes
   to y, and the multiple modulo 8 is returned. */
static int32_t remainder_of_pieces(const double x[3], int32_t nx, int32_t e0, double y[2])
{
    static const int32_t two_per_pi[66] = {
        0xA2F983, 0x6E4E44, 0x1529FC, 0x2757D1, 0xF534DD, 0xC0DB62, 0x95993C, 0x439041, 0xFE5163, 0xABDEBB, 0xC561B7,
        0x246E3A, 0x424DD2, 0xE00649, 0x2EEA09, 0xD1921C, 0xFE1DEB, 0x1CB129, 0xA73EE8, 0x8235F5, 0x2EBB44, 0x84E99C,
        0x7026B4, 0x5F7E41, 0x3991D6, 0x398353, 0x39F49C, 0x845F8B, 0xBDF928, 0x3B1FF8, 0x97FFDE, 0x05980F, 0xEF2F11,
        0x8B5A0A, 0x6D1F6D, 0x367ECF, 0x27CB09, 0xB74F46, 0x3F669E, 0x5FEA2D, 0x7527BA, 0xC7EBE5, 0xF17B3D, 0x0739F7,
        0x8A5292, 0xEA6BFB, 0x5FB11F, 0x8D5D08, 0x560330, 0x46FC7B, 0x6BABF0, 0xCFBC20, 0x9AF436, 0x1DA9E3, 0x91615E,
        0xE61B08, 0x659985, 0x5F14A0, 0x68408D, 0xFFD880, 0x4D7327, 0x310606, 0x1556CA, 0x73A8C9, 0x60E27B, 0xC08C6B};
    static const double half_pi[8] = {
        1.57079625129699707031e+00, 7.54978941586159635335e-08, 5.39030252995776476554e-15, 3.28200341580791294123e-22,
        1.27065575308067607349e-29, 1.22933308981111328932e-36, 2.73370053816464559624e-44, 2.16741683877804819444e-51};
    const int32_t jk = 4;
    const int32_t jx = nx - 1;
    const int32_t jv = (((e0 - 3) / 24) < 0) ? 0 : ((e0 - 3) / 24);
    int32_t q0 = e0 - (24 * (jv + 1));
    int32_t jz = jk;
    int32_t n = 0;
    int32_t ih = 0;
    double z = 0.0;
    double fw;
    double f[20] = {0.0};
    double fq[20] = {0.0};
    double q[20] = {0.0};
    int32_t iq[20] = {0};
    bool is_done = false;
    for (int32_t i = 0; i <= (jx + jk); i++) {
        const int32_t j = (jv - jx) + i;
        f[i] = (j < 0) ? 0.0 : (double)two_per_pi[j];
    }
    for (int32_t i = 0; i <= jk; i++) {
        fw = 0.0;
        for (int32_t j = 0; j <= jx; j++) {
            fw += x[j] * f[(jx + i) - j];
        }
        q[i] = fw;
    }
    while (!is_done) {
        int32_t i = 0;
        is_done = true;
        z = q[jz];
        for (int32_t j = jz; j > 0; j--) {
            fw = (double)(int32_t)(0x1p-24 * z);
            iq[i] = (int32_t)(z - (0x1p24 * fw));
            z = q[j - 1] + fw;
            i++;
        }
        z = scaled_by(z, q0);
        z -= 8.0 * floor(z * 0.125);
        n = (int32_t)z;
        z -= (double)n;
        ih = 0;
        if (q0 > 0) {
            const int32_t carried = iq[jz - 1] / (int32_t)(1U << (uint32_t)(24 - q0));
            n += carried;
            iq[jz - 1] -= carried * (int32_t)(1U << (uint32_t)(24 - q0));
            ih = iq[jz - 1] / (int32_t)(1U << (uint32_t)(23 - q0));
        } else if (q0 == 0) {
            ih = iq[jz - 1] / 0x800000;
        } else if (z >= 0.5) {
            ih = 2;
        } else {
            /* The remainder is below a half. */
        }
        if (ih > 0) {
            bool has_carry = false;
            n += 1;
            for (i = 0; i < jz; i++) {
                const int32_t j = iq[i];
                if (has_carry) {
                    iq[i] = 0xFFFFFF - j;
                } else if (j != 0) {
                    has_carry = true;
                    iq[i] = 0x1000000 - j;
                } else {
                    /* Zeros stay. */
                }
            }
            if (q0 == 1) {
                iq[jz - 1] %= 0x800000;
            } else if (q0 == 2) {
                iq[jz - 1] %= 0x400000;
            } else {
                /* Nothing is cut off. */
            }
            if (ih == 2) {
                z = 1.0 - z;
                if (has_carry) {
                    z -= scaled_by(1.0, q0);
                }
            }
        }
        if (z == 0.0) {
            bool is_zero = true;
            for (i = jz - 1; i >= jk; i--) {
                is_zero = is_zero && (iq[i] == 0);
            }
            if (is_zero) {
                int32_t k = 1;
                while (iq[jk - k] == 0) {
                    k++;
                }
                for (i = jz + 1; i <= (jz + k); i++) {
                    f[jx + i] = (double)two_per_pi[jv + i];
                    fw = 0.0;
                    for (int32_t j = 0; j <= jx; j++) {
                        fw += x[j] * f[(jx + i) - j];
                    }
                    q[i] = fw;
                }
                jz += k;
                is_done = false;
            }
        }
    }
    if (z == 0.0) {
        jz -= 1;
        q0 -= 24;
        while (iq[jz] == 0) {
            jz -= 1;
            q0 -= 24;
        }
    } else {
        z = scaled_by(z, -q0);
        if (z >= 0x1p24) {
            fw = (double)(int32_t)(0x1p-24 * z);
            iq[jz] = (int32_t)(z - (0x1p24 * fw));
            jz += 1;
            q0 += 24;
            iq[jz] = (int32_t)fw;
        } else {
            iq[jz] = (int32_t)z;
        }
    }
    fw = scaled_by(1.0, q0);
    for (int32_t i = jz; i >= 0; i--) {
        q[i] = fw * (double)iq[i];
        fw *= 0x1p-24;
    }
    for (int32_t i = jz; i >= 0; i--) {
        fw = 0.0;
        for (int32_t k = 0; (k <= jk) && (k <= (jz - i)); k++) {
            fw += half_pi[k] * q[i + k];
        }
        fq[jz - i] = fw;
    }
    fw = 0.0;
    for (int32_t i = jz; i >= 0; i--) {
        fw += fq[i];
    }
    y[0] = (ih == 0) ? fw : -fw;
    fw = fq[0] - fw;
    for (int32_t i = 1; i <= jz; i++) {
        fw += fq[i];
    }
    y[1] = (ih == 0) ? fw : -fw;
    return n % 8;
}

/* The remainder of a number above 400,000 to a multiple of pi/2, and the multiple modulo 4. */
static uint32_t large_remainder(double x, double y[2])
{
    const uint32_t ix = high_word(x);
    int32_t n;
    if (ix < 0x413921FBU) {
        const double number = ((x * 6.36619772367581382433e-01) + ROUNDER) - ROUNDER;
        double r = x - (number * 1.57079632673412561417e+00);
        double w = number * 6.07710050650619224932e-11;
        const uint32_t ex = ix >> 20U;
        n = (int32_t)number;
        y[0] = r - w;
        if (((int32_t)ex - (int32_t)(high_word(y[0]) >> 20U)) > 16) {
            double t = r;
            w = number * 6.07710050630396597660e-11;
            r = t - w;
            w = (number * 2.02226624879595063154e-21) - ((t - r) - w);
            y[0] = r - w;
            if (((int32_t)ex - (int32_t)(high_word(y[0]) >> 20U)) > 49) {
                t = r;
                w = number * 2.02226624871116645580e-21;
                r = t - w;
                w = (number * 8.47842766036889956997e-32) - ((t - r) - w);
                y[0] = r - w;
            }
        }
        y[1] = (r - y[0]) - w;
    } else {
        double pieces[3] = {0.0, 0.0, 0.0};
        double z = from_bits((bits_of(x) & UINT64_C(0x000FFFFFFFFFFFFF)) | ((uint64_t)(0x3FF + 23) << 52U));
        int32_t last = 2;
        for (int32_t i = 0; i < 2; i++) {
            pieces[i] = (double)(int32_t)z;
            z = (z - pieces[i]) * 0x1p24;
        }
        pieces[2] = z;
        while ((last > 0) && (pieces[last] == 0.0)) {
            last--;
        }
        n = remainder_of_pieces(pieces, last + 1, (int32_t)(ix >> 20U) - (0x3FF + 23), y);
        if (x < 0.0) {
            n = -n;
            y[0] = -y[0];
            y[1] = -y[1];
        }
    }
    /* The remainder of C has the sign of n. */
    return (uint32_t)(((n % 4) + 4) % 4);
}

//@ large_waves: large
static double large_sine(const double y[2])
{
    const double x = y[0];
    const double z = x * x;
    const double w = z * z;
    const double r = (8.33333333332248946124e-03 + (z * (-1.98412698298579493134e-04 + (z * 2.75573137070700676789e-06)))) +
                     ((z * w) * (-2.50507602534068634195e-08 + (z * 1.58969099521155010221e-10)));
    const double v = z * x;
    return x - (((z * ((0.5 * y[1]) - (v * r))) - y[1]) - (v * -1.66666666666666324348e-01));
}

static double large_cosine(const double y[2])
{
    const double x = y[0];
    const double z = x * x;
    const double w = z * z;
    const double r = (z * (4.16666666666666019037e-02 + (z * (-1.38888888888741095749e-03 + (z * 2.48015872894767294178e-05))))) +
                     ((w * w) * (-2.75573143513906633035e-07 + (z * (2.08757232129817482790e-09 + (z * -1.13596475577881948265e-11)))));
    const double half = 0.5 * z;
    const double one = 1.0 - half;
    return one + (((1.0 - one) - half) + ((z * r) - (x * y[1])));
}

/* The sine of a large number and a number of quarter turns. */
static double large_wave(double x, uint32_t more)
{
    double result = x - x;
    if (fabs(x) < (double)INFINITY) {
        double y[2];
        const uint32_t n = (large_remainder(x, y) + more) % 4U;
        const double size = ((n % 2U) == 0U) ? large_sine(y) : large_cosine(y);
        result = (n >= 2U) ? -size : size;
    }
    return result;
}

//@ sin: reduce wave large_waves
double simulate_sin(double x)
{
    double result;
    if (fabs(x) <= 400000.0) {
        pair rest;
        const uint64_t quadrant = reduce(fabs(x), &rest);
        result = flip(wave(rest, quadrant), bits_of(x));
    } else {
        result = large_wave(x, 0U);
    }
    return result;
}

//@ cos: reduce wave large_waves
double simulate_cos(double x)
{
    double result;
    if (fabs(x) <= 400000.0) {
        pair rest;
        const uint64_t quadrant = reduce(fabs(x), &rest);
        result = wave(rest, quadrant + 1U);
    } else {
        result = large_wave(x, 1U);
    }
    return result;
}

//@ tan: reduce waves product fast_sum over large flip
static double low_cut(double x)
{
    return from_bits(bits_of(x) & UINT64_C(0xFFFFFFFF00000000));
}

static double large_tangent(double at)
{
    static const double t[13] = {
        3.33333333333334091986e-01, 1.33333333333201242699e-01, 5.39682539762260521377e-02, 2.18694882948595424599e-02,
        8.86323982359930005737e-03, 3.59207910759131235356e-03, 1.45620945432529025516e-03, 5.88041240820264096874e-04,
        2.46463134818469906812e-04, 7.81794442939557092300e-05, 7.14072491382608190305e-05, -1.85586374855275456654e-05,
        2.59073051863633712884e-05};
    double rest[2];
    const bool is_odd_turn = (large_remainder(at, rest) % 2U) != 0U;
    double x = rest[0];
    double y = rest[1];
    const bool is_negative = (bits_of(x) >> 63U) != 0U;
    const bool is_big = high_word(x) >= 0x3FE59428U;
    double result;
    if (is_big) {
        if (is_negative) {
            x = -x;
            y = -y;
        }
        x = (7.85398163397448278999e-01 - x) + (3.06161699786838301793e-17 - y);
        y = 0.0;
    }
    const double z = x * x;
    const double square = z * z;
    const double odd = t[1] + (square * (t[3] + (square * (t[5] + (square * (t[7] + (square * (t[9] + (square * t[11])))))))));
    const double even =
        z * (t[2] + (square * (t[4] + (square * (t[6] + (square * (t[8] + (square * (t[10] + (square * t[12]))))))))));
    const double cube = z * x;
    const double r = (y + (z * ((cube * (odd + even)) + y))) + (cube * t[0]);
    const double w = x + r;
    if (is_big) {
        const double s = 1.0 - (2.0 * (is_odd_turn ? 1.0 : 0.0));
        const double v = s - (2.0 * (x + (r - ((w * w) / (w + s)))));
        result = is_negative ? -v : v;
    } else if (!is_odd_turn) {
        result = w;
    } else {
        const double w0 = low_cut(w);
        const double v = r - (w0 - x);
        const double a = -1.0 / w;
        const double a0 = low_cut(a);
        result = a0 + (a * ((1.0 + (a0 * w0)) + (a0 * v)));
    }
    return result;
}

double simulate_tan(double x)
{
    double result;
    if (fabs(x) <= 400000.0) {
        pair rest;
        const uint64_t quadrant = reduce(fabs(x), &rest);
        const pair whole = fast_sum(rest.hi, rest.lo);
        /* Two errors add up here, so the square is computed exactly. */
        const pair sine = sine_of(whole);
        const pair cosine = cosine_of(whole, product(whole.hi, whole.hi).lo);
        const pair sin_sum = fast_sum(sine.hi, sine.lo);
        const pair cos_sum = fast_sum(cosine.hi, cosine.lo);
        const bool is_odd_turn = (quadrant & 1U) != 0U;
        const pair size = over(is_odd_turn ? cos_sum : sin_sum, is_odd_turn ? sin_sum : cos_sum);
        result = flip(size.hi + size.lo, bits_of(x) ^ (quadrant << 63U));
    } else if (fabs(x) < (double)INFINITY) {
        result = large_tangent(x);
    } else {
        result = x - x;
    }
    return result;
}

