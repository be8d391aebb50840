//@ ln_2
/* ln 2 in pieces of 38 and 53 bits. */
static const double ln_2[2] = {0.6931471805582987, 1.6465949582897082e-12};

//@ power: fast_sum polynomial rounder ln_2 bits_of from_bits
/* 2^k (1 + rest + tail); k in the lowest bits of shifted. */
typedef struct power {
    uint64_t shifted;
    double rest;
    double tail;
} power;

static power power_over(uint64_t shifted, double hi, double lo)
{
    static const double coefficients[10] = {
        0.1666666666666668, 0.04166666666666532, 0.008333333333318932, 0.0013888888889394253, 0.0001984126989420801,
        2.4801586741537482e-05, 2.755723489990198e-06, 2.755745796728565e-07, 2.5112539532068924e-08,
        2.0934961362182945e-09};
    power made;
    made.shifted = shifted;
    made.rest = hi;
    made.tail = lo + (hi * (lo + (hi * (0.5 + (hi * polynomial(hi, coefficients, 10U))))));
    return made;
}

static uint64_t power_reduce(double x, pair *rest)
{
    const double shifted = (x * 1.4426950408889634) + ROUNDER;
    const double number = shifted - ROUNDER;
    const double first = x - (number * ln_2[0]);
    const double second = number * ln_2[1];
    rest->hi = first - second;
    rest->lo = (first - rest->hi) - second;
    return bits_of(shifted);
}

static double power_times(power of, double a)
{
    return from_bits(bits_of(a) + (of.shifted << 52U));
}

//@ power_of: power
static power power_of(double x)
{
    pair rest;
    const uint64_t shifted = power_reduce(x, &rest);
    return power_over(shifted, rest.hi, rest.lo);
}

//@ power_of_pair: power
static power power_of_pair(pair x)
{
    pair rest;
    const uint64_t shifted = power_reduce(x.hi, &rest);
    rest = fast_sum(rest.hi, rest.lo + x.lo);
    return power_over(shifted, rest.hi, rest.lo);
}

//@ power_factor: power
static pair power_factor(power of)
{
    const pair all = fast_sum(1.0, of.rest);
    return fast_sum(all.hi, all.lo + of.tail);
}

//@ power_value: power_factor
static double power_value(power of)
{
    return power_times(of, power_factor(of).hi);
}

//@ power_less_one: power
/* The power minus 1, of a power of at least 1. */
static pair power_less_one(power of)
{
    const double two = power_times(of, 1.0);
    const pair whole = fast_sum(two, -1.0);
    const pair all = fast_sum(whole.hi, two * of.rest);
    return fast_sum(all.hi, all.lo + (whole.lo + (two * of.tail)));
}

//@ scaled: power_of_pair power_factor
static double two_to(int64_t exponent)
{
    return from_bits((uint64_t)(1023 + exponent) << 52U);
}

/* e^x 2^more for any result, also subnormal or infinite. */
static double scaled(pair x, int64_t more)
{
    double result;
    if (x.hi != x.hi) {
        result = x.hi;
    } else if (x.hi > 720.0) {
        result = (double)INFINITY;
    } else if (x.hi < -760.0) {
        result = 0.0;
    } else {
        const power of = power_of_pair(x);
        /* The number's lowest 52 bits, with their sign. */
        const uint64_t low = of.shifted & UINT64_C(0xFFFFFFFFFFFFF);
        const int64_t sign = ((low & UINT64_C(0x8000000000000)) != 0U) ? INT64_C(0x10000000000000) : 0;
        const int64_t number = ((int64_t)low - sign) + more;
        const int64_t half = number / 2;
        result = (power_factor(of).hi * two_to(half)) * two_to(number - half);
    }
    return result;
}

//@ exp: power_of power_value scaled
double simulate_exp(double x)
{
    return (fabs(x) < 708.0) ? power_value(power_of(x)) : scaled(make_pair(x, 0.0), 0);
}

//@ sinh: power_of power_less_one over scaled flip
double simulate_sinh(double x)
{
    double size;
    if (fabs(x) < 708.0) {
        const pair less = power_less_one(power_of(fabs(x)));
        const pair full = fast_sum(1.0, less.hi);
        const pair share = over(less, make_pair(full.hi, full.lo + less.lo));
        const pair all = fast_sum(less.hi, share.hi);
        size = 0.5 * (all.hi + (all.lo + (less.lo + share.lo)));
    } else {
        size = scaled(make_pair(fabs(x), 0.0), -1);
    }
    return flip(size, bits_of(x));
}

//@ cosh: power_of power_factor scaled
double simulate_cosh(double x)
{
    double result;
    if (fabs(x) < 708.0) {
        const power of = power_of(fabs(x));
        const double two = power_times(of, 1.0);
        const pair factor = power_factor(of);
        const double hi = two * factor.hi;
        const pair all = fast_sum(hi, 1.0 / hi);
        result = 0.5 * (all.hi + (all.lo + (two * factor.lo)));
    } else {
        result = scaled(make_pair(fabs(x), 0.0), -1);
    }
    return result;
}

//@ tanh: power_of power_less_one over flip
double simulate_tanh(double x)
{
    const double size = (fabs(x) > 22.0) ? 22.0 : fabs(x);
    const pair less = power_less_one(power_of(2.0 * size));
    const pair full = (less.hi > 2.0) ? fast_sum(less.hi, 2.0) : fast_sum(2.0, less.hi);
    const pair ratio = over(less, make_pair(full.hi, full.lo + less.lo));
    return flip(ratio.hi + ratio.lo, bits_of(x));
}

