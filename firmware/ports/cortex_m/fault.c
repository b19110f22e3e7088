/* A fault prints what the core knows about it, then the device ends. */
#include "cortex_m.h"
#include "dpl_port.h"
#include "dpl_print.h"
#include "scs.h"

#define FAULT_STACK_BYTES 512
#define FRAME_WORDS 8 /* r0-r3 r12 lr pc xpsr */
#define FRAME_PC 6
#define CFSR_STACKING ((1u << 4) | (1u << 12)) /* MSTKERR, STKERR: the frame was not written */

uint32_t dpl_fault_stack[FAULT_STACK_BYTES / 4] __attribute__((used, aligned(8)));

/* From the status bits, since any fault turns into a HardFault where interrupts are masked. */
static const char *name(uint32_t exception) {
    if (exception < 2 || exception > 6) {
        return "exception";
    }
    uint32_t status = SCB_CFSR;
    return status & 0xFF ? "memmanage" : status & 0xFF00 ? "bus" : status ? "usage" : "hard";
}

static void field(const char *key, uint32_t value) {
    dpl_print(key);
    dpl_print_hex(value, 8);
}

/* The frame of an overflowed stack cannot be read. */
static uint32_t frame_pc(const uint32_t *frame) {
    int whole = frame >= dpl_stack_low && frame + FRAME_WORDS <= dpl_stack_high;
    return whole && !(SCB_CFSR & CFSR_STACKING) ? frame[FRAME_PC] : 0;
}

__attribute__((used, noreturn)) void dpl_fault_report(const uint32_t *frame) {
    uint32_t exception;
    __asm__ volatile("mrs %0, ipsr" : "=r"(exception));
    dpl_print("\r\ne-[fault ");
    dpl_print(name(exception & 0x1FF));
    dpl_print(" ");
    dpl_print_unsigned(exception & 0x1FF);
    field(" pc=", frame_pc(frame));
    field(" cfsr=", SCB_CFSR);
    field(" hfsr=", SCB_HFSR);
    field(" mmfar=", SCB_MMFAR);
    field(" bfar=", SCB_BFAR);
    dpl_print_line("]");
    dpl_port_flush();
    dpl_port_exit(1);
    for (;;) {
    }
}

/* On a stack of its own, since the main one may be what overflowed. */
__attribute__((naked)) void dpl_fault(void) {
    __asm__ volatile("mrs r0, msp\n"
                     "ldr r1, =dpl_fault_stack + 512\n"
                     "msr msp, r1\n"
                     "b dpl_fault_report\n");
}

_Static_assert(FAULT_STACK_BYTES == 512, "dpl_fault loads this size");
