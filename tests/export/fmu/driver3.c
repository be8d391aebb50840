/* Loads an FMU of version 3, in which variables are vectors:

       driver3 LIBRARY TOKEN run STEPS DELTA INPUTS INPUT_ELEMENTS OUTPUTS OUTPUT_ELEMENTS
       driver3 LIBRARY TOKEN rules DELTA VECTOR ELEMENTS OUTPUT

   `run` prints the outputs of each step; the element i of all inputs has in step n the value (n + i) * 0.25 - 1. `rules`
   fails at the first rule that is broken. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char last_message[1024];

static void logger(void *environment, int status, const char *category, const char *text)
{
    (void)environment;
    (void)status;
    (void)category;
    (void)snprintf(last_message, sizeof last_message, "%s", text);
}

static void *library;
static const char *token;

static void *function(const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL) {
        (void)fprintf(stderr, "there is no %s\n", name);
        exit(2);
    }
    return found;
}

#define F(name, type) ((type)function(name))
typedef void *fmu;
typedef int (*plain)(fmu);
typedef int (*real_get)(fmu, const uint32_t *, size_t, double *, size_t);
typedef int (*real_set)(fmu, const uint32_t *, size_t, const double *, size_t);
typedef int (*enter_t)(fmu, bool, double, double, bool, double);
typedef int (*step_t)(fmu, double, double, bool, bool *, bool *, bool *, double *);

static fmu instance(const char *of, bool has_event_mode)
{
    typedef fmu (*make)(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *,
                        void (*)(void *, int, const char *, const char *), void *);
    return F("fmi3InstantiateCoSimulation", make)("one", of, NULL, false, false, has_event_mode, false, NULL, 0, NULL, logger,
                                                  NULL);
}

static fmu started(void)
{
    fmu made = instance(token, false);
    if ((made == NULL) || (F("fmi3EnterInitializationMode", enter_t)(made, false, 0.0, 0.0, false, 0.0) != 0)
        || (F("fmi3ExitInitializationMode", plain)(made) != 0)) {
        (void)fprintf(stderr, "it does not start: %s\n", last_message);
        exit(2);
    }
    return made;
}

static void release(fmu of)
{
    F("fmi3FreeInstance", void (*)(fmu))(of);
}

static size_t read_list(char *text, uint32_t *list)
{
    size_t count = 0;
    for (char *word = strtok(text, ","); word != NULL; word = strtok(NULL, ",")) {
        list[count++] = (uint32_t)strtoul(word, NULL, 10);
    }
    return count;
}

static int run(char **arguments)
{
    static uint32_t inputs[1000], outputs[1000];
    static double values[10000];
    const unsigned long steps = strtoul(arguments[0], NULL, 10);
    const double delta = strtod(arguments[1], NULL);
    const size_t input_count = read_list(arguments[2], inputs), input_elements = strtoul(arguments[3], NULL, 10);
    const size_t output_count = read_list(arguments[4], outputs), output_elements = strtoul(arguments[5], NULL, 10);
    fmu self = started();
    for (unsigned long n = 0; n <= steps; n++) {
        for (size_t i = 0; i < input_elements; i++) {
            values[i] = ((double)(n + i) * 0.25) - 1.0;
        }
        if ((F("fmi3SetFloat64", real_set)(self, inputs, input_count, values, input_elements) != 0)
            || (F("fmi3GetFloat64", real_get)(self, outputs, output_count, values, output_elements) != 0)) {
            (void)fprintf(stderr, "%s\n", last_message);
            return 2;
        }
        for (size_t i = 0; i < output_elements; i++) {
            uint64_t bits;
            (void)memcpy(&bits, &values[i], sizeof bits);
            (void)printf("%s%016llx", (i == 0) ? "" : ",", (unsigned long long)bits);
        }
        (void)putchar('\n');
        bool needs = true, ends = true, is_early = true;
        double last = -1.0;
        const int status = F("fmi3DoStep", step_t)(self, (double)n * delta, delta, true, &needs, &ends, &is_early, &last);
        if ((status != 0) || ends) {
            (void)printf("status %d, ends %d, early %d, time %g\n", status, ends, is_early, last);
            break;
        }
    }
    release(self);
    return 0;
}

#define RULE(condition)                                                                     \
    if (!(condition)) {                                                                     \
        (void)fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, last_message);     \
        return 1;                                                                           \
    }
#define SAYS(text) (strstr(last_message, text) != NULL)

static int rules(char **arguments)
{
    const double delta = strtod(arguments[0], NULL);
    const uint32_t vector = (uint32_t)strtoul(arguments[1], NULL, 10);
    const size_t elements = strtoul(arguments[2], NULL, 10);
    const uint32_t output = (uint32_t)strtoul(arguments[3], NULL, 10);
    const uint32_t inside = vector + 1U;
    const real_get get = F("fmi3GetFloat64", real_get);
    const real_set set = F("fmi3SetFloat64", real_set);
    double values[100] = {0.0};
    bool needs, ends, is_early;
    double last;
    RULE(strcmp(F("fmi3GetVersion", const char *(*)(void))(), "3.0") == 0)
    RULE(instance("{00000000-0000-0000-0000-000000000000}", false) == NULL)
    RULE(SAYS("not that of this FMU"))
    RULE(instance(token, true) == NULL)
    RULE(SAYS("no event mode"))
    fmu self = instance(token, false);
    RULE(self != NULL)
    const step_t step = F("fmi3DoStep", step_t);
    RULE(step(self, 0.0, delta, true, &needs, &ends, &is_early, &last) == 3)
    RULE(SAYS("before the initialization mode"))
    RULE(F("fmi3EnterStepMode", plain)(self) == 3)
    RULE(F("fmi3EnterConfigurationMode", plain)(self) == 3)
    RULE(F("fmi3EnterInitializationMode", enter_t)(self, false, 0.0, 0.5 * delta, false, 0.0) == 3)
    RULE(F("fmi3EnterInitializationMode", enter_t)(self, false, 0.0, 2 * delta, false, 0.0) == 0)
    RULE(F("fmi3ExitInitializationMode", plain)(self) == 0)
    /* A vector is given whole. */
    RULE(get(self, &vector, 1, values, elements) == 0)
    RULE(get(self, &vector, 1, values, elements - 1) == 3)
    RULE(SAYS("elements, not"))
    RULE(get(self, &inside, 1, values, 1) == 3)
    RULE(SAYS("there is no variable with the value reference"))
    RULE(set(self, &output, 1, values, 1) == 3)
    RULE(F("fmi3GetInt32", int (*)(fmu, const uint32_t *, size_t, int32_t *, size_t))(self, &output, 1, NULL, 1) == 3)
    /* It begins at the start time. */
    RULE(step(self, 0.0, delta, true, &needs, &ends, &is_early, &last) == 3)
    RULE(step(self, 2 * delta, 3 * delta, true, &needs, &ends, &is_early, &last) == 0)
    RULE(!needs && !ends && !is_early && (last == 5 * delta))
    RULE(step(self, 5 * delta, 0.5 * delta, true, &needs, &ends, &is_early, &last) == 3)
    /* A state. */
    void *state = NULL;
    double before = 0.0, after = 0.0, again = 0.0;
    RULE(get(self, &output, 1, &before, 1) == 0)
    RULE(F("fmi3GetFMUState", int (*)(fmu, void **))(self, &state) == 0)
    RULE(step(self, 5 * delta, 4 * delta, true, &needs, &ends, &is_early, &last) == 0)
    RULE(get(self, &output, 1, &after, 1) == 0)
    RULE(after != before)
    RULE(F("fmi3SetFMUState", int (*)(fmu, void *))(self, state) == 0)
    RULE(get(self, &output, 1, &again, 1) == 0)
    RULE(again == before)
    RULE(F("fmi3FreeFMUState", int (*)(fmu, void **))(self, &state) == 0)
    RULE(F("fmi3Reset", plain)(self) == 0)
    RULE(F("fmi3EnterInitializationMode", enter_t)(self, false, 0.0, 0.0, false, 0.0) == 0)
    RULE(F("fmi3Terminate", plain)(self) == 3)
    RULE(F("fmi3ExitInitializationMode", plain)(self) == 0)
    RULE(F("fmi3Terminate", plain)(self) == 0)
    release(self);
    release(NULL);
    return 0;
}

int main(int count, char *arguments[])
{
    library = (count > 3) ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        (void)fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    token = arguments[2];
    return (strcmp(arguments[3], "run") == 0) ? run(arguments + 4) : rules(arguments + 4);
}
