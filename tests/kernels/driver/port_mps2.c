/* Cortex-M7 in QEMU (-M mps2-an500): text leaves by semihosting, QEMU's loader puts the blob in
 * the 16 MB RAM. RAM reads as zero at start, so .bss needs no clearing and .data must be empty
 * (the linker script asserts it). */
#include "freestanding.h"
#include "port.h"

#define BLOB ((const int32_t *)0x60000000)
#define CPACR (*(volatile uint32_t *)0xE000ED88)

enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };

static void semihost(uint32_t operation, const void *argument) {
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

void put_text(const char *text) {
    semihost(SYS_WRITE0, text);
}

static void leave(uint32_t status) {
    const uint32_t block[2] = {APPLICATION_EXIT, status};
    semihost(SYS_EXIT_EXTENDED, block);
    for (;;) {
    }
}

void reset(void);
void fault(void);

void reset(void) {
    CPACR |= 0xFu << 20; /* the board's flags allow floating-point registers */
    __asm__ volatile("dsb\n isb");
    leave(run_cases(BLOB) != 0);
}

void fault(void) {
    put_text("FAULT\n");
    leave(3);
}

extern uint32_t stack_top[];

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    stack_top,     (void *)reset, (void *)fault, (void *)fault,
    (void *)fault, (void *)fault, (void *)fault,
};
