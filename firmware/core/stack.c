#include "stack.h"

#include "dpl_port.h"

#define PAINT 0xa5a5a5a5u
#define MARGIN 256u /* frames and red zone below the caller's that must not be painted over */

/* All of it where the harness runs on another stack than the steps. */
void dpl_stack_paint(void) {
    uintptr_t low, high;
    dpl_port_stack(&low, &high);
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    uintptr_t end = frame > low && frame <= high ? frame - MARGIN : high;
    for (uintptr_t at = low; at + sizeof(uint32_t) <= end; at += sizeof(uint32_t)) {
        *(volatile uint32_t *)at = PAINT;
    }
}

uint32_t dpl_stack_size(void) {
    uintptr_t low, high;
    dpl_port_stack(&low, &high);
    return (uint32_t)(high - low);
}

uint32_t dpl_stack_used(void) {
    uintptr_t low, high;
    dpl_port_stack(&low, &high);
    while (low < high && *(volatile uint32_t *)low == PAINT) {
        low += sizeof(uint32_t);
    }
    return (uint32_t)(high - low);
}
