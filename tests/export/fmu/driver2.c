/* Loads an FMU of version 2 and uses it as an importer does:

       driver2 LIBRARY TOKEN run STEPS MULTIPLE DELTA INPUTS OUTPUTS    prints the outputs at the communication points
       driver2 LIBRARY TOKEN rules DELTA INPUT OUTPUT GAIN             fails at the first rule that is broken
       driver2 LIBRARY TOKEN many COUNT DELTA                          instantiates and frees
       driver2 LIBRARY TOKEN slopes STATES RATES POINT                 prints the rates and their derivatives by the states
       driver2 LIBRARY TOKEN derive INPUTS OUTPUTS POINTS SEEDS        prints derivatives of outputs in directions of inputs

       driver2 LIBRARY TOKEN euler STEPS DELTA STATES OUTPUTS          integrates by Euler's method, prints the outputs

   STATES is their number in `euler`. INPUTS and OUTPUTS are value references with commas between them. The input number i has in step n the value
   (n + i) * 0.25 - 1. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} callbacks_t;

static char last_message[1024];

static void logger(void *environment, const char *name, int status, const char *category, const char *text, ...)
{
    (void)environment;
    (void)name;
    (void)status;
    (void)category;
    (void)snprintf(last_message, sizeof last_message, "%s", text);
}

static const callbacks_t callbacks = {logger, calloc, free, NULL, NULL};

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
typedef int (*real_get)(fmu, const unsigned *, size_t, double *);
typedef int (*real_set)(fmu, const unsigned *, size_t, const double *);
typedef int (*step_t)(fmu, double, double, int);
typedef int (*setup_t)(fmu, int, double, double, int, double);
typedef int (*state_t)(fmu, void **);
typedef int (*array_t)(fmu, double *, size_t);

static fmu instance(const char *name, int type, const char *of)
{
    typedef fmu (*make)(const char *, int, const char *, const char *, const callbacks_t *, int, int);
    return F("fmi2Instantiate", make)(name, type, of, NULL, &callbacks, 0, 0);
}

static void release(fmu of)
{
    F("fmi2FreeInstance", void (*)(fmu))(of);
}

static fmu started(int type)
{
    fmu made = instance("one", type, token);
    if ((made == NULL) || (F("fmi2SetupExperiment", setup_t)(made, 0, 0.0, 0.0, 0, 0.0) != 0)
        || (F("fmi2EnterInitializationMode", plain)(made) != 0) || (F("fmi2ExitInitializationMode", plain)(made) != 0)) {
        (void)fprintf(stderr, "it does not start: %s\n", last_message);
        exit(2);
    }
    return made;
}

static double real_of(fmu of, unsigned reference)
{
    double value = 0.0;
    if (F("fmi2GetReal", real_get)(of, &reference, 1, &value) != 0) {
        (void)fprintf(stderr, "no value: %s\n", last_message);
        exit(2);
    }
    return value;
}

static size_t read_list(char *text, unsigned *list)
{
    size_t count = 0;
    for (char *word = strtok(text, ","); word != NULL; word = strtok(NULL, ",")) {
        list[count++] = (unsigned)strtoul(word, NULL, 10);
    }
    return count;
}

static void print(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        (void)memcpy(&bits, &values[i], sizeof bits);
        (void)printf("%s%016llx", (i == 0) ? "" : ",", (unsigned long long)bits);
    }
    (void)putchar('\n');
}

static int run(char **arguments)
{
    static unsigned inputs[1000], outputs[1000];
    const unsigned long steps = strtoul(arguments[0], NULL, 10), multiple = strtoul(arguments[1], NULL, 10);
    const double delta = strtod(arguments[2], NULL);
    const size_t input_count = read_list(arguments[3], inputs), output_count = read_list(arguments[4], outputs);
    fmu self = started(1);
    for (unsigned long n = 0; n <= steps; n += multiple) {
        double values[1000];
        for (size_t i = 0; i < input_count; i++) {
            values[i] = ((double)(n + i) * 0.25) - 1.0;
        }
        if ((F("fmi2SetReal", real_set)(self, inputs, input_count, values) != 0)
            || (F("fmi2GetReal", real_get)(self, outputs, output_count, values) != 0)) {
            (void)fprintf(stderr, "%s\n", last_message);
            return 2;
        }
        print(values, output_count);
        const int status = F("fmi2DoStep", step_t)(self, (double)n * delta, (double)multiple * delta, 1);
        if (status != 0) {
            int is_over = 0;
            double last = 0.0;
            (void)F("fmi2GetBooleanStatus", int (*)(fmu, int, int *))(self, 3, &is_over);
            (void)F("fmi2GetRealStatus", int (*)(fmu, int, double *))(self, 2, &last);
            (void)printf("status %d, over %d, time %g\n", status, is_over, last);
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
    const unsigned input = (unsigned)strtoul(arguments[1], NULL, 10), output = (unsigned)strtoul(arguments[2], NULL, 10);
    const unsigned wrong = 99999U;
    const step_t step = F("fmi2DoStep", step_t);
    const real_set set = F("fmi2SetReal", real_set);
    const real_get get = F("fmi2GetReal", real_get);
    double value = 0.0;
    RULE(strcmp(F("fmi2GetVersion", const char *(*)(void))(), "2.0") == 0)
    RULE(strcmp(F("fmi2GetTypesPlatform", const char *(*)(void))(), "default") == 0)
    /* A token of another FMU. */
    RULE(instance("one", 1, "{00000000-0000-0000-0000-000000000000}") == NULL)
    RULE(SAYS("not that of this FMU"))
    RULE(instance("", 1, token) == NULL)
    /* Modes. */
    fmu self = instance("one", 1, token);
    RULE(self != NULL)
    RULE(step(self, 0.0, delta, 1) == 3)
    RULE(SAYS("fmi2DoStep cannot be called before the initialization mode"))
    RULE(get(self, &output, 1, &value) == 3)
    RULE(F("fmi2ExitInitializationMode", plain)(self) == 3)
    RULE(F("fmi2EnterContinuousTimeMode", plain)(self) == 3)
    RULE(F("fmi2Terminate", plain)(self) == 3)
    RULE(F("fmi2SetupExperiment", setup_t)(self, 0, 0.0, 0.4 * delta, 0, 0.0) == 3)
    RULE(SAYS("not a whole multiple"))
    RULE(F("fmi2SetupExperiment", setup_t)(self, 0, 0.0, 0.0, 1, 50 * delta) == 0)
    RULE(F("fmi2EnterInitializationMode", plain)(self) == 0)
    RULE(F("fmi2EnterInitializationMode", plain)(self) == 3)
    RULE(F("fmi2ExitInitializationMode", plain)(self) == 0)
    RULE(F("fmi2SetupExperiment", setup_t)(self, 0, 0.0, 0.0, 0, 0.0) == 3)
    /* Value references. */
    RULE(get(self, &wrong, 1, &value) == 3)
    RULE(SAYS("fmi2GetReal: there is no variable with the value reference 99999"))
    RULE(set(self, &wrong, 1, &value) == 3)
    RULE(set(self, &output, 1, &value) == 3)
    RULE(F("fmi2GetInteger", int (*)(fmu, const unsigned *, size_t, int *))(self, &input, 1, NULL) == 3)
    RULE(F("fmi2GetInteger", int (*)(fmu, const unsigned *, size_t, int *))(self, NULL, 0, NULL) == 0)
    /* Communication steps: nothing changes if one is refused. */
    const double before = real_of(self, output);
    RULE(step(self, 0.0, 1.5 * delta, 1) == 3)
    RULE(SAYS("not a whole multiple of the step"))
    RULE(step(self, 0.0, 0.0, 1) == 3)
    RULE(step(self, 0.0, -delta, 1) == 3)
    RULE(step(self, 0.0, 0.0 / (delta - delta), 1) == 3)
    RULE(step(self, delta, delta, 1) == 3)
    RULE(SAYS("the communication point is"))
    RULE(step(self, 0.0, 51 * delta, 1) == 3)
    RULE(SAYS("after the stop time"))
    RULE(real_of(self, output) == before)
    RULE(real_of(self, 0) == 0.0)
    /* A second instance has values of its own. */
    fmu other = started(1);
    value = 4.0;
    RULE(set(other, &input, 1, &value) == 0)
    for (int n = 0; n < 10; n++) {
        RULE(step(self, n * delta, delta, 1) == 0)
        RULE(step(other, n * delta, delta, 1) == 0)
    }
    const double of_self = real_of(self, output), of_other = real_of(other, output);
    RULE(of_self != of_other)
    RULE(real_of(self, 0) == 10 * delta)
    /* A state that is kept: the same steps lead to the same values. */
    void *state = NULL;
    RULE(F("fmi2GetFMUstate", state_t)(self, &state) == 0)
    size_t size = 0;
    RULE(F("fmi2SerializedFMUstateSize", int (*)(fmu, void *, size_t *))(self, state, &size) == 0)
    char *bytes = malloc(size);
    RULE(F("fmi2SerializeFMUstate", int (*)(fmu, void *, char *, size_t))(self, state, bytes, size - 1) == 3)
    RULE(F("fmi2SerializeFMUstate", int (*)(fmu, void *, char *, size_t))(self, state, bytes, size) == 0)
    RULE(step(self, 10 * delta, 5 * delta, 1) == 0)
    const double later = real_of(self, output);
    RULE(later != of_self)
    RULE(F("fmi2SetFMUstate", int (*)(fmu, void *))(self, state) == 0)
    RULE(real_of(self, output) == of_self)
    RULE(step(self, 10 * delta, 5 * delta, 1) == 0)
    RULE(real_of(self, output) == later)
    /* And in another instance, from its bytes. */
    void *again = NULL;
    RULE(F("fmi2DeSerializeFMUstate", int (*)(fmu, const char *, size_t, void **))(other, bytes, size, &again) == 0)
    RULE(F("fmi2SetFMUstate", int (*)(fmu, void *))(other, again) == 0)
    for (int n = 10; n < 15; n++) {
        RULE(step(other, n * delta, delta, 1) == 0)
    }
    RULE(real_of(other, output) == later)
    bytes[3] ^= 1;
    RULE(F("fmi2DeSerializeFMUstate", int (*)(fmu, const char *, size_t, void **))(other, bytes, size, &again) == 3)
    free(bytes);
    RULE(F("fmi2FreeFMUstate", state_t)(self, &state) == 0)
    RULE(state == NULL)
    RULE(F("fmi2FreeFMUstate", state_t)(other, &again) == 0)
    /* From the beginning. */
    RULE(F("fmi2Reset", plain)(self) == 0)
    RULE(F("fmi2EnterInitializationMode", plain)(self) == 0)
    RULE(F("fmi2ExitInitializationMode", plain)(self) == 0)
    RULE(real_of(self, output) == before)
    RULE(step(self, 0.0, 10 * delta, 1) == 0)
    RULE(real_of(self, output) == of_self)
    /* Without a gain, the input has no effect from here on; the parameter keeps its value. */
    const unsigned gain = (unsigned)strtoul(arguments[3], NULL, 10);
    value = 0.0;
    RULE(set(self, &gain, 1, &value) == 0)
    RULE(step(self, 10 * delta, 5 * delta, 1) == 0)
    RULE(real_of(self, output) == of_self)
    RULE(real_of(self, gain) == 0.0)
    RULE(F("fmi2Terminate", plain)(self) == 0)
    RULE(step(self, 15 * delta, delta, 1) == 3)
    RULE(real_of(self, output) == of_self)
    /* Messages. */
    const char *categories[] = {"logEvents", "nothing"};
    typedef int (*logging)(fmu, int, size_t, const char *const *);
    RULE(F("fmi2SetDebugLogging", logging)(other, 1, 1, categories) == 0)
    RULE(F("fmi2SetDebugLogging", logging)(other, 1, 2, categories) == 3)
    RULE(SAYS("there is no category nothing"))
    /* No instance at all is an error, no crash. */
    RULE(step(NULL, 0.0, delta, 1) == 3)
    RULE(get(NULL, &output, 1, &value) == 3)
    release(NULL);
    release(self);
    release(other);
    return 0;
}

static int many(char **arguments)
{
    const unsigned long count = strtoul(arguments[0], NULL, 10);
    const double delta = strtod(arguments[1], NULL);
    for (unsigned long n = 0; n < count; n++) {
        fmu self = started(1);
        void *state = NULL;
        if ((F("fmi2DoStep", step_t)(self, 0.0, delta, 1) != 0) || (F("fmi2GetFMUstate", state_t)(self, &state) != 0)) {
            (void)fprintf(stderr, "%s\n", last_message);
            return 2;
        }
        (void)F("fmi2FreeFMUstate", state_t)(self, &state);
        release(self);
    }
    return 0;
}

static int slopes(char **arguments)
{
    static unsigned states[100], rates[100];
    double point[100], values[100];
    const size_t count = read_list(arguments[0], states);
    (void)read_list(arguments[1], rates);
    size_t read = 0;
    for (char *word = strtok(arguments[2], ","); word != NULL; word = strtok(NULL, ",")) {
        point[read++] = strtod(word, NULL);
    }
    fmu self = started(0);
    int info[16];
    const double one = 1.0;
    if ((F("fmi2NewDiscreteStates", int (*)(fmu, void *))(self, info) != 0)
        || (F("fmi2EnterContinuousTimeMode", plain)(self) != 0)
        || (F("fmi2SetContinuousStates", array_t)(self, point, count) != 0)
        || (F("fmi2GetDerivatives", array_t)(self, values, count) != 0)) {
        (void)fprintf(stderr, "%s\n", last_message);
        return 2;
    }
    print(values, count);
    typedef int (*derive)(fmu, const unsigned *, size_t, const unsigned *, size_t, const double *, double *);
    for (size_t i = 0; i < count; i++) {
        if (F("fmi2GetDirectionalDerivative", derive)(self, rates, count, &states[i], 1, &one, values) != 0) {
            (void)fprintf(stderr, "%s\n", last_message);
            return 2;
        }
        print(values, count);
    }
    release(self);
    return 0;
}

static size_t read_numbers(char *text, double *numbers)
{
    size_t count = 0;
    for (char *word = strtok(text, ","); word != NULL; word = strtok(NULL, ",")) {
        numbers[count++] = strtod(word, NULL);
    }
    return count;
}

static int derive(char **arguments)
{
    static unsigned inputs[100], outputs[1000];
    static double points[10000], seeds[10000], values[1000];
    const size_t input_count = read_list(arguments[0], inputs), output_count = read_list(arguments[1], outputs);
    const size_t point_count = read_numbers(arguments[2], points) / input_count;
    const size_t seed_count = read_numbers(arguments[3], seeds) / input_count;
    fmu self = started(1);
    typedef int (*derive_t)(fmu, const unsigned *, size_t, const unsigned *, size_t, const double *, double *);
    for (size_t point = 0; point < point_count; point++) {
        if (F("fmi2SetReal", real_set)(self, inputs, input_count, &points[point * input_count]) != 0) {
            return 2;
        }
        for (size_t seed = 0; seed < seed_count; seed++) {
            if (F("fmi2GetDirectionalDerivative", derive_t)(self, outputs, output_count, inputs, input_count,
                                                            &seeds[seed * input_count], values) != 0) {
                (void)fprintf(stderr, "%s\n", last_message);
                return 2;
            }
            print(values, output_count);
        }
    }
    release(self);
    return 0;
}

static int euler(char **arguments)
{
    static unsigned outputs[1000];
    static double states[10000], rates[10000], values[1000];
    const unsigned long steps = strtoul(arguments[0], NULL, 10);
    const double delta = strtod(arguments[1], NULL);
    const size_t state_count = strtoul(arguments[2], NULL, 10), output_count = read_list(arguments[3], outputs);
    fmu self = started(0);
    int info[16];
    bool is_done = (F("fmi2NewDiscreteStates", int (*)(fmu, void *))(self, info) == 0)
        && (F("fmi2EnterContinuousTimeMode", plain)(self) == 0)
        && (F("fmi2GetContinuousStates", array_t)(self, states, state_count) == 0);
    for (unsigned long n = 0; is_done && (n <= steps); n++) {
        is_done = (F("fmi2SetTime", int (*)(fmu, double))(self, (double)n * delta) == 0)
            && (F("fmi2SetContinuousStates", array_t)(self, states, state_count) == 0)
            && (F("fmi2GetReal", real_get)(self, outputs, output_count, values) == 0)
            && (F("fmi2GetDerivatives", array_t)(self, rates, state_count) == 0);
        print(values, output_count);
        for (size_t i = 0; i < state_count; i++) {
            const double change = delta * rates[i];
            states[i] = states[i] + change;
        }
    }
    (void)fprintf(stderr, "%s\n", last_message);
    release(self);
    return is_done ? 0 : 2;
}

int main(int count, char *arguments[])
{
    library = (count > 3) ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        (void)fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    token = arguments[2];
    int code = 2;
    if (strcmp(arguments[3], "run") == 0) {
        code = run(arguments + 4);
    } else if (strcmp(arguments[3], "rules") == 0) {
        code = rules(arguments + 4);
    } else if (strcmp(arguments[3], "many") == 0) {
        code = many(arguments + 4);
    } else if (strcmp(arguments[3], "slopes") == 0) {
        code = slopes(arguments + 4);
    } else if (strcmp(arguments[3], "euler") == 0) {
        code = euler(arguments + 4);
    } else if (strcmp(arguments[3], "derive") == 0) {
        code = derive(arguments + 4);
    }
    return code;
}
