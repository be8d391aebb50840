/* What the main loop needs of a board. board.c simulates it; for a real one, write these functions with its timer, its
   converters and its output stage. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>

/* Starts the timer that ticks every 2 ms. */
void board_start(void);
/* Sleeps until the next tick; false if the program is to end. */
bool board_wait_for_tick(void);
/* The wanted speed in rad/s. */
double board_read_knob(void);
/* The speed of the motor in rad/s. */
double board_read_speed(void);
/* Sets the voltage of the motor in V. */
void board_write_voltage(double voltage);
/* Switches the motor off and never returns. */
void board_stop(void);

#endif
