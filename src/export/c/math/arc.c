//@ arc: root polynomial
/* The arcsine of a positive number up to 1/2, or for larger ones that of the root of half the complement. */
static pair arc_of(double x, bool is_far)
{
    static const double coefficients[13] = {
        0.16666666666666763, 0.07499999999970118, 0.04464285717527161, 0.030381942675850378, 0.022372215892158754,
        0.017351595716781944, 0.01398101621189418, 0.011397310292361212, 0.010789232608273212, 0.0036724937912274978,
        0.02178994966616443, -0.02111579811418055, 0.032701622030542596};
    const double rest = 0.5 * (1.0 - x);
    const pair far = root(make_pair(rest, 0.0));
    const double hi = is_far ? far.hi : x;
    const double lo = is_far ? far.lo : 0.0;
    const double z = is_far ? rest : (x * x);
    return make_pair(hi, lo + ((hi * z) * polynomial(z, coefficients, 13U)));
}

//@ asin: arc fast_sum flip
double simulate_asin(double x)
{
    const bool is_far = fabs(x) > 0.5;
    const pair arc = arc_of(fabs(x), is_far);
    const pair far = fast_sum(1.5707963267948966, -2.0 * arc.hi);
    const double size = far.hi + (far.lo + (6.123233995736766e-17 - (2.0 * arc.lo)));
    return flip(is_far ? size : (arc.hi + arc.lo), bits_of(x));
}

//@ acos: arc fast_sum
double simulate_acos(double x)
{
    const bool is_far = fabs(x) > 0.5;
    const bool is_left = x < 0.0;
    const pair arc = arc_of(fabs(x), is_far);
    const pair end = is_left ? make_pair(3.141592653589793, 1.2246467991473532e-16) : make_pair(0.0, 0.0);
    const pair from = is_far ? end : make_pair(1.5707963267948966, 6.123233995736766e-17);
    const double size = is_far ? 2.0 : 1.0;
    const double by = (is_left == is_far) ? -size : size;
    const pair all = fast_sum(from.hi, by * arc.hi);
    return all.hi + (all.lo + (from.lo + (by * arc.lo)));
}

//@ angle: over fast_sum polynomial flip
static double angle(double height, double width, bool is_left)
{
    static const double coefficients[8] = {
        -0.3333333333333254, 0.1999999999958501, -0.14285714211712114, 0.11111104721343487, -0.09090603105545124,
        0.07683728894190718, -0.06525782851388358, 0.04607631457049277};
    const bool is_steep = height > width;
    const double top = is_steep ? width : height;
    const double bottom = is_steep ? height : width;
    /* Rotated so that the remaining slope is at most 1/4. */
    const bool is_some = top >= (0.25 * bottom);
    const bool is_much = top >= (0.75 * bottom);
    const double some_slope = is_much ? 1.0 : 0.5;
    const double slope = is_some ? some_slope : 0.0;
    const pair some_angle = is_much ? make_pair(0.7853981633974483, 3.061616997868383e-17)
                                    : make_pair(0.4636476090008061, 2.2698777452961687e-17);
    const pair turned = is_some ? some_angle : make_pair(0.0, 0.0);
    const pair along = fast_sum(bottom, slope * top);
    const pair across = make_pair(top - (slope * bottom), 0.0);
    const pair t = over(across, make_pair(along.hi, along.lo + 0.0));
    const double z = t.hi * t.hi;
    const double tail = turned.lo + (t.lo + ((t.hi * z) * polynomial(z, coefficients, 8U)));
    const pair acute = fast_sum(turned.hi, t.hi);
    /* Measured from the nearest axis. */
    const pair flat = is_left ? make_pair(3.141592653589793, 1.2246467991473532e-16) : make_pair(0.0, 0.0);
    const pair axis = is_steep ? make_pair(1.5707963267948966, 6.123233995736766e-17) : flat;
    const uint64_t sign = (is_steep != is_left) ? UINT64_C(0x8000000000000000) : 0U;
    const pair all = fast_sum(axis.hi, flip(acute.hi, sign));
    return all.hi + (all.lo + (axis.lo + flip(acute.lo + tail, sign)));
}

//@ atan: angle
double simulate_atan(double x)
{
    double result;
    if (fabs(x) < 1e300) {
        result = flip(angle(fabs(x), 1.0, false), bits_of(x));
    } else if (x != x) {
        result = x;
    } else {
        result = flip(1.5707963267948966, bits_of(x));
    }
    return result;
}

//@ atan2: angle far
static bool is_middle(double x)
{
    return (fabs(x) > 1e-90) && (fabs(x) < 1e90);
}

static double extreme_angle(double height, double width, bool is_left)
{
    const double ratio = height / width;
    double result;
    if ((height == (double)INFINITY) && (width == (double)INFINITY)) {
        result = is_left ? (3.0 * 0.7853981633974483) : 0.7853981633974483;
    } else if ((height == 0.0) || (ratio < 1e-30)) {
        const double small = (height == 0.0) ? 0.0 : ratio;
        result = is_left ? 3.141592653589793 : small;
    } else if (ratio > 1e30) {
        result = 1.5707963267948966;
    } else {
        const double scale = (height > 1.0) ? (1.0 / FAR_SCALE) : FAR_SCALE;
        result = angle(height * scale, width * scale, is_left);
    }
    return result;
}

double simulate_atan2(double y, double x)
{
    double result;
    if (is_middle(y) && is_middle(x)) {
        result = flip(angle(fabs(y), fabs(x), x < 0.0), bits_of(y));
    } else if ((y != y) || (x != x)) {
        result = y + x;
    } else {
        result = flip(extreme_angle(fabs(y), fabs(x), (bits_of(x) >> 63U) != 0U), bits_of(y));
    }
    return result;
}

