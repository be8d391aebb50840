/* The functions of FMI 3.0. */
#include "fmu_fmi3.h"
#include "fmu_instance.h"
#include "fmu_state.h"

/* Who links several FMUs statically defines a prefix for the names of the functions. */
#ifdef FMI3_FUNCTION_PREFIX
#define FMI3(type, name) FMU_EXPORT type FMU_JOIN(FMI3_FUNCTION_PREFIX, name)
#else
#define FMI3(type, name) FMU_EXPORT type name
#endif

static void fmu_emit(const fmu_instance *self, bool is_error, const char *text)
{
    const fmi3LogMessageCallback logger = (fmi3LogMessageCallback)self->logger;
    if (logger != NULL) {
        logger(self->environment, is_error ? fmi3Error : fmi3OK, is_error ? FMU_ERRORS : FMU_EVENTS, text);
    }
}

static fmi3Status status_of(bool is_done)
{
    return is_done ? fmi3OK : fmi3Error;
}

/* A function that this FMU has no use for. */
static fmi3Status unsupported(const fmu_instance *self, const char *function)
{
    if (self != NULL) {
        fmu_log(self, true, "%s: this FMU has nothing of the kind", function);
    }
    return fmi3Error;
}

FMI3(const char *, fmi3GetVersion)(void)
{
    return "3.0";
}

FMI3(fmi3Status, fmi3SetDebugLogging)(fmi3Instance c, fmi3Boolean is_on, size_t count, const fmi3String categories[])
{
    return status_of(fmu_set_logging(c, "fmi3SetDebugLogging", is_on, count, categories));
}

FMI3(fmi3Instance, fmi3InstantiateModelExchange)(fmi3String name, fmi3String token, fmi3String resources,
                                                 fmi3Boolean is_visible, fmi3Boolean is_logging,
                                                 fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger)
{
    (void)resources;
    (void)is_visible;
    return fmu_instantiate(name, token, true, is_logging, (void (*)(void))logger, environment);
}

FMI3(fmi3Instance, fmi3InstantiateCoSimulation)(fmi3String name, fmi3String token, fmi3String resources,
                                                fmi3Boolean is_visible, fmi3Boolean is_logging, fmi3Boolean has_event_mode,
                                                fmi3Boolean may_return_early, const fmi3ValueReference intermediate[],
                                                size_t intermediate_count, fmi3InstanceEnvironment environment,
                                                fmi3LogMessageCallback logger, fmi3IntermediateUpdateCallback update)
{
    (void)resources;
    (void)is_visible;
    (void)may_return_early;
    (void)intermediate;
    (void)intermediate_count;
    (void)update;
    fmu_instance *self = fmu_instantiate(name, token, false, is_logging, (void (*)(void))logger, environment);
    if ((self != NULL) && has_event_mode) {
        fmu_log(self, true, "co-simulation of this FMU has no event mode");
        fmu_free(self);
        self = NULL;
    }
    return self;
}

FMI3(fmi3Instance, fmi3InstantiateScheduledExecution)(fmi3String name, fmi3String token, fmi3String resources,
                                                      fmi3Boolean is_visible, fmi3Boolean is_logging,
                                                      fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger,
                                                      fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
                                                      fmi3UnlockPreemptionCallback unlock)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)is_visible;
    (void)is_logging;
    (void)update;
    (void)lock;
    (void)unlock;
    if (logger != NULL) {
        logger(environment, fmi3Error, FMU_ERRORS, "this FMU is not for scheduled execution");
    }
    return NULL;
}

FMI3(void, fmi3FreeInstance)(fmi3Instance c)
{
    fmu_free(c);
}

FMI3(fmi3Status, fmi3EnterInitializationMode)(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
                                              fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop)
{
    (void)has_tolerance;
    (void)tolerance;
    const char *function = "fmi3EnterInitializationMode";
    const bool is_done = fmu_is_allowed(c, function, FMU_INSTANTIATED) && fmu_setup(c, function, start, has_stop, stop);
    if (is_done) {
        fmu_enter_initialization(c);
    }
    return status_of(is_done);
}

FMI3(fmi3Status, fmi3ExitInitializationMode)(fmi3Instance c)
{
    const bool is_done = fmu_is_allowed(c, "fmi3ExitInitializationMode", FMU_INITIALIZING);
    if (is_done) {
        fmu_exit_initialization(c);
    }
    return status_of(is_done);
}

FMI3(fmi3Status, fmi3Terminate)(fmi3Instance c)
{
    const bool is_done = fmu_is_allowed(c, "fmi3Terminate", FMU_RUNNING);
    if (is_done) {
        fmu_compute(c);
        ((fmu_instance *)c)->data.mode = FMU_TERMINATED;
    }
    return status_of(is_done);
}

FMI3(fmi3Status, fmi3Reset)(fmi3Instance c)
{
    const bool is_done = fmu_is_allowed(c, "fmi3Reset", FMU_ALL);
    if (is_done) {
        fmu_restart(c);
    }
    return status_of(is_done);
}

FMI3(fmi3Status, fmi3GetFloat64)(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Float64 values[],
                                 size_t value_count)
{
    return status_of(fmu_get(c, "fmi3GetFloat64", references, count, values, value_count));
}

FMI3(fmi3Status, fmi3SetFloat64)(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                 const fmi3Float64 values[], size_t value_count)
{
    return status_of(fmu_set(c, "fmi3SetFloat64", references, count, values, value_count));
}

/* All variables are of the type Float64: the functions of the other types have nothing to give. */
static fmi3Status of_no_type(const fmu_instance *self, const char *function, const fmi3ValueReference references[],
                             size_t count)
{
    bool is_done = fmu_is_allowed(self, function, FMU_ALL);
    if (is_done && (count > 0U)) {
        fmu_log(self, true, "%s: the variable with the value reference %u is none of this type", function, references[0]);
        is_done = false;
    }
    return status_of(is_done);
}

#define FMU_TYPE(type)                                                                                               \
    FMI3(fmi3Status, fmi3Get##type)(fmi3Instance c, const fmi3ValueReference references[], size_t count,              \
                                    fmi3##type values[], size_t value_count)                                          \
    {                                                                                                                 \
        (void)values;                                                                                                 \
        (void)value_count;                                                                                            \
        return of_no_type(c, "fmi3Get" #type, references, count);                                                     \
    }                                                                                                                 \
    FMI3(fmi3Status, fmi3Set##type)(fmi3Instance c, const fmi3ValueReference references[], size_t count,              \
                                    const fmi3##type values[], size_t value_count)                                    \
    {                                                                                                                 \
        (void)values;                                                                                                 \
        (void)value_count;                                                                                            \
        return of_no_type(c, "fmi3Set" #type, references, count);                                                     \
    }
FMU_TYPE(Float32)
FMU_TYPE(Int8)
FMU_TYPE(UInt8)
FMU_TYPE(Int16)
FMU_TYPE(UInt16)
FMU_TYPE(Int32)
FMU_TYPE(UInt32)
FMU_TYPE(Int64)
FMU_TYPE(UInt64)
FMU_TYPE(Boolean)
FMU_TYPE(String)

FMI3(fmi3Status, fmi3GetBinary)(fmi3Instance c, const fmi3ValueReference references[], size_t count, size_t sizes[],
                                fmi3Binary values[], size_t value_count)
{
    (void)sizes;
    (void)values;
    (void)value_count;
    return of_no_type(c, "fmi3GetBinary", references, count);
}

FMI3(fmi3Status, fmi3SetBinary)(fmi3Instance c, const fmi3ValueReference references[], size_t count, const size_t sizes[],
                                const fmi3Binary values[], size_t value_count)
{
    (void)sizes;
    (void)values;
    (void)value_count;
    return of_no_type(c, "fmi3SetBinary", references, count);
}

FMI3(fmi3Status, fmi3GetClock)(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Clock values[])
{
    (void)values;
    return of_no_type(c, "fmi3GetClock", references, count);
}

FMI3(fmi3Status, fmi3SetClock)(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                               const fmi3Clock values[])
{
    (void)values;
    return of_no_type(c, "fmi3SetClock", references, count);
}

FMI3(fmi3Status, fmi3GetNumberOfVariableDependencies)(fmi3Instance c, fmi3ValueReference reference, size_t *count)
{
    (void)reference;
    (void)count;
    return unsupported(c, "fmi3GetNumberOfVariableDependencies");
}

FMI3(fmi3Status, fmi3GetVariableDependencies)(fmi3Instance c, fmi3ValueReference dependent, size_t of_dependent[],
                                              fmi3ValueReference independents[], size_t of_independents[],
                                              fmi3DependencyKind kinds[], size_t count)
{
    (void)dependent;
    (void)of_dependent;
    (void)independents;
    (void)of_independents;
    (void)kinds;
    (void)count;
    return unsupported(c, "fmi3GetVariableDependencies");
}

FMI3(fmi3Status, fmi3GetFMUState)(fmi3Instance c, fmi3FMUState *state)
{
    const char *function = "fmi3GetFMUState";
    return status_of(fmu_is_allowed(c, function, FMU_ALL) && fmu_save(c, function, state));
}

FMI3(fmi3Status, fmi3SetFMUState)(fmi3Instance c, fmi3FMUState state)
{
    const char *function = "fmi3SetFMUState";
    return status_of(fmu_is_allowed(c, function, FMU_ALL) && fmu_restore(c, function, state));
}

FMI3(fmi3Status, fmi3FreeFMUState)(fmi3Instance c, fmi3FMUState *state)
{
    (void)c;
    fmu_drop(state);
    return fmi3OK;
}

FMI3(fmi3Status, fmi3SerializedFMUStateSize)(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    (void)state;
    *size = FMU_STATE_SIZE;
    return status_of(fmu_is_allowed(c, "fmi3SerializedFMUStateSize", FMU_ALL));
}

FMI3(fmi3Status, fmi3SerializeFMUState)(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    const char *function = "fmi3SerializeFMUState";
    return status_of(fmu_is_allowed(c, function, FMU_ALL) && fmu_serialize(c, function, state, bytes, size));
}

FMI3(fmi3Status, fmi3DeserializeFMUState)(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    const char *function = "fmi3DeserializeFMUState";
    return status_of(fmu_is_allowed(c, function, FMU_ALL) && fmu_deserialize(c, function, bytes, size, state));
}

FMI3(fmi3Status, fmi3GetDirectionalDerivative)(fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count,
                                               const fmi3ValueReference knowns[], size_t known_count,
                                               const fmi3Float64 seeds[], size_t seed_count, fmi3Float64 results[],
                                               size_t result_count)
{
    return status_of(fmu_derive(c, "fmi3GetDirectionalDerivative", unknowns, unknown_count, knowns, known_count, seeds,
                                seed_count, results, result_count));
}

FMI3(fmi3Status, fmi3GetAdjointDerivative)(fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count,
                                           const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seeds[],
                                           size_t seed_count, fmi3Float64 results[], size_t result_count)
{
    (void)unknowns;
    (void)unknown_count;
    (void)knowns;
    (void)known_count;
    (void)seeds;
    (void)seed_count;
    (void)results;
    (void)result_count;
    return unsupported(c, "fmi3GetAdjointDerivative");
}

FMI3(fmi3Status, fmi3EnterConfigurationMode)(fmi3Instance c)
{
    return unsupported(c, "fmi3EnterConfigurationMode");
}

FMI3(fmi3Status, fmi3ExitConfigurationMode)(fmi3Instance c)
{
    return unsupported(c, "fmi3ExitConfigurationMode");
}

/* There are no clocks. */

FMI3(fmi3Status, fmi3GetIntervalDecimal)(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                         fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
{
    (void)intervals;
    (void)qualifiers;
    return of_no_type(c, "fmi3GetIntervalDecimal", references, count);
}

FMI3(fmi3Status, fmi3GetIntervalFraction)(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                          fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                          fmi3IntervalQualifier qualifiers[])
{
    (void)counters;
    (void)resolutions;
    (void)qualifiers;
    return of_no_type(c, "fmi3GetIntervalFraction", references, count);
}

FMI3(fmi3Status, fmi3GetShiftDecimal)(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                      fmi3Float64 shifts[])
{
    (void)shifts;
    return of_no_type(c, "fmi3GetShiftDecimal", references, count);
}

FMI3(fmi3Status, fmi3GetShiftFraction)(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                       fmi3UInt64 counters[], fmi3UInt64 resolutions[])
{
    (void)counters;
    (void)resolutions;
    return of_no_type(c, "fmi3GetShiftFraction", references, count);
}

FMI3(fmi3Status, fmi3SetIntervalDecimal)(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                         const fmi3Float64 intervals[])
{
    (void)intervals;
    return of_no_type(c, "fmi3SetIntervalDecimal", references, count);
}

FMI3(fmi3Status, fmi3SetIntervalFraction)(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                          const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
{
    (void)counters;
    (void)resolutions;
    return of_no_type(c, "fmi3SetIntervalFraction", references, count);
}

FMI3(fmi3Status, fmi3SetShiftDecimal)(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                      const fmi3Float64 shifts[])
{
    (void)shifts;
    return of_no_type(c, "fmi3SetShiftDecimal", references, count);
}

FMI3(fmi3Status, fmi3SetShiftFraction)(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                       const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
{
    (void)counters;
    (void)resolutions;
    return of_no_type(c, "fmi3SetShiftFraction", references, count);
}

FMI3(fmi3Status, fmi3ActivateModelPartition)(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time)
{
    (void)clock;
    (void)time;
    return unsupported(c, "fmi3ActivateModelPartition");
}

/* Model exchange. */

FMI3(fmi3Status, fmi3EnterEventMode)(fmi3Instance c)
{
    const bool is_done = fmu_is_allowed(c, "fmi3EnterEventMode", FMU_EVENT | FMU_CONTINUOUS);
    if (is_done) {
        ((fmu_instance *)c)->data.mode = FMU_EVENT;
    }
    return status_of(is_done);
}

FMI3(fmi3Status, fmi3EvaluateDiscreteStates)(fmi3Instance c)
{
    return status_of(fmu_is_allowed(c, "fmi3EvaluateDiscreteStates", FMU_INITIALIZING | FMU_EVENT));
}

FMI3(fmi3Status, fmi3UpdateDiscreteStates)(fmi3Instance c, fmi3Boolean *is_needed, fmi3Boolean *ends,
                                           fmi3Boolean *changes_nominals, fmi3Boolean *changes_states,
                                           fmi3Boolean *has_next, fmi3Float64 *next)
{
    const bool is_done = fmu_is_allowed(c, "fmi3UpdateDiscreteStates", FMU_EVENT);
    if (is_done) {
        *is_needed = false;
        *ends = false;
        *changes_nominals = false;
        *changes_states = false;
        *has_next = false;
        *next = 0.0;
    }
    return status_of(is_done);
}

FMI3(fmi3Status, fmi3EnterContinuousTimeMode)(fmi3Instance c)
{
    const bool is_done = fmu_is_allowed(c, "fmi3EnterContinuousTimeMode", FMU_EVENT);
    if (is_done) {
        ((fmu_instance *)c)->data.mode = FMU_CONTINUOUS;
    }
    return status_of(is_done);
}

FMI3(fmi3Status, fmi3CompletedIntegratorStep)(fmi3Instance c, fmi3Boolean is_final, fmi3Boolean *enters_event_mode,
                                              fmi3Boolean *ends)
{
    (void)is_final;
    *enters_event_mode = false;
    *ends = false;
    return status_of(fmu_is_allowed(c, "fmi3CompletedIntegratorStep", FMU_CONTINUOUS));
}

FMI3(fmi3Status, fmi3SetTime)(fmi3Instance c, fmi3Float64 time)
{
    const bool is_done = fmu_is_allowed(c, "fmi3SetTime", FMU_EVENT | FMU_CONTINUOUS);
    if (is_done) {
        fmu_set_time(c, time);
    }
    return status_of(is_done);
}

FMI3(fmi3Status, fmi3SetContinuousStates)(fmi3Instance c, const fmi3Float64 states[], size_t count)
{
    const char *function = "fmi3SetContinuousStates";
    const bool is_done = fmu_is_allowed(c, function, FMU_CONTINUOUS) && fmu_is_count(c, function, count, FMU_STATES);
    if (is_done) {
        fmu_set_states(c, states);
    }
    return status_of(is_done);
}

/* Gives values from `first` on in the modes of model exchange. */
static fmi3Status given(fmi3Instance c, const char *function, uint32_t first, size_t expected, fmi3Float64 values[],
                        size_t count)
{
    const bool is_done = fmu_is_allowed(c, function, FMU_INITIALIZING | FMU_EVENT | FMU_CONTINUOUS | FMU_TERMINATED)
        && fmu_is_count(c, function, count, expected);
    if (is_done) {
        fmu_give(c, first, count, values);
    }
    return status_of(is_done);
}

FMI3(fmi3Status, fmi3GetContinuousStateDerivatives)(fmi3Instance c, fmi3Float64 values[], size_t count)
{
    return given(c, "fmi3GetContinuousStateDerivatives", FMU_FIRST_RATE, FMU_STATES, values, count);
}

FMI3(fmi3Status, fmi3GetEventIndicators)(fmi3Instance c, fmi3Float64 values[], size_t count)
{
    return given(c, "fmi3GetEventIndicators", FMU_FIRST_INDICATOR, FMU_INDICATORS, values, count);
}

FMI3(fmi3Status, fmi3GetContinuousStates)(fmi3Instance c, fmi3Float64 values[], size_t count)
{
    return given(c, "fmi3GetContinuousStates", FMU_FIRST_STATE, FMU_STATES, values, count);
}

FMI3(fmi3Status, fmi3GetNominalsOfContinuousStates)(fmi3Instance c, fmi3Float64 values[], size_t count)
{
    const char *function = "fmi3GetNominalsOfContinuousStates";
    const bool is_done = fmu_is_allowed(c, function, FMU_ALL) && fmu_is_count(c, function, count, FMU_STATES);
    for (size_t i = 0U; is_done && (i < count); i++) {
        values[i] = 1.0;
    }
    return status_of(is_done);
}

FMI3(fmi3Status, fmi3GetNumberOfEventIndicators)(fmi3Instance c, size_t *count)
{
    *count = FMU_INDICATORS;
    return status_of(fmu_is_allowed(c, "fmi3GetNumberOfEventIndicators", FMU_ALL));
}

FMI3(fmi3Status, fmi3GetNumberOfContinuousStates)(fmi3Instance c, size_t *count)
{
    *count = FMU_STATES;
    return status_of(fmu_is_allowed(c, "fmi3GetNumberOfContinuousStates", FMU_ALL));
}

/* Co-simulation. */

FMI3(fmi3Status, fmi3EnterStepMode)(fmi3Instance c)
{
    return unsupported(c, "fmi3EnterStepMode");
}

FMI3(fmi3Status, fmi3GetOutputDerivatives)(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                                           const fmi3Int32 orders[], fmi3Float64 values[], size_t value_count)
{
    (void)references;
    (void)count;
    (void)orders;
    (void)values;
    (void)value_count;
    return unsupported(c, "fmi3GetOutputDerivatives");
}

FMI3(fmi3Status, fmi3DoStep)(fmi3Instance c, fmi3Float64 time, fmi3Float64 length, fmi3Boolean is_final,
                             fmi3Boolean *needs_event, fmi3Boolean *ends, fmi3Boolean *is_early, fmi3Float64 *last)
{
    (void)is_final;
    bool is_done = fmu_is_allowed(c, "fmi3DoStep", FMU_STEPPING);
    if (is_done) {
        is_done = fmu_do_step(c, "fmi3DoStep", time, length) != FMU_STEP_WRONG;
        const fmu_data *data = &((const fmu_instance *)c)->data;
        *needs_event = false;
        *is_early = false;
        *ends = data->is_over;
        *last = data->time;
    }
    return status_of(is_done);
}
