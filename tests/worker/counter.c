/* A co-simulation FMU that counts by STEP, whose headers are not with it. */
#include "fmi3Functions.h"
#include "count.h"

#include <stdlib.h>

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean is_visible,
                                         fmi3Boolean is_logging, fmi3Boolean has_event_mode, fmi3Boolean may_return,
                                         const fmi3ValueReference needed[], size_t count,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger,
                                         fmi3IntermediateUpdateCallback update)
{
    return calloc(1, sizeof(double));
}

void fmi3FreeInstance(fmi3Instance instance)
{
    free(instance);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop)
{
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance instance)
{
    return fmi3OK;
}

fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                         const fmi3String values[], size_t value_count)
{
    return fmi3Error;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                          fmi3Float64 values[], size_t value_count)
{
    values[0] = *(double *)instance;
    return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 time, fmi3Float64 length, fmi3Boolean is_final,
                      fmi3Boolean *needs_event, fmi3Boolean *ends, fmi3Boolean *is_early, fmi3Float64 *last)
{
    *needs_event = *ends = *is_early = fmi3False;
    *last = time + length;
    *(double *)instance += COUNT(STEP);
    return fmi3OK;
}
