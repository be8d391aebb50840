/* The functions of FMI 3.0, in our own words: they are defined by the standard, fmi-standard.org. Sources of an FMU
   include this header, which they do not have with them. */
#ifndef fmi3Functions_h
#define fmi3Functions_h

#include "fmi3FunctionTypes.h"

#ifndef FMI3_Export
#if defined(_WIN32)
#define FMI3_Export __declspec(dllexport)
#else
#define FMI3_Export __attribute__((visibility("default")))
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

FMI3_Export const char *fmi3GetVersion(void);
FMI3_Export fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean is_on, size_t count, const fmi3String
    categories[]);
FMI3_Export fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean is_visible, fmi3Boolean is_logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback
    logger);
FMI3_Export fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean is_visible, fmi3Boolean is_logging, fmi3Boolean has_event_mode, fmi3Boolean may_return_early, const
    fmi3ValueReference intermediate[], size_t intermediate_count, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback logger, fmi3IntermediateUpdateCallback update);
FMI3_Export fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean is_visible, fmi3Boolean is_logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback
    logger, fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock);
FMI3_Export void fmi3FreeInstance(fmi3Instance c);
FMI3_Export fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
    fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop);
FMI3_Export fmi3Status fmi3ExitInitializationMode(fmi3Instance c);
FMI3_Export fmi3Status fmi3Terminate(fmi3Instance c);
FMI3_Export fmi3Status fmi3Reset(fmi3Instance c);
FMI3_Export fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Float64
    values[], size_t value_count);
FMI3_Export fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference references[], size_t count, const
    fmi3Float64 values[], size_t value_count);
FMI3_Export fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference references[], size_t count, size_t
    sizes[], fmi3Binary values[], size_t value_count);
FMI3_Export fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference references[], size_t count, const size_t
    sizes[], const fmi3Binary values[], size_t value_count);
FMI3_Export fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Clock
    values[]);
FMI3_Export fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference references[], size_t count, const
    fmi3Clock values[]);
FMI3_Export fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference reference, size_t
    *count);
FMI3_Export fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference dependent, size_t
    of_dependent[], fmi3ValueReference independents[], size_t of_independents[], fmi3DependencyKind kinds[], size_t
    count);
FMI3_Export fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state);
FMI3_Export fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state);
FMI3_Export fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state);
FMI3_Export fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size);
FMI3_Export fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size);
FMI3_Export fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState
    *state);
FMI3_Export fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t
    unknown_count, const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seeds[], size_t
    seed_count, fmi3Float64 results[], size_t result_count);
FMI3_Export fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t
    unknown_count, const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seeds[], size_t
    seed_count, fmi3Float64 results[], size_t result_count);
FMI3_Export fmi3Status fmi3EnterConfigurationMode(fmi3Instance c);
FMI3_Export fmi3Status fmi3ExitConfigurationMode(fmi3Instance c);
FMI3_Export fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference references[], size_t count,
    fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]);
FMI3_Export fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference references[], size_t count,
    fmi3UInt64 counters[], fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[]);
FMI3_Export fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference references[], size_t count,
    fmi3Float64 shifts[]);
FMI3_Export fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference references[], size_t count,
    fmi3UInt64 counters[], fmi3UInt64 resolutions[]);
FMI3_Export fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference references[], size_t count,
    const fmi3Float64 intervals[]);
FMI3_Export fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference references[], size_t count,
    const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]);
FMI3_Export fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference references[], size_t count, const
    fmi3Float64 shifts[]);
FMI3_Export fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference references[], size_t count, const
    fmi3UInt64 counters[], const fmi3UInt64 resolutions[]);
FMI3_Export fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time);
FMI3_Export fmi3Status fmi3EnterEventMode(fmi3Instance c);
FMI3_Export fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c);
FMI3_Export fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *is_needed, fmi3Boolean *ends, fmi3Boolean
    *changes_nominals, fmi3Boolean *changes_states, fmi3Boolean *has_next, fmi3Float64 *next);
FMI3_Export fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c);
FMI3_Export fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean is_final, fmi3Boolean
    *enters_event_mode, fmi3Boolean *ends);
FMI3_Export fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time);
FMI3_Export fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 states[], size_t count);
FMI3_Export fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 values[], size_t count);
FMI3_Export fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 values[], size_t count);
FMI3_Export fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 values[], size_t count);
FMI3_Export fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 values[], size_t count);
FMI3_Export fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *count);
FMI3_Export fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *count);
FMI3_Export fmi3Status fmi3EnterStepMode(fmi3Instance c);
FMI3_Export fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference references[], size_t count,
    const fmi3Int32 orders[], fmi3Float64 values[], size_t value_count);
FMI3_Export fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 length, fmi3Boolean is_final,
    fmi3Boolean *needs_event, fmi3Boolean *ends, fmi3Boolean *is_early, fmi3Float64 *last);
FMI3_Export fmi3Status fmi3GetFloat32(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Float32
    values[], size_t value_count);
FMI3_Export fmi3Status fmi3SetFloat32(fmi3Instance c, const fmi3ValueReference references[], size_t count, const
    fmi3Float32 values[], size_t value_count);
FMI3_Export fmi3Status fmi3GetInt8(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Int8
    values[], size_t value_count);
FMI3_Export fmi3Status fmi3SetInt8(fmi3Instance c, const fmi3ValueReference references[], size_t count, const fmi3Int8
    values[], size_t value_count);
FMI3_Export fmi3Status fmi3GetUInt8(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3UInt8
    values[], size_t value_count);
FMI3_Export fmi3Status fmi3SetUInt8(fmi3Instance c, const fmi3ValueReference references[], size_t count, const
    fmi3UInt8 values[], size_t value_count);
FMI3_Export fmi3Status fmi3GetInt16(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Int16
    values[], size_t value_count);
FMI3_Export fmi3Status fmi3SetInt16(fmi3Instance c, const fmi3ValueReference references[], size_t count, const
    fmi3Int16 values[], size_t value_count);
FMI3_Export fmi3Status fmi3GetUInt16(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3UInt16
    values[], size_t value_count);
FMI3_Export fmi3Status fmi3SetUInt16(fmi3Instance c, const fmi3ValueReference references[], size_t count, const
    fmi3UInt16 values[], size_t value_count);
FMI3_Export fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Int32
    values[], size_t value_count);
FMI3_Export fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference references[], size_t count, const
    fmi3Int32 values[], size_t value_count);
FMI3_Export fmi3Status fmi3GetUInt32(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3UInt32
    values[], size_t value_count);
FMI3_Export fmi3Status fmi3SetUInt32(fmi3Instance c, const fmi3ValueReference references[], size_t count, const
    fmi3UInt32 values[], size_t value_count);
FMI3_Export fmi3Status fmi3GetInt64(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Int64
    values[], size_t value_count);
FMI3_Export fmi3Status fmi3SetInt64(fmi3Instance c, const fmi3ValueReference references[], size_t count, const
    fmi3Int64 values[], size_t value_count);
FMI3_Export fmi3Status fmi3GetUInt64(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3UInt64
    values[], size_t value_count);
FMI3_Export fmi3Status fmi3SetUInt64(fmi3Instance c, const fmi3ValueReference references[], size_t count, const
    fmi3UInt64 values[], size_t value_count);
FMI3_Export fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Boolean
    values[], size_t value_count);
FMI3_Export fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference references[], size_t count, const
    fmi3Boolean values[], size_t value_count);
FMI3_Export fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3String
    values[], size_t value_count);
FMI3_Export fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference references[], size_t count, const
    fmi3String values[], size_t value_count);

#ifdef __cplusplus
}
#endif
#endif
