/* What sources expect of fmi3PlatformTypes.h beside the types. */
#ifndef fmi3PlatformTypes_h
#define fmi3PlatformTypes_h

#include "fmu_fmi3.h"

#define fmi3True true
#define fmi3False false
#define fmi3ClockActive true
#define fmi3ClockInactive false

#endif
