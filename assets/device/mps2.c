/* The start of a Cortex-M4 with a floating-point unit: its table of vectors. The rest is that of newlib. */
#include <stdint.h>

extern uint32_t stack_top;
void _start(void);
void reset(void);
void fault(void);

void reset(void)
{
    /* Allows the floating-point unit. */
    *(volatile uint32_t *)0xE000ED88U |= 0xFU << 20U;
    __asm volatile("dsb\n isb");
    _start();
}

void fault(void)
{
    for (;;) {
    }
}

/* The first word is the stack, then follow the handlers of exceptions. */
struct vectors {
    uint32_t *stack;
    void (*handlers[15])(void);
};

__attribute__((section(".vectors"), used)) static const struct vectors vectors = {
    &stack_top, {reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, fault, 0, fault, fault}};
