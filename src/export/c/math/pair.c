//@ bits_of
static uint64_t bits_of(double x)
{
    uint64_t bits;
    (void)memcpy(&bits, &x, sizeof bits);
    return bits;
}

//@ from_bits
static double from_bits(uint64_t bits)
{
    double x;
    (void)memcpy(&x, &bits, sizeof x);
    return x;
}

//@ flip: bits_of from_bits
/* size, negated if the highest bit of sign is set. */
static double flip(double size, uint64_t sign)
{
    return from_bits(bits_of(size) ^ (sign & UINT64_C(0x8000000000000000)));
}

//@ pair
/* A number of twice the precision: the sum of two doubles, the second much smaller than the first. */
typedef struct pair {
    double hi;
    double lo;
} pair;

static pair make_pair(double hi, double lo)
{
    pair made;
    made.hi = hi;
    made.lo = lo;
    return made;
}

//@ fast_sum: pair
/* a + b exactly, where a is 0 or not smaller than b in size. */
static pair fast_sum(double a, double b)
{
    const double hi = a + b;
    return make_pair(hi, (a - hi) + b);
}

//@ sum: pair
/* a + b exactly. */
static pair sum(double a, double b)
{
    const double hi = a + b;
    const double of_b = hi - a;
    return make_pair(hi, (a - (hi - of_b)) + (b - of_b));
}

//@ split: bits_of from_bits
/* The leading 26 bits. */
static double leading(double a)
{
    return from_bits(bits_of(a) & ~UINT64_C(0x7FFFFFF));
}

//@ product: pair split
/* a * b to about 104 bits, after Dekker. */
static pair product(double a, double b)
{
    const double hi = a * b;
    const double a_hi = leading(a);
    const double a_lo = a - a_hi;
    const double b_hi = leading(b);
    const double b_lo = b - b_hi;
    return make_pair(hi, ((((a_hi * b_hi) - hi) + (a_hi * b_lo)) + (a_lo * b_hi)) + (a_lo * b_lo));
}

//@ plus: fast_sum
static pair plus(pair a, pair b)
{
    const pair all = fast_sum(a.hi, b.hi);
    return make_pair(all.hi, all.lo + (a.lo + b.lo));
}

//@ times: product
static pair times(pair a, pair by)
{
    const pair high = product(a.hi, by.hi);
    return make_pair(high.hi, high.lo + ((a.hi * by.lo) + (a.lo * by.hi)));
}

//@ over: product
static pair over(pair a, pair by)
{
    const double hi = a.hi / by.hi;
    const pair back = product(hi, by.hi);
    const double rest = ((a.hi - back.hi) - back.lo) + (a.lo - (hi * by.lo));
    return make_pair(hi, rest / by.hi);
}

//@ root: product
static pair root(pair a)
{
    const double hi = sqrt(a.hi);
    const pair back = product(hi, hi);
    const double rest = ((a.hi - back.hi) - back.lo) + a.lo;
    return make_pair(hi, (hi == 0.0) ? 0.0 : (rest / (hi + hi)));
}

//@ polynomial
/* The polynomial with these coefficients, the constant first, in the order of Horner. */
static double polynomial(double x, const double coefficients[], uint32_t count)
{
    double all = coefficients[count - 1U];
    for (uint32_t index = count - 1U; index > 0U; index--) {
        all = (all * x) + coefficients[index - 1U];
    }
    return all;
}

//@ rounder
/* Added and subtracted again it rounds to an integer, half to even; the lowest bits of the sum are those of the
   integer. */
#define ROUNDER 6755399441055744.0

//@ far
/* 2^660 */
#define FAR_SCALE 0x1p660

