/* The functions of FMI 2.0. */
#include "fmu_fmi2.h"
#include "fmu_instance.h"
#include "fmu_state.h"

/* Who links several FMUs statically defines a prefix for the names of the functions. */
#ifdef FMI2_FUNCTION_PREFIX
#define FMI2(type, name) FMU_EXPORT type FMU_JOIN(FMI2_FUNCTION_PREFIX, name)
#else
#define FMI2(type, name) FMU_EXPORT type name
#endif

static void fmu_emit(const fmu_instance *self, bool is_error, const char *text)
{
    const fmi2CallbackLogger logger = (fmi2CallbackLogger)self->logger;
    if (logger != NULL) {
        /* The text has no percent sign: some importers print it as it is, others as a format. */
        logger(self->environment, self->name, is_error ? fmi2Error : fmi2OK, is_error ? FMU_ERRORS : FMU_EVENTS, text);
    }
}

static fmi2Status status_of(bool is_done)
{
    return is_done ? fmi2OK : fmi2Error;
}

/* A function that this FMU has no use for. */
static fmi2Status unsupported(const fmu_instance *self, const char *function)
{
    if (self != NULL) {
        fmu_log(self, true, "%s: this FMU has nothing of the kind", function);
    }
    return fmi2Error;
}

FMI2(const char *, fmi2GetTypesPlatform)(void)
{
    return "default";
}

FMI2(const char *, fmi2GetVersion)(void)
{
    return "2.0";
}

FMI2(fmi2Status, fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean is_on, size_t count, const fmi2String categories[])
{
    return status_of(fmu_set_logging(c, "fmi2SetDebugLogging", is_on != 0, count, categories));
}

FMI2(fmi2Component, fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String token, fmi2String resources,
                                     const fmi2CallbackFunctions *functions, fmi2Boolean is_visible, fmi2Boolean is_logging)
{
    (void)resources;
    (void)is_visible;
    void (*logger)(void) = (functions == NULL) ? NULL : (void (*)(void))functions->logger;
    void *environment = (functions == NULL) ? NULL : functions->componentEnvironment;
    return fmu_instantiate(name, token, type == fmi2ModelExchange, is_logging != 0, logger, environment);
}

FMI2(void, fmi2FreeInstance)(fmi2Component c)
{
    fmu_free(c);
}

FMI2(fmi2Status, fmi2SetupExperiment)(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                                      fmi2Boolean has_stop, fmi2Real stop)
{
    (void)has_tolerance;
    (void)tolerance;
    const char *function = "fmi2SetupExperiment";
    return status_of(fmu_is_allowed(c, function, FMU_INSTANTIATED) && fmu_setup(c, function, start, has_stop != 0, stop));
}

FMI2(fmi2Status, fmi2EnterInitializationMode)(fmi2Component c)
{
    const bool is_done = fmu_is_allowed(c, "fmi2EnterInitializationMode", FMU_INSTANTIATED);
    if (is_done) {
        fmu_enter_initialization(c);
    }
    return status_of(is_done);
}

FMI2(fmi2Status, fmi2ExitInitializationMode)(fmi2Component c)
{
    const bool is_done = fmu_is_allowed(c, "fmi2ExitInitializationMode", FMU_INITIALIZING);
    if (is_done) {
        fmu_exit_initialization(c);
    }
    return status_of(is_done);
}

FMI2(fmi2Status, fmi2Terminate)(fmi2Component c)
{
    const bool is_done = fmu_is_allowed(c, "fmi2Terminate", FMU_RUNNING);
    if (is_done) {
        fmu_compute(c);
        ((fmu_instance *)c)->data.mode = FMU_TERMINATED;
    }
    return status_of(is_done);
}

FMI2(fmi2Status, fmi2Reset)(fmi2Component c)
{
    const bool is_done = fmu_is_allowed(c, "fmi2Reset", FMU_ALL);
    if (is_done) {
        fmu_restart(c);
    }
    return status_of(is_done);
}

FMI2(fmi2Status, fmi2GetReal)(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[])
{
    return status_of(fmu_get(c, "fmi2GetReal", references, count, values, count));
}

FMI2(fmi2Status, fmi2SetReal)(fmi2Component c, const fmi2ValueReference references[], size_t count,
                              const fmi2Real values[])
{
    return status_of(fmu_set(c, "fmi2SetReal", references, count, values, count));
}

/* All variables are real: the functions of the other types have nothing to give. */
static fmi2Status of_no_type(const fmu_instance *self, const char *function, const fmi2ValueReference references[],
                             size_t count)
{
    bool is_done = fmu_is_allowed(self, function, FMU_ALL);
    if (is_done && (count > 0U)) {
        fmu_log(self, true, "%s: the variable with the value reference %u is none of this type", function, references[0]);
        is_done = false;
    }
    return status_of(is_done);
}

#define FMU_TYPE(type)                                                                                              \
    FMI2(fmi2Status, fmi2Get##type)(fmi2Component c, const fmi2ValueReference references[], size_t count,            \
                                    fmi2##type values[])                                                             \
    {                                                                                                                \
        (void)values;                                                                                                \
        return of_no_type(c, "fmi2Get" #type, references, count);                                                    \
    }                                                                                                                \
    FMI2(fmi2Status, fmi2Set##type)(fmi2Component c, const fmi2ValueReference references[], size_t count,            \
                                    const fmi2##type values[])                                                       \
    {                                                                                                                \
        (void)values;                                                                                                \
        return of_no_type(c, "fmi2Set" #type, references, count);                                                    \
    }
FMU_TYPE(Integer)
FMU_TYPE(Boolean)
FMU_TYPE(String)

FMI2(fmi2Status, fmi2GetFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
    const char *function = "fmi2GetFMUstate";
    return status_of(fmu_is_allowed(c, function, FMU_ALL) && fmu_save(c, function, state));
}

FMI2(fmi2Status, fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate state)
{
    const char *function = "fmi2SetFMUstate";
    return status_of(fmu_is_allowed(c, function, FMU_ALL) && fmu_restore(c, function, state));
}

FMI2(fmi2Status, fmi2FreeFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    fmu_drop(state);
    return fmi2OK;
}

FMI2(fmi2Status, fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)state;
    *size = FMU_STATE_SIZE;
    return status_of(fmu_is_allowed(c, "fmi2SerializedFMUstateSize", FMU_ALL));
}

FMI2(fmi2Status, fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    const char *function = "fmi2SerializeFMUstate";
    return status_of(fmu_is_allowed(c, function, FMU_ALL) && fmu_serialize(c, function, state, bytes, size));
}

FMI2(fmi2Status, fmi2DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    const char *function = "fmi2DeSerializeFMUstate";
    return status_of(fmu_is_allowed(c, function, FMU_ALL) && fmu_deserialize(c, function, bytes, size, state));
}

FMI2(fmi2Status, fmi2GetDirectionalDerivative)(fmi2Component c, const fmi2ValueReference unknowns[], size_t unknown_count,
                                               const fmi2ValueReference knowns[], size_t known_count,
                                               const fmi2Real seeds[], fmi2Real results[])
{
    return status_of(fmu_derive(c, "fmi2GetDirectionalDerivative", unknowns, unknown_count, knowns, known_count, seeds,
                                known_count, results, unknown_count));
}

/* Model exchange. */

FMI2(fmi2Status, fmi2EnterEventMode)(fmi2Component c)
{
    const bool is_done = fmu_is_allowed(c, "fmi2EnterEventMode", FMU_EVENT | FMU_CONTINUOUS);
    if (is_done) {
        ((fmu_instance *)c)->data.mode = FMU_EVENT;
    }
    return status_of(is_done);
}

FMI2(fmi2Status, fmi2NewDiscreteStates)(fmi2Component c, fmi2EventInfo *info)
{
    const bool is_done = fmu_is_allowed(c, "fmi2NewDiscreteStates", FMU_EVENT);
    if (is_done) {
        (void)memset(info, 0, sizeof *info);
    }
    return status_of(is_done);
}

FMI2(fmi2Status, fmi2EnterContinuousTimeMode)(fmi2Component c)
{
    const bool is_done = fmu_is_allowed(c, "fmi2EnterContinuousTimeMode", FMU_EVENT);
    if (is_done) {
        ((fmu_instance *)c)->data.mode = FMU_CONTINUOUS;
    }
    return status_of(is_done);
}

FMI2(fmi2Status, fmi2CompletedIntegratorStep)(fmi2Component c, fmi2Boolean is_final, fmi2Boolean *enters_event_mode,
                                              fmi2Boolean *ends)
{
    (void)is_final;
    *enters_event_mode = 0;
    *ends = 0;
    return status_of(fmu_is_allowed(c, "fmi2CompletedIntegratorStep", FMU_CONTINUOUS));
}

FMI2(fmi2Status, fmi2SetTime)(fmi2Component c, fmi2Real time)
{
    const bool is_done = fmu_is_allowed(c, "fmi2SetTime", FMU_EVENT | FMU_CONTINUOUS);
    if (is_done) {
        fmu_set_time(c, time);
    }
    return status_of(is_done);
}

FMI2(fmi2Status, fmi2SetContinuousStates)(fmi2Component c, const fmi2Real states[], size_t count)
{
    const char *function = "fmi2SetContinuousStates";
    const bool is_done = fmu_is_allowed(c, function, FMU_CONTINUOUS) && fmu_is_count(c, function, count, FMU_STATES);
    if (is_done) {
        fmu_set_states(c, states);
    }
    return status_of(is_done);
}

/* Gives values from `first` on in the modes of model exchange. */
static fmi2Status given(fmi2Component c, const char *function, uint32_t first, size_t expected, fmi2Real values[],
                        size_t count)
{
    const bool is_done = fmu_is_allowed(c, function, FMU_INITIALIZING | FMU_EVENT | FMU_CONTINUOUS | FMU_TERMINATED)
        && fmu_is_count(c, function, count, expected);
    if (is_done) {
        fmu_give(c, first, count, values);
    }
    return status_of(is_done);
}

FMI2(fmi2Status, fmi2GetDerivatives)(fmi2Component c, fmi2Real values[], size_t count)
{
    return given(c, "fmi2GetDerivatives", FMU_FIRST_RATE, FMU_STATES, values, count);
}

FMI2(fmi2Status, fmi2GetEventIndicators)(fmi2Component c, fmi2Real values[], size_t count)
{
    return given(c, "fmi2GetEventIndicators", FMU_FIRST_INDICATOR, FMU_INDICATORS, values, count);
}

FMI2(fmi2Status, fmi2GetContinuousStates)(fmi2Component c, fmi2Real values[], size_t count)
{
    return given(c, "fmi2GetContinuousStates", FMU_FIRST_STATE, FMU_STATES, values, count);
}

FMI2(fmi2Status, fmi2GetNominalsOfContinuousStates)(fmi2Component c, fmi2Real values[], size_t count)
{
    const char *function = "fmi2GetNominalsOfContinuousStates";
    const bool is_done = fmu_is_allowed(c, function, FMU_ALL) && fmu_is_count(c, function, count, FMU_STATES);
    for (size_t i = 0U; is_done && (i < count); i++) {
        values[i] = 1.0;
    }
    return status_of(is_done);
}

/* Co-simulation. */

FMI2(fmi2Status, fmi2SetRealInputDerivatives)(fmi2Component c, const fmi2ValueReference references[], size_t count,
                                              const fmi2Integer orders[], const fmi2Real values[])
{
    (void)references;
    (void)count;
    (void)orders;
    (void)values;
    return unsupported(c, "fmi2SetRealInputDerivatives");
}

FMI2(fmi2Status, fmi2GetRealOutputDerivatives)(fmi2Component c, const fmi2ValueReference references[], size_t count,
                                               const fmi2Integer orders[], fmi2Real values[])
{
    (void)references;
    (void)count;
    (void)orders;
    (void)values;
    return unsupported(c, "fmi2GetRealOutputDerivatives");
}

FMI2(fmi2Status, fmi2DoStep)(fmi2Component c, fmi2Real time, fmi2Real length, fmi2Boolean is_final)
{
    (void)is_final;
    fmi2Status status = fmi2Error;
    if (fmu_is_allowed(c, "fmi2DoStep", FMU_STEPPING)) {
        const fmu_progress progress = fmu_do_step(c, "fmi2DoStep", time, length);
        if (progress == FMU_STEP_DONE) {
            status = fmi2OK;
        } else if (progress == FMU_STEP_OVER) {
            status = fmi2Discard;
        } else {
            /* The log says what is wrong. */
        }
    }
    return status;
}

FMI2(fmi2Status, fmi2CancelStep)(fmi2Component c)
{
    return unsupported(c, "fmi2CancelStep");
}

FMI2(fmi2Status, fmi2GetStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)kind;
    (void)value;
    (void)unsupported(c, "fmi2GetStatus");
    return fmi2Discard;
}

FMI2(fmi2Status, fmi2GetRealStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    fmi2Status status = fmi2Discard;
    if (!fmu_is_allowed(c, "fmi2GetRealStatus", FMU_STEPPING | FMU_FAILED | FMU_TERMINATED)) {
        status = fmi2Error;
    } else if (kind == fmi2LastSuccessfulTime) {
        *value = ((const fmu_instance *)c)->data.time;
        status = fmi2OK;
    } else {
        /* There is no other real status. */
    }
    return status;
}

FMI2(fmi2Status, fmi2GetIntegerStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)kind;
    (void)value;
    (void)unsupported(c, "fmi2GetIntegerStatus");
    return fmi2Discard;
}

FMI2(fmi2Status, fmi2GetBooleanStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    fmi2Status status = fmi2Discard;
    if (!fmu_is_allowed(c, "fmi2GetBooleanStatus", FMU_STEPPING | FMU_FAILED | FMU_TERMINATED)) {
        status = fmi2Error;
    } else if (kind == fmi2Terminated) {
        *value = ((const fmu_instance *)c)->data.is_over ? 1 : 0;
        status = fmi2OK;
    } else {
        /* There is no other Boolean status. */
    }
    return status;
}

FMI2(fmi2Status, fmi2GetStringStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    (void)kind;
    (void)value;
    (void)unsupported(c, "fmi2GetStringStatus");
    return fmi2Discard;
}
