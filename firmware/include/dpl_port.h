/* The few functions a port implements; the harness in core/ is the same everywhere. */
#ifndef DPL_PORT_H
#define DPL_PORT_H

#include <stdint.h>

/* Clocks, caches, counter, console. On failure the console still works, on whatever clock there
 * is, and dpl_port_fault() says what failed. */
void dpl_port_init(void);
const char *dpl_port_fault(void); /* NULL when all is well */
void dpl_port_earlier(void); /* e-[...] for a fault untold in the start before, if any is kept */

enum { DPL_CLOSED = -1, DPL_TIMEOUT = -2 };

/* Waits for a byte, at most limit_us microseconds (0: without limit). Besides a byte it returns
 * DPL_CLOSED when the console is closed and DPL_TIMEOUT. Sleeps where the core can. */
int dpl_port_getc(uint32_t limit_us);
void dpl_port_putc(char c);
void dpl_port_flush(void);

/* Wraps at 2^32. What it counts is the caps entry "counter": cycles, instructions or none. */
uint32_t dpl_port_counter(void);

/* Since start; 0 always when there is no clock. The harness asks at least once an inference, so
 * that a port may extend a 32-bit counter here. */
uint64_t dpl_port_microseconds(void);

/* Calls emit for each fact of the machine: port, counter, clock_hz, caches, cores, ... A value
 * need only live until emit returns. */
void dpl_port_caps(void (*emit)(const char *key, const char *value));

/* Name of the memory that holds the address, as the board file calls it. */
const char *dpl_port_memory(const void *address);

/* The painted stack: low and high end of the running stack, high exclusive. */
void dpl_port_stack(uintptr_t *low, uintptr_t *high);
uint32_t dpl_port_static_bytes(void); /* .data + .bss without arena and stack, 0 if unknown */

/* Runs fn on every core and returns when all have; plain call on one core. */
void dpl_port_fork(void (*fn)(void));

/* The trigger pin of energy meters, high when idle: low for about a millisecond, 0.5 to 1.5 ms.
 * Takes the pin when it is first called; nothing where there is none, and then no caps entry
 * "trigger", which names it. */
void dpl_port_pulse(void);

void dpl_port_exit(int status); /* ends an emulated or hosted device; returns on a real one */

#endif
