/* When transfers of the HyperBus are done, to the cycle: lines "name cycles", from before the store
 * that asks. A loop that polls sees the end up to 14 cycles late; of polls that begin at 14
 * different cycles one sees it at once. */
#include "gap8.h"

enum { HYPER = 0x1A102180, READ = 0x00, WRITE = 0x10, RUNNING = 0x30, PHASES = 15 };

static uint8_t data[2 * 8192] __attribute__((aligned(4)));

static inline void ask(uint32_t side, void *l2, uint32_t bytes) {
    REG(HYPER + 0x20) = 0x1000;
    REG(HYPER + side) = (uint32_t)(uintptr_t)l2;
    REG(HYPER + side + 4) = bytes;
    REG(HYPER + side + 8) = 0x14;
}

/* As many cycles as instructions, and the same calls whatever their number. */
static __attribute__((noinline)) void idle(uint32_t cycles) {
    __asm__ volatile("la t0, 1f\n slli t1, %0, 1\n sub t0, t0, t1\n jr t0\n"
                     " .rept 16\n c.nop\n .endr\n1:" ::"r"(cycles)
                     : "t0", "t1", "memory");
}

static __attribute__((noinline)) uint32_t once(uint32_t side, uint32_t bytes, uint32_t second,
                                               uint32_t phase) {
    uint32_t from = cycles();
    ask(side, data, bytes);
    if (second)
        ask(side, data + 8192, second);
    idle(phase);
    while (REG(HYPER + side + 8) & RUNNING)
        ;
    return cycles() - from;
}

/* The first time is for the instruction cache. */
static void measure(const char *name, uint32_t side, uint32_t bytes, uint32_t second) {
    uint32_t least = UINT32_MAX;
    once(side, bytes, second, 0);
    for (uint32_t phase = 0; phase < PHASES; phase++) {
        uint32_t taken = once(side, bytes, second, phase);
        least = taken < least ? taken : least;
    }
    put_text(name);
    put_number(bytes);
    report("", least);
}

void cluster(uint32_t core) {
    (void)core;
}

int main(void) {
    static const uint32_t sizes[] = {4, 16, 32, 36, 64, 1020, 1022, 4096, 8192};
    use_code_cache();
    count_from_zero();
    REG(0x1A102780) = 0xffffffff;
    REG(HYPER + 0x28) = 0;
    REG(HYPER + 0x2c) = 0x01000000;
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        measure("read_", READ, sizes[i], 0);
        measure("reads_", READ, sizes[i], sizes[i]);
        measure("write_", WRITE, sizes[i], 0);
    }
    return 0;
}
