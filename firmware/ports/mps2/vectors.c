#include "../cortex_m/cortex_m.h"
#include "mps2.h"

typedef struct {
    uint32_t *stack;
    dpl_handler handler[15 + IRQ_COUNT];
} dpl_vector_table;

/* Interrupts are only waited for, with PRIMASK set, so every vector is a fault. */
__attribute__((section(".dpl_vectors"), used)) const dpl_vector_table dpl_vectors = {
    dpl_stack_high,
    {[0] = dpl_reset, [1 ... 14 + IRQ_COUNT] = dpl_fault},
};
