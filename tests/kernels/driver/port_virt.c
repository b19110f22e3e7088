/* RV32 in QEMU (-M virt -bios none): text leaves by the UART, QEMU's loader puts the blob in RAM.
 * Hart 0 alone; RAM reads as zero at start. */
#include "freestanding.h"
#include "port.h"

#define BLOB ((const int32_t *)0x81000000)
#define UART (*(volatile uint8_t *)0x10000000)
#define TEST_DEVICE (*(volatile uint32_t *)0x00100000)

enum { PASS = 0x5555, FAIL = 0x3333 };

void put_text(const char *text) {
    while (*text) {
        UART = (uint8_t)*text++;
    }
}

void start(void);
void fault(void);

void start(void) {
    TEST_DEVICE = run_cases(BLOB) == 0 ? PASS : 1u << 16 | FAIL;
    for (;;) {
    }
}

void fault(void) {
    put_text("FAULT\n");
    TEST_DEVICE = 3u << 16 | FAIL;
    for (;;) {
    }
}

__asm__(".section .entry,\"ax\"\n"
        ".globl entry\n"
        "entry:\n"
        "    la t0, trap\n"
        "    csrw mtvec, t0\n"
        "    la sp, stack_top\n"
        "    j start\n"
        "    .align 2\n"
        "trap:\n"
        "    j fault\n"
        ".text\n");
