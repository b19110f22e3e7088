#include "../cortex_m/cortex_m.h"
#include "stm32f7.h"

/* 16 + 110 words; VTOR wants the table aligned to 512 bytes, which the linker script asserts. */
typedef struct {
    uint32_t *stack;
    dpl_handler handler[15 + IRQ_COUNT];
} dpl_vector_table;

enum { RESET = 0, SYSTICK = 14, IRQ0 = 15, USART3 = IRQ0 + IRQ_USART3, LAST = 14 + IRQ_COUNT };

__attribute__((section(".dpl_vectors"), used)) const dpl_vector_table dpl_vectors = {
    dpl_stack_high,
    {
        [RESET] = dpl_reset,
        [RESET + 1 ... SYSTICK - 1] = dpl_fault,
        [SYSTICK] = dpl_systick_handler,
        [IRQ0... USART3 - 1] = dpl_fault,
        [USART3] = dpl_console_handler,
        [USART3 + 1 ... LAST] = dpl_fault,
    },
};
