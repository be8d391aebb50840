//@ power_log: parts two_and over times plus polynomial ln_2
/* ln x + more ln 2 of a positive normal number, to about 64 bits. */
static pair power_log(double more, double x)
{
    static const double coefficients[6] = {
        0.14285714285519044, 0.11111111185364964, 0.09090898097488188, 0.07693128742942486, 0.06633798613733158,
        0.06551489623159688};
    const parts of = parts_of(x);
    const double exponent = of.exponent + more;
    const pair f = make_pair(of.fraction - 1.0, 0.0);
    const pair s = over(f, two_and(f));
    const pair z = times(s, s);
    const pair fifth = make_pair(0.2, -1.1102230246251566e-17);
    const pair third = make_pair(1.0 / 3.0, 1.850371707708594e-17);
    const pair series = plus(fifth, make_pair(z.hi * polynomial(z.hi, coefficients, 6U), 0.0));
    const pair tail = times(s, times(z, plus(third, times(z, series))));
    const pair head = fast_sum(exponent * ln_2[0], 2.0 * s.hi);
    const pair all = fast_sum(head.hi, 2.0 * tail.hi);
    return fast_sum(all.hi, head.lo + (all.lo + ((2.0 * (tail.lo + s.lo)) + (exponent * ln_2[1]))));
}

//@ pow: power_log power_of_pair power_value scaled is_normal flip
static bool is_odd(double y)
{
    const double half = 0.5 * y;
    return (y == trunc(y)) && (half != trunc(half));
}

/* Powers of 0, 1, -1, infinity and not-a-number, with an exponent of 0, infinity or not-a-number, and those of
   negative numbers that are not-a-number. */
static double special_power(double x, double y)
{
    const double size = fabs(x);
    double result;
    if ((y == 0.0) || (x == 1.0)) {
        result = 1.0;
    } else if ((x != x) || (y != y)) {
        result = x + y;
    } else if (fabs(y) == (double)INFINITY) {
        if (size == 1.0) {
            result = 1.0;
        } else if (size > 1.0) {
            result = (y > 0.0) ? y : 0.0;
        } else {
            result = (y > 0.0) ? 0.0 : (double)INFINITY;
        }
    } else if ((x == 0.0) || (size == (double)INFINITY)) {
        const bool is_large = (size != 0.0) == (y > 0.0);
        result = is_large ? (double)INFINITY : 0.0;
        if (((bits_of(x) >> 63U) != 0U) && is_odd(y)) {
            result = -result;
        }
    } else if (y != trunc(y)) {
        /* A negative number to a power that is not an integer. */
        result = (double)NAN;
    } else {
        /* Of -1 to an integer. */
        result = is_odd(y) ? -1.0 : 1.0;
    }
    return result;
}

double simulate_pow(double x, double y)
{
    const double size = fabs(x);
    const bool is_plain = (x != 0.0) && (y != 0.0) && (size < (double)INFINITY) && (fabs(y) < (double)INFINITY) &&
                          (size != 1.0);
    pair exponent = make_pair((double)INFINITY, 0.0);
    double result;
    if (is_normal(x)) {
        exponent = times(make_pair(y, 0.0), power_log(0.0, x));
    }
    if (fabs(exponent.hi) < 708.0) {
        result = power_value(power_of_pair(exponent));
    } else if ((!is_plain) || ((x < 0.0) && (y != trunc(y)))) {
        result = special_power(x, y);
    } else {
        const uint64_t sign = ((x < 0.0) && is_odd(y)) ? bits_of(x) : 0U;
        const pair log = is_normal(size) ? power_log(0.0, size) : power_log(-54.0, size * 18014398509481984.0);
        /* Beyond this limit the power is 0 or infinite, and a product of pairs might be not-a-number. */
        const bool is_far = fabs(y * log.hi) > 1000.0;
        exponent = is_far ? make_pair(y * log.hi, 0.0) : times(make_pair(y, 0.0), log);
        result = flip(scaled(exponent, 0), sign);
    }
    return result;
}

//@ hypot: product sum root far
static double length_of(double x, double y)
{
    const double a = (fabs(x) > fabs(y)) ? fabs(x) : fabs(y);
    const double b = (fabs(x) > fabs(y)) ? fabs(y) : fabs(x);
    const pair squares = product(a, a);
    const pair small = product(b, b);
    const pair both = sum(squares.hi, small.hi);
    const pair length = root(make_pair(both.hi, both.lo + (squares.lo + small.lo)));
    return length.hi + length.lo;
}

double simulate_hypot(double x, double y)
{
    const double a = (fabs(x) > fabs(y)) ? fabs(x) : fabs(y);
    const double b = (fabs(x) > fabs(y)) ? fabs(y) : fabs(x);
    double result;
    if ((a > 1e-100) && (a < 1e150) && (b < 1e150)) {
        result = length_of(x, y);
    } else if ((fabs(x) == (double)INFINITY) || (fabs(y) == (double)INFINITY)) {
        result = (double)INFINITY;
    } else {
        const double scale = ((fabs(x) > 1.0) || (fabs(y) > 1.0)) ? (1.0 / FAR_SCALE) : FAR_SCALE;
        result = length_of(x * scale, y * scale) / scale;
    }
    return result;
}

