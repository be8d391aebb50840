/* Two blocks: the product of a vector and a number, and a first-order lag with a reset. */
#include "simulate_plugin.h"

SIMULATE_DESCRIPTION("gain.json");

enum { GAIN, LAG };

int32_t simulate_outputs(int32_t block, const simulate_call *call) {
    if (block == GAIN) {
        double gain = call->param[0].at[0];
        for (uint32_t i = 0; i < call->output[0].width; i++) {
            call->output[0].at[i] = gain * call->input[0].at[i];
        }
        return 0;
    }
    /* Both outputs are states: the block needs no input in the same step and may close a loop. */
    call->output[0].at[0] = call->state[0].at[0];
    call->output[1].at[0] = call->state[1].at[0];
    return 0;
}

int32_t simulate_update(int32_t block, const simulate_call *call) {
    (void)block;
    /* Counts the steps in which the input is above the limit. */
    double is_above = call->input[0].at[0] > call->param[1].at[0] ? 1.0 : 0.0;
    call->next[1].at[0] = call->state[1].at[0] + is_above;
    return 0;
}

int32_t simulate_derivatives(int32_t block, const simulate_call *call) {
    (void)block;
    double time_constant = call->param[0].at[0];
    if (time_constant == 0.0) {
        simulate_print("the time constant is 0", 22);
        return 1;
    }
    call->rate[0].at[0] = (call->input[0].at[0] - call->state[0].at[0]) / time_constant;
    return 0;
}
