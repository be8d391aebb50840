/* A board with a motor that is computed by its exported model. It prints each tick as
   `simulate run motor_control.simx --signals exits --out X.csv --hex` records the step. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "motor.h"

#define TICKS 1500U
#define KNOB_TURNS_AT 50U

static motor_t motor;
static uint32_t tick;

/* Prints a comma and a number with all its bits, as C99's %a. */
static void print_number(double value)
{
    uint64_t bits;
    (void)memcpy(&bits, &value, sizeof bits);
    const int exponent = (int)((bits >> 52U) & 0x7FFU) - 1023;
    uint64_t fraction = bits & UINT64_C(0xFFFFFFFFFFFFF);
    char digits[14] = "";
    for (unsigned int digit = 0U; fraction != 0U; digit++) {
        digits[digit] = "0123456789abcdef"[(fraction >> 48U) & 0xFU];
        fraction = (fraction << 4U) & UINT64_C(0xFFFFFFFFFFFFF);
    }
    if (value == 0.0) {
        (void)printf(",0x0p+0");
    } else {
        (void)printf(",%s0x1%s%sp%+d", (value < 0.0) ? "-" : "", (digits[0] != '\0') ? "." : "", digits, exponent);
    }
}

void board_start(void)
{
    motor_init(&motor);
    tick = 0U;
    (void)printf("step,time,voltage,speed\n");
}

bool board_wait_for_tick(void)
{
    return tick < TICKS;
}

double board_read_knob(void)
{
    return (tick < KNOB_TURNS_AT) ? 0.0 : 1.0;
}

double board_read_speed(void)
{
    return motor.states.x[MOTOR_X_SPEED];
}

void board_write_voltage(double voltage)
{
    motor.inputs.voltage = voltage;
    (void)motor_step(&motor);
    (void)printf("%u", (unsigned int)tick);
    print_number((double)tick * 0.002);
    print_number(voltage);
    print_number(motor.outputs.speed);
    (void)printf("\n");
    tick++;
}

void board_stop(void)
{
    (void)printf("stopped at tick %u\n", (unsigned int)tick);
    exit(1);
}
