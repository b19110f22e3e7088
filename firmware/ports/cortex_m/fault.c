/* A fault prints what the core knows about it, then the device ends: it stands still with
 * interrupts masked until it is reset. What could not be printed is told by the next start. */
#include "cortex_m.h"
#include "dpl_port.h"
#include "dpl_print.h"
#include "scs.h"

#define FAULT_STACK_BYTES 512
#define FRAME_WORDS 8 /* r0-r3 r12 lr pc xpsr */
#define FRAME_PC 6
#define HARD_FAULT 3u
#define SHCSR_ACTIVE ((1u << 0) | (1u << 1) | (1u << 3)) /* MemManage, BusFault, UsageFault */
#define CFSR_STACKING ((1u << 4) | (1u << 12)) /* MSTKERR, STKERR: the frame was not written */

uint32_t dpl_fault_stack[FAULT_STACK_BYTES / 4] __attribute__((used, aligned(8)));

/* What is known of a fault. `check` is the exclusive or of the others, or the record is none. */
typedef struct {
    uint32_t exception, pc, cfsr, hfsr, mmfar, bfar, check;
} record;

#define CHECK_START 0x0DEFEC7Eu

/* A record lies in the guard below the stack, where nobody else may write: start-up does not clear
 * it and a reset leaves it. It is there from the fault until the fault has been told. */
#define KEPT (*(volatile record *)dpl_stack_guard)

static record earlier;

static uint32_t check_of(const record *r) {
    return CHECK_START ^ r->exception ^ r->pc ^ r->cfsr ^ r->hfsr ^ r->mmfar ^ r->bfar;
}

void dpl_fault_recall(void) {
    earlier = KEPT;
    if (earlier.check != check_of(&earlier)) {
        earlier.exception = 0;
    }
    KEPT.check = 0;
    KEPT.exception = 0;
}

/* From the status bits, since any fault turns into a HardFault where interrupts are masked. */
static const char *name(const record *r) {
    if (r->exception < 2 || r->exception > 6) {
        return "exception";
    }
    return r->cfsr & 0xFF ? "memmanage" : r->cfsr & 0xFF00 ? "bus" : r->cfsr ? "usage" : "hard";
}

static void field(const char *key, uint32_t value) {
    dpl_print(key);
    dpl_print_hex(value, 8);
}

static void print_record(const char *what, const record *r) {
    dpl_print(what);
    dpl_print(name(r));
    dpl_print(" ");
    dpl_print_unsigned(r->exception);
    field(" pc=", r->pc);
    field(" cfsr=", r->cfsr);
    field(" hfsr=", r->hfsr);
    field(" mmfar=", r->mmfar);
    field(" bfar=", r->bfar);
    dpl_print_line("]");
}

void dpl_port_earlier(void) {
    if (earlier.exception) {
        print_record("e-[fault before this start: ", &earlier);
    }
}

/* The frame of an overflowed stack cannot be read. */
static uint32_t frame_pc(const uint32_t *frame) {
    int whole = frame >= dpl_stack_low && frame + FRAME_WORDS <= dpl_stack_high;
    return whole && !(SCB_CFSR & CFSR_STACKING) ? frame[FRAME_PC] : 0;
}

/* Into the guard, which the MPU has to let go of first. */
static void keep(const record *r) {
    MPU_CTRL = 0;
    dpl_dsb();
    dpl_isb();
    KEPT = *r;
}

/* A console that the fault came before is started now. */
static void tell(const record *r) {
    dpl_console_awaken();
    print_record("\r\ne-[fault ", r);
    dpl_port_flush();
    KEPT.check = 0;
    KEPT.exception = 0;
}

/* Whether the handler of a fault is what faulted. */
static int telling(uint32_t exception) {
    return exception == HARD_FAULT && SCB_SHCSR & SHCSR_ACTIVE;
}

__attribute__((used, noreturn)) void dpl_fault_report(const uint32_t *frame) {
    uint32_t exception;
    __asm__ volatile("mrs %0, ipsr" : "=r"(exception));
    exception &= 0x1FF;
    if (!telling(exception)) {
        record found = {exception, frame_pc(frame), SCB_CFSR, SCB_HFSR, SCB_MMFAR, SCB_BFAR, 0};
        found.check = check_of(&found);
        keep(&found);
        tell(&found);
    }
    dpl_port_exit(1);
    __asm__ volatile("cpsid i");
    for (;;) {
        __asm__ volatile("wfi");
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
