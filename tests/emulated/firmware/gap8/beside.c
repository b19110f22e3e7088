/* Eight cores that read L1 beside transfers of the DMA: lines "name cycles", of 2,048 words a core
 * from barrier to barrier, warm. */
#include "gap8.h"

enum { WORDS = 2048, BYTES = 8192 };

L1 static uint32_t read[8 * 256], copied[8 * 256], in[BYTES / 4], out[BYTES / 4];
static uint32_t far_in[BYTES / 4], far_out[BYTES / 4];
L1 static volatile uint32_t took[8], finished;

/* A word in each cycle that none is waited for. */
static __attribute__((noinline)) void loads(const uint32_t *from) {
    for (int i = 0; i < WORDS / 256; i++) {
        const uint32_t *at = from;
        __asm__ volatile(".option push\n.option norvc\n.rept 256\n"
                         ".insn i 0x0b, 2, t0, 4(%0)\n.endr\n.option pop"
                         : "+r"(at)
                         :
                         : "t0", "memory");
    }
}

/* Loads and stores in turns, of all cores in the same bank at first. */
static __attribute__((noinline)) void copies(const uint32_t *from) {
    for (int i = 0; i < WORDS / 256; i++) {
        const uint32_t *at = from;
        uint32_t *to = copied + (from - read);
        __asm__ volatile(".option push\n.option norvc\n.rept 128\n"
                         ".insn i 0x0b, 2, t0, 4(%0)\nnop\n.insn s 0x2b, 2, t0, 4(%1)\n"
                         ".endr\n.option pop"
                         : "+r"(at), "+r"(to)
                         :
                         : "t0", "memory");
    }
}

static void of_core_zero(uint32_t *ids, int sides) {
    if (sides & 1)
        ids[0] = dma_1d(in, far_in, BYTES, 1);
    if (sides & 2)
        ids[1] = dma_1d(out, far_out, BYTES, 0);
}

static void measure(uint32_t core, int number, void (*work)(const uint32_t *), int sides) {
    uint32_t ids[2], from = 0;
    for (int times = 0; times < 2; times++) {
        meet();
        if (core == 0) {
            from = REG(TIMER + 8);
            of_core_zero(ids, sides);
        }
        work(read + 128 * core);
        meet();
        if (core)
            continue;
        took[number] = REG(TIMER + 8) - from;
        for (int side = 0; side < 2; side++)
            if (sides >> side & 1)
                dma_wait(ids[side]);
    }
}

void cluster(uint32_t core) {
    join_cluster(core, 0xff);
    REG(TIMER) = 1;
    for (int sides = 0; sides < 4; sides++) {
        measure(core, sides, loads, sides);
        measure(core, 4 + sides, copies, sides);
    }
    meet();
    if (core == 0)
        finished = 1;
}

int main(void) {
    static const char *const names[] = {"loads",  "loads_in",  "loads_out",  "loads_both",
                                        "copies", "copies_in", "copies_out", "copies_both"};
    use_code_cache();
    finished = 0;
    start_cluster(1);
    while (!finished)
        for (volatile int i = 0; i < 100; i++)
            ;
    for (int i = 0; i < 8; i++)
        report(names[i], took[i]);
    return 0;
}
