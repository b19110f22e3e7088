/* GAP8, its fabric controller alone: the blob waits in the HyperRAM, or with DRIVER_BLOB_IN_FLASH
 * behind the first MB of the HyperFlash, from where it is fetched to L2. Text leaves by the models'
 * console. */
#include "freestanding.h"
#include "port.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define CONSOLE REGISTER(0x1A110000)
#define EXIT REGISTER(0x1A1040A0)
#define CODE_CACHE REGISTER(0x1B201400)
#define CLOCK_GATES REGISTER(0x1A102780)
#define HYPERBUS(offset) REGISTER(0x1A102180 + (offset))

/* Of the HyperBus channel of the uDMA. */
enum {
    TO = 0x00,
    BYTES = 0x04,
    CONTROL = 0x08,
    FROM = 0x20,
    SPACE = 0x24,
    RAM = 0x28,
    FLASH = 0x2C
};
#ifdef DRIVER_BLOB_IN_FLASH
enum { BLOB_AT = 0x01100000 };
#else
enum { BLOB_AT = 0 };
#endif
enum { START = 0x14, BUSY = 0x30, PIECE = 4096, BLOB = 192 * 1024 };

static _Alignas(16) int32_t blob[BLOB / 4];

void put_text(const char *text) {
    while (*text) {
        CONSOLE = (uint8_t)*text++;
    }
}

static void fetch_blob(void) {
    CLOCK_GATES = ~0u;
    HYPERBUS(RAM) = 0;
    HYPERBUS(FLASH) = 0x01000000;
    HYPERBUS(SPACE) = 0;
    for (uint32_t at = 0; at < BLOB; at += PIECE) {
        HYPERBUS(FROM) = BLOB_AT + at;
        HYPERBUS(TO) = (uint32_t)blob + at;
        HYPERBUS(BYTES) = PIECE;
        HYPERBUS(CONTROL) = START;
        while (HYPERBUS(CONTROL) & BUSY) {
        }
    }
}

void start(void);

void start(void) {
    CODE_CACHE = ~0u;
    fetch_blob();
    EXIT = 1u << 31 | (run_cases(blob) != 0);
    for (;;) {
    }
}

__asm__(".section .entry,\"ax\"\n"
        ".globl entry\n"
        "entry:\n"
        "    la sp, stack_top\n"
        "    la t0, bss_begin\n"
        "    la t1, bss_end\n"
        "1:  sw zero, 0(t0)\n"
        "    addi t0, t0, 4\n"
        "    bltu t0, t1, 1b\n"
        "    j start\n"
        ".text\n");
