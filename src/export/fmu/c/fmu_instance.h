/* An instance behind the functions of FMI: what both versions of the standard share.

   All functions are static, so that several FMUs can be linked into one program. Memory is asked for when an instance
   or a copy of its state is made, and at no other time. */
#ifndef FMU_INSTANCE_H
#define FMU_INSTANCE_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu_model.h"

#if defined(_WIN32)
#define FMU_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define FMU_EXPORT __attribute__((visibility("default")))
#else
#define FMU_EXPORT
#endif

#define FMU_JOINED(a, b) a##b
#define FMU_JOIN(a, b) FMU_JOINED(a, b)

/* The modes of an instance, as bits, so that a function can allow several. */
#define FMU_INSTANTIATED 1U
#define FMU_INITIALIZING 2U
#define FMU_STEPPING 4U
#define FMU_EVENT 8U
#define FMU_CONTINUOUS 16U
#define FMU_TERMINATED 32U
#define FMU_FAILED 64U
#define FMU_RUNNING (FMU_STEPPING | FMU_EVENT | FMU_CONTINUOUS)
#define FMU_ALL 127U

/* The values of FMU_MODEL_STATUS after a step. */
#define FMU_STATUS_PAUSED 1
#define FMU_STATUS_STOPPED 2
#define FMU_STATUS_FINISHED 3
#define FMU_STATUS_TOO_MANY_RUNS 4

/* All that an instance computes with; a copy of it is the state that the importer gets. */
typedef struct fmu_data {
    uint32_t mode;
    bool has_new_inputs;
    bool has_new_parameters;
    /* Whether all values belong to the time, the inputs and the parameters. */
    bool is_computed;
    bool has_stop;
    /* Whether a block has ended the run. */
    bool is_over;
    int32_t status;
    /* The number of the step at the current time; only co-simulation has it. */
    uint64_t step;
    double time;
    double stop;
    double values[FMU_VALUES];
    /* The model before the current step. */
    fmu_steps now;
    /* The same after it, with the outputs of the current step. */
    fmu_steps ahead;
#if FMU_HAS_CONTINUOUS
    double cells[FMU_CELLS];
#endif
} fmu_data;

typedef struct fmu_instance {
    fmu_data data;
    bool is_model_exchange;
    bool is_logging;
    char *name;
    /* The callback of the importer, in the type of the version. */
    void (*logger)(void);
    void *environment;
#if FMU_HAS_CONTINUOUS
    /* Directions by value and by element of the array of the continuous code. */
    double directions[FMU_VALUES];
    double slopes[FMU_CELLS];
#endif
} fmu_instance;

/* What a step of co-simulation has come to. */
typedef enum { FMU_STEP_DONE, FMU_STEP_OVER, FMU_STEP_WRONG } fmu_progress;

/* Gives a text to the importer's callback; each version has its own. */
static void fmu_emit(const fmu_instance *self, bool is_error, const char *text);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void fmu_log(const fmu_instance *self, bool is_error, const char *format, ...)
{
    if (is_error || self->is_logging) {
        char text[512];
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        fmu_emit(self, is_error, text);
    }
}

static const char *fmu_mode_name(uint32_t mode)
{
    const char *name = "after an error";
    switch (mode) {
    case FMU_INSTANTIATED:
        name = "before the initialization mode";
        break;
    case FMU_INITIALIZING:
        name = "in the initialization mode";
        break;
    case FMU_STEPPING:
        name = "in the step mode";
        break;
    case FMU_EVENT:
        name = "in the event mode";
        break;
    case FMU_CONTINUOUS:
        name = "in the continuous-time mode";
        break;
    case FMU_TERMINATED:
        name = "after its end";
        break;
    default:
        break;
    }
    return name;
}

/* Whether a function may be called in the mode of the instance; tells the importer if not. */
static bool fmu_is_allowed(const fmu_instance *self, const char *function, uint32_t modes)
{
    bool is_allowed = false;
    if (self != NULL) {
        is_allowed = (self->data.mode & modes) != 0U;
        if (!is_allowed) {
            fmu_log(self, true, "%s cannot be called %s", function, fmu_mode_name(self->data.mode));
        }
    }
    return is_allowed;
}

/* Sets everything to the state after instantiation. */
static void fmu_restart(fmu_instance *self)
{
    (void)memset(&self->data, 0, sizeof self->data);
    self->data.mode = FMU_INSTANTIATED;
    (void)memcpy(self->data.values, fmu_starts, sizeof fmu_starts);
    FMU_MODEL(init)(&self->data.now);
#if FMU_HAS_CONTINUOUS
    FMU_MODEL(continuous_constants)(self->data.cells);
#endif
}

static void fmu_free(fmu_instance *self)
{
    if (self != NULL) {
        free(self->name);
        free(self);
    }
}

/* Returns an instance, or NULL if the token is that of another FMU or there is no memory. */
static fmu_instance *fmu_instantiate(const char *name, const char *token, bool is_model_exchange, bool is_logging,
                                     void (*logger)(void), void *environment)
{
    fmu_instance *self = calloc(1U, sizeof *self);
    if (self != NULL) {
        const size_t length = (name == NULL) ? 0U : strlen(name);
        self->name = calloc(length + 1U, 1U);
        self->is_logging = is_logging;
        self->logger = logger;
        self->environment = environment;
        self->is_model_exchange = is_model_exchange;
        bool is_fit = self->name != NULL;
        if (is_fit && (name != NULL)) {
            (void)memcpy(self->name, name, length);
        }
        if (is_fit && (length == 0U)) {
            fmu_log(self, true, "the instance has no name");
            is_fit = false;
        }
        if (is_fit && ((token == NULL) || (strcmp(token, FMU_TOKEN) != 0))) {
            fmu_log(self, true, "the token %.60s is not that of this FMU, %s: the model description is of another one",
                    (token == NULL) ? "(none)" : token, FMU_TOKEN);
            is_fit = false;
        }
        if (is_fit && is_model_exchange && (FMU_HAS_CONTINUOUS == 0)) {
            fmu_log(self, true, "this FMU is for co-simulation only");
            is_fit = false;
        }
        if (is_fit) {
            const int32_t fault = FMU_MODEL(selftest)();
            if (fault != 0) {
                fmu_log(self, true, "the arithmetic of this process differs from that of the simulation (self-test %d): "
                        "results may differ in their last digits", (int)fault);
            }
            fmu_restart(self);
        } else {
            fmu_free(self);
            self = NULL;
        }
    }
    return self;
}

#if FMU_HAS_CONTINUOUS
/* Computes the outputs and rates at the time, the states and the inputs of the values. */
static void fmu_evaluate(fmu_data *data)
{
    fmu_to_cells(data->values, data->cells);
    FMU_MODEL(continuous_once)(data->cells);
    FMU_MODEL(continuous_evaluate)(data->cells);
}
#endif

/* Computes all values, unless they are up to date. */
static void fmu_compute(fmu_instance *self)
{
    fmu_data *data = &self->data;
    const bool is_open = ((data->mode & (FMU_INITIALIZING | FMU_RUNNING)) != 0U) && !data->is_over;
    if (is_open && !data->is_computed) {
        const bool is_first = data->mode == FMU_INITIALIZING;
        data->values[0] = data->time;
        if (is_first || data->has_new_inputs) {
            fmu_set_inputs(&data->now, data->values);
        }
        if (is_first || data->has_new_parameters) {
            fmu_set_parameters(&data->now, data->values);
        }
        if (is_first) {
            FMU_MODEL(reset)(&data->now);
            data->now.step = data->step;
        }
        data->has_new_inputs = false;
        data->has_new_parameters = false;
        if (is_first || !self->is_model_exchange) {
            fmu_get_states(&data->now, data->values);
        }
        if (self->is_model_exchange) {
#if FMU_HAS_CONTINUOUS
            fmu_evaluate(data);
            fmu_from_cells(data->cells, data->values);
#endif
        } else {
            data->ahead = data->now;
            data->status = FMU_MODEL(step)(&data->ahead);
            fmu_get_outputs(&data->ahead, data->values);
        }
        data->is_computed = true;
    }
}

/* The number of elements of a variable; 0 if there is none. */
static uint32_t fmu_width(uint32_t reference)
{
    return (reference < FMU_VALUES) ? FMU_WIDTH(reference) : 0U;
}

/* Whether the references are those of variables with so many elements together, all from `first` to before `end`. */
static bool fmu_is_known(const fmu_instance *self, const char *function, const uint32_t references[], size_t count,
                         size_t value_count, uint32_t first, uint32_t end)
{
    bool is_known = true;
    size_t total = 0U;
    for (size_t i = 0U; is_known && (i < count); i++) {
        const uint32_t width = fmu_width(references[i]);
        if (width == 0U) {
            fmu_log(self, true, "%s: there is no variable with the value reference %u", function, references[i]);
            is_known = false;
        } else if ((references[i] < first) || (references[i] >= end)) {
            fmu_log(self, true, "%s: not for the variable with the value reference %u", function, references[i]);
            is_known = false;
        } else {
            total += width;
        }
    }
    if (is_known && (total != value_count)) {
        fmu_log(self, true, "%s: the variables have %zu elements, not %zu", function, total, value_count);
        is_known = false;
    }
    return is_known;
}

static bool fmu_get(fmu_instance *self, const char *function, const uint32_t references[], size_t count,
                    double values[], size_t value_count)
{
    bool is_done = fmu_is_allowed(self, function, FMU_ALL);
    if (is_done) {
        /* Before the initialization, only what can be set has a value. */
        const bool is_early = self->data.mode == FMU_INSTANTIATED;
        const uint32_t first = is_early ? FMU_FIRST_INPUT : 0U;
        const uint32_t end = is_early ? FMU_FIRST_OUTPUT : FMU_VALUES;
        is_done = fmu_is_known(self, function, references, count, value_count, first, end);
    }
    if (is_done) {
        fmu_compute(self);
        size_t next = 0U;
        for (size_t i = 0U; i < count; i++) {
            const uint32_t width = fmu_width(references[i]);
            (void)memcpy(&values[next], &self->data.values[references[i]], width * sizeof(double));
            next += width;
        }
    }
    return is_done;
}

/* Sets inputs and parameters: these at any time but between events of model exchange. */
static bool fmu_set(fmu_instance *self, const char *function, const uint32_t references[], size_t count,
                    const double values[], size_t value_count)
{
    bool is_done = fmu_is_allowed(self, function, FMU_INSTANTIATED | FMU_INITIALIZING | FMU_RUNNING);
    if (is_done) {
        const uint32_t end = (self->data.mode == FMU_CONTINUOUS) ? FMU_FIRST_PARAMETER : FMU_FIRST_OUTPUT;
        is_done = fmu_is_known(self, function, references, count, value_count, FMU_FIRST_INPUT, end);
    }
    if (is_done) {
        fmu_data *data = &self->data;
        size_t next = 0U;
        for (size_t i = 0U; i < count; i++) {
            const size_t size = fmu_width(references[i]) * sizeof(double);
            double *place = &data->values[references[i]];
            /* Equal bits change nothing, and cost no step. */
            if (memcmp(place, &values[next], size) != 0) {
                (void)memcpy(place, &values[next], size);
                data->is_computed = false;
                data->has_new_inputs = data->has_new_inputs || (references[i] < FMU_FIRST_PARAMETER);
                data->has_new_parameters = data->has_new_parameters || (references[i] >= FMU_FIRST_PARAMETER);
            }
            next += fmu_width(references[i]);
        }
    }
    return is_done;
}

/* The rounding error of a multiple of the step that a program has computed as the difference of two times. */
static double fmu_slack(double time)
{
    return (1e-6 * FMU_DELTA) + (1e-15 * time);
}

/* Sets the times of the run. A run of co-simulation begins at a step. */
static bool fmu_setup(fmu_instance *self, const char *function, double start, bool has_stop, double stop)
{
    fmu_data *data = &self->data;
    bool is_done = true;
    if (self->is_model_exchange) {
        data->time = start;
    } else {
        const double step = floor((start / FMU_DELTA) + 0.5);
        is_done = (step >= 0.0) && (step <= 9007199254740992.0) && (fabs(start - (step * FMU_DELTA)) <= fmu_slack(start));
        if (is_done) {
            data->step = (uint64_t)step;
            data->time = step * FMU_DELTA;
        } else {
            fmu_log(self, true, "%s: the start time of %.17g s is not a whole multiple of the step of %.17g s", function,
                    start, FMU_DELTA);
        }
    }
    if (is_done) {
        data->has_stop = has_stop;
        data->stop = stop;
        data->is_computed = false;
    }
    return is_done;
}

static void fmu_enter_initialization(fmu_instance *self)
{
    self->data.mode = FMU_INITIALIZING;
    self->data.is_computed = false;
}

static void fmu_exit_initialization(fmu_instance *self)
{
    fmu_compute(self);
    self->data.mode = self->is_model_exchange ? FMU_EVENT : FMU_STEPPING;
}

/* Advances by a whole number of steps; the inputs are those at the beginning. */
static fmu_progress fmu_do_step(fmu_instance *self, const char *function, double time, double length)
{
    fmu_data *data = &self->data;
    const double count = floor((length / FMU_DELTA) + 0.5);
    fmu_progress progress = FMU_STEP_WRONG;
    if (data->is_over) {
        progress = FMU_STEP_OVER;
    } else if (!(fabs(time - data->time) <= (0.01 * FMU_DELTA))) {
        fmu_log(self, true, "%s: the communication point is %.17g s, not %.17g s", function, data->time, time);
    } else if (!((count >= 1.0) && (count <= 9007199254740992.0) && (fabs(length - (count * FMU_DELTA)) <= fmu_slack(time + length)))) {
        fmu_log(self, true, "%s: the communication step of %.17g s is not a whole multiple of the step of %.17g s",
                function, length, FMU_DELTA);
    } else if (data->has_stop && ((time + length) > (data->stop + (0.5 * FMU_DELTA)))) {
        fmu_log(self, true, "%s: the step ends after the stop time of %.17g s", function, data->stop);
    } else {
        fmu_compute(self);
        const uint64_t steps = (uint64_t)count;
        uint64_t done = 0U;
        while ((done < steps) && (data->status < FMU_STATUS_STOPPED)) {
            if ((done + 1U) == steps) {
                data->now = data->ahead;
            }
            if (data->status == FMU_STATUS_PAUSED) {
                fmu_log(self, false, "a block asks for a pause at %.17g s", (double)(data->step + done) * FMU_DELTA);
            }
            data->status = FMU_MODEL(step)(&data->ahead);
            done++;
        }
        data->step += done;
        data->time = (double)data->step * FMU_DELTA;
        data->values[0] = data->time;
        if (done == steps) {
            fmu_get_states(&data->now, data->values);
        }
        fmu_get_outputs(&data->ahead, data->values);
        progress = FMU_STEP_DONE;
        if (data->status == FMU_STATUS_FINISHED) {
            data->is_over = true;
            progress = (done == steps) ? FMU_STEP_DONE : FMU_STEP_OVER;
            fmu_log(self, false, "a block ends the run at %.17g s", data->time);
        } else if (data->status >= FMU_STATUS_STOPPED) {
            const char *text = "the solver finds no new states at %.17g s; the step is too long";
            if (data->status == FMU_STATUS_STOPPED) {
                text = "a block stops the run with an error at %.17g s";
            } else if (data->status == FMU_STATUS_TOO_MANY_RUNS) {
                text = "a part runs more often than its limit at %.17g s";
            } else {
                /* The solver fails. */
            }
            fmu_log(self, true, text, data->time);
            data->mode = FMU_FAILED;
            progress = FMU_STEP_WRONG;
        } else {
            /* The run goes on. */
        }
    }
    return progress;
}

/* Sets the time of model exchange. */
static void fmu_set_time(fmu_instance *self, double time)
{
    self->data.is_computed = self->data.is_computed && (memcmp(&time, &self->data.time, sizeof time) == 0);
    self->data.time = time;
}

/* Whether a function of model exchange is given so many elements as there are. */
static bool fmu_is_count(const fmu_instance *self, const char *function, size_t count, size_t expected)
{
    if (count != expected) {
        fmu_log(self, true, "%s: there are %zu elements, not %zu", function, expected, count);
    }
    return count == expected;
}

static void fmu_set_states(fmu_instance *self, const double states[])
{
    double *place = &self->data.values[FMU_FIRST_STATE];
    if ((FMU_STATES > 0U) && (memcmp(place, states, FMU_STATES * sizeof(double)) != 0)) {
        (void)memcpy(place, states, FMU_STATES * sizeof(double));
        self->data.is_computed = false;
    }
}

/* Copies the values from `first` on after all are computed. */
static void fmu_give(fmu_instance *self, uint32_t first, size_t count, double values[])
{
    fmu_compute(self);
    if (count > 0U) {
        (void)memcpy(values, &self->data.values[first], count * sizeof(double));
    }
}

/* Computes the derivatives of the unknowns in the direction of the seeds, exactly, from the derivative of each
   operation of the model. */
static bool fmu_derive(fmu_instance *self, const char *function, const uint32_t unknowns[], size_t unknown_count,
                       const uint32_t knowns[], size_t known_count, const double seeds[], size_t seed_count,
                       double results[], size_t result_count)
{
    bool is_done = fmu_is_allowed(self, function, FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED);
    if (is_done && (FMU_HAS_CONTINUOUS == 0)) {
        fmu_log(self, true, "%s: this FMU has no directional derivatives", function);
        is_done = false;
    }
    is_done = is_done && fmu_is_known(self, function, knowns, known_count, seed_count, FMU_FIRST_INPUT, FMU_FIRST_RATE)
        && fmu_is_known(self, function, unknowns, unknown_count, result_count, FMU_FIRST_OUTPUT, FMU_FIRST_DISCRETE);
    for (size_t i = 0U; is_done && (i < known_count); i++) {
        if ((knowns[i] >= FMU_FIRST_OUTPUT) && (knowns[i] < FMU_FIRST_STATE)) {
            fmu_log(self, true, "%s: the output with the value reference %u is no known", function, knowns[i]);
            is_done = false;
        }
    }
    for (size_t i = 0U; is_done && (i < unknown_count); i++) {
        if ((unknowns[i] >= FMU_FIRST_STATE) && (unknowns[i] < FMU_FIRST_RATE)) {
            fmu_log(self, true, "%s: the state with the value reference %u is no unknown", function, unknowns[i]);
            is_done = false;
        }
    }
#if FMU_HAS_CONTINUOUS
    if (is_done) {
        double *directions = self->directions;
        size_t next = 0U;
        fmu_compute(self);
        (void)memset(self->directions, 0, sizeof self->directions);
        (void)memset(self->slopes, 0, sizeof self->slopes);
        for (size_t i = 0U; i < known_count; i++) {
            const uint32_t width = fmu_width(knowns[i]);
            (void)memcpy(&directions[knowns[i]], &seeds[next], width * sizeof(double));
            next += width;
        }
        fmu_evaluate(&self->data);
        fmu_to_cells(directions, self->slopes);
        FMU_MODEL(continuous_tangent)(self->data.cells, self->slopes);
        fmu_from_cells(self->slopes, directions);
        next = 0U;
        for (size_t i = 0U; i < unknown_count; i++) {
            const uint32_t width = fmu_width(unknowns[i]);
            (void)memcpy(&results[next], &directions[unknowns[i]], width * sizeof(double));
            next += width;
        }
    }
#else
    (void)seeds;
    (void)results;
#endif
    return is_done;
}

#endif
