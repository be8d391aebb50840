/* The control of a motor's speed on a microcontroller: every 2 ms the knob and the speed are read, the exported
   controller computes a voltage, and that is written. */
#include "board.h"
#include "controller.h"

static controller_t controller;

int main(void)
{
    if (controller_selftest() != 0) {
        /* This compiler or processor would compute something else than the simulation. */
        board_stop();
    }
    controller_init(&controller);
    board_start();
    while (board_wait_for_tick()) {
        controller.inputs.wanted = board_read_knob();
        controller.inputs.speed = board_read_speed();
        if (controller_step(&controller) != CONTROLLER_STATUS_OK) {
            board_stop();
        }
        board_write_voltage(controller.outputs.voltage);
    }
    return 0;
}
