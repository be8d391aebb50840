//@ curve: is_nan
#define SIMULATE_LINEAR 0U
#define SIMULATE_HOLD 1U
#define SIMULATE_NEAREST 2U
#define SIMULATE_OUTSIDE_HOLD 0U
#define SIMULATE_OUTSIDE_ZERO 1U
#define SIMULATE_OUTSIDE_EXTRAPOLATE 2U
#define SIMULATE_OUTSIDE_REPEAT 3U
/* The value at a time of the curve through rows, of which those with equal times count from the last on. Before the
   first and after the last row it holds, is 0 from a time beyond them on, goes on, or is repeated with a period: limit is
   that time or that period, in seconds. */
double simulate_curve(double t, const double *times, const double *values, uint32_t rows, uint32_t way, uint32_t outside, double limit)
{
    const uint32_t last = rows - 1U;
    const double first_time = times[0];
    const double last_time = times[last];
    /* A jump at the end has no slope that leads on. */
    const bool goes_on = (last > 0U) && (times[last - 1U] < last_time);
    double at = t;
    double result;
    if (simulate_is_nan(t)) {
        result = t;
    } else if ((outside == SIMULATE_OUTSIDE_ZERO) && ((t < (first_time - limit)) || (t > (last_time + limit)))) {
        result = 0.0;
    } else {
        uint32_t behind = 0U;
        uint32_t end = rows;
        uint32_t from;
        uint32_t to;
        double part = 0.0;
        if ((outside == SIMULATE_OUTSIDE_REPEAT) && (limit > 0.0)) {
            const double since = fmod(t - first_time, limit);
            at = first_time + ((since < 0.0) ? (since + limit) : since);
        }
        /* The number of rows up to the time. */
        while (behind < end) {
            const uint32_t middle = behind + ((end - behind) / 2U);
            if (times[middle] <= at) {
                behind = middle + 1U;
            } else {
                end = middle;
            }
        }
        if ((outside == SIMULATE_OUTSIDE_REPEAT) && (behind > last)) {
            const double span = (first_time + limit) - last_time;
            from = last;
            to = 0U;
            part = (span > 0.0) ? ((at - last_time) / span) : 0.0;
        } else {
            if ((outside == SIMULATE_OUTSIDE_EXTRAPOLATE) && (behind == 0U)) {
                from = 0U;
                to = (last < 1U) ? last : 1U;
            } else if ((outside == SIMULATE_OUTSIDE_EXTRAPOLATE) && (behind > last) && goes_on) {
                from = last - 1U;
                to = last;
            } else if (behind == 0U) {
                from = 0U;
                to = 0U;
            } else {
                from = behind - 1U;
                to = (behind < last) ? behind : last;
            }
            const double span = times[to] - times[from];
            part = (span > 0.0) ? ((at - times[from]) / span) : 0.0;
        }
        if (part == 0.0) {
            result = values[from];
        } else if (way == SIMULATE_LINEAR) {
            result = values[from] + (part * (values[to] - values[from]));
        } else if (part >= ((way == SIMULATE_NEAREST) ? 0.5 : 1.0)) {
            result = values[to];
        } else {
            result = values[from];
        }
    }
    return result;
}


//@ curve_slope: curve
/* How fast the curve changes when its time changes as fast as dt: a finite difference over a short way, as the
   simulation takes it. */
double simulate_curve_slope(double t, double dt, const double *times, const double *values, uint32_t rows, uint32_t way, uint32_t outside, double limit)
{
    double slope = 0.0;
    if (fabs(dt) > 0.0) {
        const double size = ((fabs(t) > 1.0) && (fabs(t) < (double)INFINITY)) ? fabs(t) : 1.0;
        const double step = (size * 0x1p-26) / fabs(dt);
        const double here = simulate_curve(t, times, values, rows, way, outside, limit);
        slope = (simulate_curve(t + (step * dt), times, values, rows, way, outside, limit) - here) / step;
    }
    return slope;
}
