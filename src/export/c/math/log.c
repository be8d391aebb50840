//@ parts: bits_of from_bits
/* fraction 2^exponent, the fraction between the roots of 1/2 and 2; down is 2^-exponent. */
typedef struct parts {
    double exponent;
    double fraction;
    double down;
} parts;

static parts parts_of(double x)
{
    const uint64_t one = UINT64_C(0x3FF0000000000000);
    const uint64_t root_half = UINT64_C(0x3FE6A09E667F3BCD);
    const uint64_t exponent = UINT64_C(0x7FF0000000000000);
    const uint64_t shifted = bits_of(x) + (one - root_half);
    parts made;
    made.exponent = from_bits((shifted >> 52U) | bits_of(4503599627370496.0)) - (4503599627370496.0 + 1023.0);
    made.fraction = from_bits((shifted & ~exponent) + root_half);
    made.down = from_bits((2U * one) - (shifted & exponent));
    return made;
}

//@ is_normal
static bool is_normal(double x)
{
    return (x >= 0x1p-1022) && (x < (double)INFINITY);
}

//@ two_and: fast_sum
static pair two_and(pair f)
{
    const pair all = fast_sum(2.0, f.hi);
    return make_pair(all.hi, all.lo + f.lo);
}

//@ log_pair: two_and over polynomial ln_2
/* exponent ln 2 + ln(1 + f). */
static pair log_pair(double exponent, pair f)
{
    static const double coefficients[7] = {
        0.6666666666666735, 0.3999999999940935, 0.2857142874368661, 0.22222198428954926, 0.18183572356657524,
        0.15313832106188555, 0.1479825952801926};
    const pair s = over(f, two_and(f));
    const double z = s.hi * s.hi;
    const double tail = (2.0 * s.lo) + ((s.hi * z) * polynomial(z, coefficients, 7U));
    const pair head = fast_sum(exponent * ln_2[0], 2.0 * s.hi);
    return fast_sum(head.hi, head.lo + ((exponent * ln_2[1]) + tail));
}

//@ log_of: log_pair parts
static pair log_of(double x, double more)
{
    const parts of = parts_of(x);
    return log_pair(of.exponent + more, make_pair(of.fraction - 1.0, 0.0));
}

//@ log_of_one_and: log_pair parts sum
/* ln(1 + f) of a nonnegative number. */
static pair log_of_one_and(pair f)
{
    const pair whole = sum(1.0, f.hi);
    const parts of = parts_of(whole.hi);
    const pair other = fast_sum(of.fraction - 1.0, (whole.lo + f.lo) * of.down);
    return log_pair(of.exponent, (of.exponent == 0.0) ? f : other);
}

//@ log_of_twice: log_of is_normal
/* ln 2x of a large number, infinity or not-a-number. */
static double log_of_twice(double x)
{
    double result = x;
    if (is_normal(x)) {
        const pair log = log_of(x, 1.0);
        result = log.hi + log.lo;
    }
    return result;
}

//@ ln: log_of is_normal
double simulate_ln(double x)
{
    double result = x;
    if (is_normal(x)) {
        const pair log = log_of(x, 0.0);
        result = log.hi + log.lo;
    } else if (x == 0.0) {
        result = -(double)INFINITY;
    } else if ((x > 0.0) && (x < 1.0)) {
        const pair log = log_of(x * 18014398509481984.0, -54.0);
        result = log.hi + log.lo;
    } else if (x < 0.0) {
        result = (double)NAN;
    } else {
        /* Infinity and not-a-number stay. */
    }
    return result;
}

//@ log10: log_of is_normal split
static double decimal(pair ln)
{
    const double hi = leading(ln.hi);
    const double lo = ln.hi - hi;
    return (hi * 0.4342944771051407) + (((lo + ln.lo) * 0.4342944771051407) + (ln.hi * 4.798111141615973e-09));
}

double simulate_log10(double x)
{
    double result = x;
    if (is_normal(x)) {
        result = decimal(log_of(x, 0.0));
    } else if (x == 0.0) {
        result = -(double)INFINITY;
    } else if ((x > 0.0) && (x < 1.0)) {
        result = decimal(log_of(x * 18014398509481984.0, -54.0));
    } else if (x < 0.0) {
        result = (double)NAN;
    } else {
        /* Infinity and not-a-number stay. */
    }
    return result;
}

//@ asinh: log_of_one_and log_of_twice product root over flip
double simulate_asinh(double x)
{
    const double size = fabs(x);
    double result;
    if (size < 1e150) {
        const pair square = product(size, size);
        const pair under = sum(square.hi, 1.0);
        const pair length = root(make_pair(under.hi, under.lo + square.lo));
        const pair below = sum(1.0, length.hi);
        const pair more = over(square, make_pair(below.hi, below.lo + length.lo));
        const pair all = fast_sum(size, more.hi);
        const pair log = log_of_one_and(fast_sum(all.hi, all.lo + more.lo));
        result = (size < 0x1p-28) ? size : (log.hi + log.lo);
    } else {
        result = log_of_twice(size);
    }
    return flip(result, bits_of(x));
}

//@ acosh: log_of_one_and log_of_twice product root
double simulate_acosh(double x)
{
    double result;
    if ((x >= 1.0) && (x < 1e150)) {
        const pair square = product(x, x);
        const pair under = sum(square.hi, -1.0);
        const pair length = root(fast_sum(under.hi, under.lo + square.lo));
        const pair less = sum(x, -1.0);
        const pair more = sum(length.hi, less.hi);
        const pair log = log_of_one_and(fast_sum(more.hi, more.lo + (length.lo + less.lo)));
        result = log.hi + log.lo;
    } else if (x < 1.0) {
        result = (double)NAN;
    } else {
        result = log_of_twice(x);
    }
    return result;
}

//@ atanh: log_of_one_and over flip
double simulate_atanh(double x)
{
    const double size = fabs(x);
    double result;
    if (size < 1.0) {
        const pair more = over(make_pair(2.0 * size, 0.0), fast_sum(1.0, -size));
        const pair log = log_of_one_and(fast_sum(more.hi, more.lo));
        result = flip((size < 0x1p-28) ? size : (0.5 * (log.hi + log.lo)), bits_of(x));
    } else if (size == 1.0) {
        result = flip((double)INFINITY, bits_of(x));
    } else {
        result = (double)NAN;
    }
    return result;
}

