/* What the Cortex-M ports share. Each port takes the sources in by its own shared.c, because the
 * build compiles one folder per port. */
#ifndef DPL_CORTEX_M_H
#define DPL_CORTEX_M_H

#include <stdint.h>

/* The vector table: the port fills it, startup.c points VTOR at it. */
typedef void (*dpl_handler)(void);
void dpl_reset(void);
void dpl_fault(void); /* handler of every fault and unexpected interrupt; reports and ends */

void dpl_fault_recall(void);   /* at start, before the MPU guards what is kept of a fault */
void dpl_console_awaken(void); /* the port's: a console that does not speak yet is started */

/* From the linker script. */
extern uint32_t dpl_stack_guard[], dpl_stack_low[], dpl_stack_high[];

/* MPU [ARMv7-M ARM, B3.5]: base is a multiple of the size, 2^log2_size bytes. A region that comes
 * later wins. What no region covers keeps the default map. */
typedef enum { DPL_NO_ACCESS, DPL_READ_EXECUTE, DPL_READ_WRITE } dpl_access;

#define DPL_LOG2(bytes) ((uint32_t)__builtin_ctz(bytes)) /* of a power of two */

/* What the linker script keeps free; the build gives both the bytes. */
enum { DPL_GUARD_LOG2 = DPL_LOG2(DPL_GUARD_BYTES) };

typedef struct {
    uint32_t base;
    uint32_t log2_size;
    dpl_access access;
    uint32_t off; /* its eighths that do not count, a bit each */
} dpl_region;

/* Adds what null pointers point at and the guard below the stack. Eight regions in all. */
void dpl_mpu_start(const dpl_region *regions, uint32_t count);

/* Invalidates, then enables. A core without caches is left as it is. */
void dpl_caches_start(void);
const char *dpl_icache_state(void); /* "on" or "off", read back */
const char *dpl_dcache_state(void);

#endif
