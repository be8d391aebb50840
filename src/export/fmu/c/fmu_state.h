/* Copies of the state of an instance, and which messages it gives. */
#ifndef FMU_STATE_H
#define FMU_STATE_H

#include "fmu_instance.h"

/* Copies the state of the instance to a place that it makes if there is none. */
static bool fmu_save(const fmu_instance *self, const char *function, void **state)
{
    bool is_done = state != NULL;
    if (is_done && (*state == NULL)) {
        *state = malloc(sizeof(fmu_data));
        is_done = *state != NULL;
    }
    if (is_done) {
        (void)memcpy(*state, &self->data, sizeof(fmu_data));
    } else {
        fmu_log(self, true, "%s: there is no memory for a state", function);
    }
    return is_done;
}

static bool fmu_restore(fmu_instance *self, const char *function, const void *state)
{
    if (state == NULL) {
        fmu_log(self, true, "%s: there is no state", function);
    } else {
        (void)memcpy(&self->data, state, sizeof(fmu_data));
    }
    return state != NULL;
}

#define FMU_STATE_SIZE (sizeof FMU_TOKEN + sizeof(fmu_data))

/* Writes a state behind the token of the FMU. The bytes are those of this machine. */
static bool fmu_serialize(const fmu_instance *self, const char *function, const void *state, void *bytes, size_t size)
{
    const bool is_done = (state != NULL) && (bytes != NULL) && (size >= FMU_STATE_SIZE);
    if (is_done) {
        (void)memcpy(bytes, FMU_TOKEN, sizeof FMU_TOKEN);
        (void)memcpy((char *)bytes + sizeof FMU_TOKEN, state, sizeof(fmu_data));
    } else {
        fmu_log(self, true, "%s: a state needs %zu bytes", function, FMU_STATE_SIZE);
    }
    return is_done;
}

static bool fmu_deserialize(const fmu_instance *self, const char *function, const void *bytes, size_t size, void **state)
{
    bool is_done = (bytes != NULL) && (state != NULL) && (size >= FMU_STATE_SIZE)
        && (memcmp(bytes, FMU_TOKEN, sizeof FMU_TOKEN) == 0);
    if (is_done && (*state == NULL)) {
        *state = malloc(sizeof(fmu_data));
        is_done = *state != NULL;
    }
    if (is_done) {
        (void)memcpy(*state, (const char *)bytes + sizeof FMU_TOKEN, sizeof(fmu_data));
    } else {
        fmu_log(self, true, "%s: these are not the %zu bytes of a state of this FMU", function, FMU_STATE_SIZE);
    }
    return is_done;
}

static void fmu_drop(void **state)
{
    if (state != NULL) {
        free(*state);
        *state = NULL;
    }
}

/* The two categories of messages. */
#define FMU_ERRORS "logStatusError"
#define FMU_EVENTS "logEvents"

static bool fmu_set_logging(fmu_instance *self, const char *function, bool is_on, size_t count,
                            const char *const categories[])
{
    bool is_done = fmu_is_allowed(self, function, FMU_ALL);
    bool has_events = count == 0U;
    for (size_t i = 0U; is_done && (i < count); i++) {
        const char *category = (categories[i] == NULL) ? "" : categories[i];
        has_events = has_events || (strcmp(category, FMU_EVENTS) == 0);
        if ((strcmp(category, FMU_EVENTS) != 0) && (strcmp(category, FMU_ERRORS) != 0)) {
            fmu_log(self, true, "%s: there is no category %.60s", function, category);
            is_done = false;
        }
    }
    if (is_done && has_events) {
        self->is_logging = is_on;
    }
    return is_done;
}

#endif
