/* What sources expect of fmi2TypesPlatform.h beside the types. */
#ifndef fmi2TypesPlatform_h
#define fmi2TypesPlatform_h

#include "fmu_fmi2.h"

#define fmi2TypesPlatform "default"
#define fmi2True 1
#define fmi2False 0

#endif
