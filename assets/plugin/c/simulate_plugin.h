/*
 * Plug-ins for Simulate in C: blocks that are compiled to WebAssembly. README.md says how; gain.c is an example.
 *
 * A plug-in exports one function for all its blocks, and two more if a block has states:
 *
 *   simulate_outputs      computes the outputs; needed always
 *   simulate_update       computes the next values of the discrete states
 *   simulate_derivatives  computes the rates of change of the continuous states, per second
 *
 * `block` is the number of the block in the description, from 0. Each function is pure: it computes its results from
 * the call alone and keeps no values between calls, not in global variables either. What must last is a state. It
 * returns 0, or another number if there is no result; the run then ends, and shows what simulate_print was told.
 */
#ifndef SIMULATE_PLUGIN_H
#define SIMULATE_PLUGIN_H

#include <stdint.h>

/* The elements of a vector; a scalar has one. */
typedef struct {
    double *at;
    uint32_t width;
} simulate_signal;

/* A call: what a function reads, and where its results go. All tables are in the order of the description. */
typedef struct {
    /* The time in seconds, the step size in seconds, the number of the step from 0. The time and the number are 0 if
       the description does not say `"time": true`. In a block with a sample time, they are those of its samples. */
    double time, delta, step;
    const simulate_signal *input;
    const simulate_signal *param;
    const simulate_signal *state;
    /* Results of simulate_outputs. What is not set is not-a-number. */
    const simulate_signal *output;
    /* Results of simulate_update: one for each state; those of continuous states are ignored. */
    const simulate_signal *next;
    /* Results of simulate_derivatives: one for each state; those of discrete states are ignored. */
    const simulate_signal *rate;
    /* The lengths of the tables; those of next and rate are that of state. */
    uint32_t inputs, params, states, outputs;
} simulate_call;

#define SIMULATE_EXPORT(name) __attribute__((export_name(name), visibility("default")))

SIMULATE_EXPORT("simulate_outputs") int32_t simulate_outputs(int32_t block, const simulate_call *call);
SIMULATE_EXPORT("simulate_update") int32_t simulate_update(int32_t block, const simulate_call *call);
SIMULATE_EXPORT("simulate_derivatives") int32_t simulate_derivatives(int32_t block, const simulate_call *call);

/* Puts a file of JSON, the description, into the module: SIMULATE_DESCRIPTION("gain.json"), once. */
#define SIMULATE_DESCRIPTION(file) \
    __asm__(".section .custom_section.simulate,\"\",@\n.incbin \"" file "\"\n.text\n")

#define SIMULATE_IMPORT(name) __attribute__((import_module("simulate"), import_name(name)))

/* The mathematics of the program, with the same bits as its own blocks. All functions of its formulas with one or two
   numbers can be declared like this: `simulate blocks` and the help of the block Formula list them. */
SIMULATE_IMPORT("sin") double simulate_sin(double x);
SIMULATE_IMPORT("cos") double simulate_cos(double x);
SIMULATE_IMPORT("tan") double simulate_tan(double x);
SIMULATE_IMPORT("asin") double simulate_asin(double x);
SIMULATE_IMPORT("acos") double simulate_acos(double x);
SIMULATE_IMPORT("atan") double simulate_atan(double x);
SIMULATE_IMPORT("atan2") double simulate_atan2(double y, double x);
SIMULATE_IMPORT("sinh") double simulate_sinh(double x);
SIMULATE_IMPORT("cosh") double simulate_cosh(double x);
SIMULATE_IMPORT("tanh") double simulate_tanh(double x);
SIMULATE_IMPORT("exp") double simulate_exp(double x);
SIMULATE_IMPORT("ln") double simulate_ln(double x);

/* Adds to the text that the user reads if the call fails; at most 1,024 bytes of a call are kept. */
SIMULATE_IMPORT("print") void simulate_print(const char *text, uint32_t length);

#endif
