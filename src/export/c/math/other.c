//@ rem: product rounder flip
double simulate_rem(double a, double b)
{
    const double size = fabs(a);
    const double by = fabs(b);
    const double quotient = size / by;
    double result;
    if ((quotient < 67108864.0) && (by > 1e-250) && (size < 1e300) && (by < 1e300)) {
        const double number = (quotient + ROUNDER) - ROUNDER;
        const pair back = product(by, number);
        const double rest = (size - back.hi) - back.lo;
        result = flip((rest < 0.0) ? (rest + by) : rest, bits_of(a));
    } else {
        /* Exact in any library. */
        result = fmod(a, b);
    }
    return result;
}

//@ mod: rem
double simulate_mod(double a, double b)
{
    double rest = a;
    if (b != 0.0) {
        rest = simulate_rem(a, b);
        if ((rest != 0.0) && ((rest < 0.0) != (b < 0.0))) {
            rest = rest + b;
        }
    }
    return rest;
}

//@ probit: ln
static double horner(double r, const double coefficients[8])
{
    double all = 0.0;
    for (uint32_t index = 8U; index > 0U; index--) {
        all = (all * r) + coefficients[index - 1U];
    }
    return all;
}

/* The quantile of the standard normal distribution: Wichura, Algorithm AS 241 (PPND16), Applied Statistics 37 (1988). */
double simulate_probit(double p)
{
    static const double centre[2][8] = {
        {3.3871328727963665, 1.3314166789178438e2, 1.9715909503065513e3, 1.373169376550946e4, 4.592195393154987e4,
         6.72657709270087e4, 3.343057558358813e4, 2.5090809287301227e3},
        {1.0, 4.231333070160091e1, 6.871870074920579e2, 5.394196021424751e3, 2.1213794301586597e4,
         3.930789580009271e4, 2.8729085735721943e4, 5.226495278852545e3}};
    static const double middle[2][8] = {
        {1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
         2.417807251774506e-1, 2.2723844989269184e-2, 7.745450142783414e-4},
        {1.0, 2.053191626637759, 1.6763848301838038, 6.897673349851e-1, 1.4810397642748008e-1,
         1.5198666563616457e-2, 5.475938084995345e-4, 1.0507500716444169e-9}};
    static const double far[2][8] = {
        {6.657904643501103, 5.463784911164114, 1.7848265399172913, 2.9656057182850487e-1, 2.6532189526576124e-2,
         1.2426609473880784e-3, 2.7115555687434876e-5, 2.0103343992922881e-7},
        {1.0, 5.99832206555888e-1, 1.369298809227358e-1, 1.4875361290850615e-2, 7.868691311456133e-4,
         1.8463183175100548e-5, 1.421511758316446e-7, 2.0442631033899398e-15}};
    const double q = p - 0.5;
    double result;
    if (fabs(q) <= 0.425) {
        const double r = 0.180625 - (q * q);
        result = q * (horner(r, centre[0]) / horner(r, centre[1]));
    } else {
        const double tail = (q < 0.0) ? p : (1.0 - p);
        if (!(tail >= 0.0)) {
            result = (double)NAN;
        } else {
            const double r = sqrt(-simulate_ln(tail));
            double size;
            if (r == (double)INFINITY) {
                size = r;
            } else if (r <= 5.0) {
                size = horner(r - 1.6, middle[0]) / horner(r - 1.6, middle[1]);
            } else {
                size = horner(r - 5.0, far[0]) / horner(r - 5.0, far[1]);
            }
            result = (q < 0.0) ? -size : size;
        }
    }
    return result;
}

//@ random: bits_of
static uint64_t mix(uint64_t number)
{
    uint64_t z = number;
    z = (z ^ (z >> 30U)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27U)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31U);
}

static uint64_t key_of(double key)
{
    /* All not-a-numbers are one key. */
    return (key != key) ? UINT64_C(0x7FF8000000000000) : bits_of(key);
}

/* A uniform number in [0, 1) with 53 bits, from seed, stream, counter and element alone: rounds of the finaliser of
   SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
double simulate_random(double seed, double stream, double counter, uint32_t element)
{
    const uint64_t step = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t hash = step;
    if (stream != 0.0) {
        hash = (mix(hash ^ key_of(stream)) * 5U) + step;
    }
    hash = mix(hash ^ key_of(seed)) + step;
    hash = mix(hash ^ key_of(counter)) + step;
    hash = mix(hash ^ (uint64_t)element) + step;
    return (double)(mix(hash) >> 11U) * 0x1p-53;
}

//@ sign
/* -1, 0 or 1; zeros keep their sign, not-a-number stays. */
double simulate_sign(double a)
{
    double result = a;
    if (a > 0.0) {
        result = 1.0;
    } else if (a < 0.0) {
        result = -1.0;
    } else {
        /* It stays. */
    }
    return result;
}

//@ min
/* Not-a-number on either side stays. */
double simulate_min(double a, double b)
{
    return ((a != a) || (a <= b)) ? a : b;
}

//@ max
/* Not-a-number on either side stays. */
double simulate_max(double a, double b)
{
    return ((a != a) || (a >= b)) ? a : b;
}

//@ single
/* The nearest number of single precision. gcc 12 drops the two conversions where it joins an addition and a multiplication
   (-O2, -ftree-slp-vectorize); what goes through a volatile variable stays. */
double simulate_single(double a)
{
    volatile float rounded = (float)a;
    return (double)rounded;
}

//@ is_nan
bool simulate_is_nan(double a)
{
    return a != a;
}

//@ index
/* The integer below a number, from 0 to last; 0 for not-a-number. */
uint32_t simulate_index(double a, uint32_t last)
{
    uint32_t result = 0U;
    if (a >= (double)last) {
        result = last;
    } else if (a > 0.0) {
        result = (uint32_t)a;
    } else {
        /* Below 0, or not-a-number. */
    }
    return result;
}

//@ past: index
/* The slot of the value that was pushed to a ring of this length back steps ago; next is the slot of the next push. */
uint32_t simulate_past(double back, uint32_t next, uint32_t length)
{
    const uint32_t steps = simulate_index(back, length);
    return ((next + length) - ((steps == 0U) ? 1U : steps)) % length;
}

