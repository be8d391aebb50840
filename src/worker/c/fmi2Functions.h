/* The functions of FMI 2.0, in our own words: they are defined by the standard, fmi-standard.org. Sources of an FMU
   include this header, which they do not have with them. */
#ifndef fmi2Functions_h
#define fmi2Functions_h

#include "fmi2FunctionTypes.h"

#ifndef FMI2_Export
#if defined(_WIN32)
#define FMI2_Export __declspec(dllexport)
#else
#define FMI2_Export __attribute__((visibility("default")))
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

FMI2_Export const char *fmi2GetTypesPlatform(void);
FMI2_Export const char *fmi2GetVersion(void);
FMI2_Export fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean is_on, size_t count, const fmi2String
    categories[]);
FMI2_Export fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String token, fmi2String resources,
    const fmi2CallbackFunctions *functions, fmi2Boolean is_visible, fmi2Boolean is_logging);
FMI2_Export void fmi2FreeInstance(fmi2Component c);
FMI2_Export fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real
    start, fmi2Boolean has_stop, fmi2Real stop);
FMI2_Export fmi2Status fmi2EnterInitializationMode(fmi2Component c);
FMI2_Export fmi2Status fmi2ExitInitializationMode(fmi2Component c);
FMI2_Export fmi2Status fmi2Terminate(fmi2Component c);
FMI2_Export fmi2Status fmi2Reset(fmi2Component c);
FMI2_Export fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real
    values[]);
FMI2_Export fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, const
    fmi2Real values[]);
FMI2_Export fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state);
FMI2_Export fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state);
FMI2_Export fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state);
FMI2_Export fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size);
FMI2_Export fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size);
FMI2_Export fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate
    *state);
FMI2_Export fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t
    unknown_count, const fmi2ValueReference knowns[], size_t known_count, const fmi2Real seeds[], fmi2Real results[]);
FMI2_Export fmi2Status fmi2EnterEventMode(fmi2Component c);
FMI2_Export fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info);
FMI2_Export fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c);
FMI2_Export fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean is_final, fmi2Boolean
    *enters_event_mode, fmi2Boolean *ends);
FMI2_Export fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time);
FMI2_Export fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real states[], size_t count);
FMI2_Export fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real values[], size_t count);
FMI2_Export fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real values[], size_t count);
FMI2_Export fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real values[], size_t count);
FMI2_Export fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real values[], size_t count);
FMI2_Export fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t
    count, const fmi2Integer orders[], const fmi2Real values[]);
FMI2_Export fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t
    count, const fmi2Integer orders[], fmi2Real values[]);
FMI2_Export fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real length, fmi2Boolean is_final);
FMI2_Export fmi2Status fmi2CancelStep(fmi2Component c);
FMI2_Export fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value);
FMI2_Export fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value);
FMI2_Export fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value);
FMI2_Export fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value);
FMI2_Export fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value);
FMI2_Export fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference references[], size_t count,
    fmi2Integer values[]);
FMI2_Export fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference references[], size_t count, const
    fmi2Integer values[]);
FMI2_Export fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference references[], size_t count,
    fmi2Boolean values[]);
FMI2_Export fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference references[], size_t count, const
    fmi2Boolean values[]);
FMI2_Export fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2String
    values[]);
FMI2_Export fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference references[], size_t count, const
    fmi2String values[]);

#ifdef __cplusplus
}
#endif
#endif
