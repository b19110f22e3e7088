/* What code costs that the cluster's instruction cache does not have, or only in part: lines "name
 * cycles", of the slowest core. */
#include "gap8.h"

L1 static volatile uint32_t done, spent[8];
L1 static uint32_t one_bank[8][256];

#define STRAIGHT(words)                                                                            \
    static __attribute__((noinline, aligned(64))) void straight_##words(void) {                    \
        __asm__ volatile(".option push\n.option norvc\n.rept " #words                              \
                         "\naddi x0, x0, 0\n.endr\n.option pop");                                  \
    }
STRAIGHT(512)
STRAIGHT(1024)
STRAIGHT(1280)
STRAIGHT(2048)

/* Every core stores to one and the same bank, a line of code for four of them. */
static __attribute__((noinline, aligned(64))) void stores(void) {
    __asm__ volatile(".option push\n.option norvc\n.rept 256\nsw x0, 0(%0)\n.endr\n.option pop"
                     :
                     : "r"(one_bank[READ_CSR(mhartid) & 31])
                     : "memory");
}

static void flush(uint32_t core) {
    meet();
    if (core == 0)
        REG(0x00201404) = 1;
    meet();
}

/* The last run of several, by the first core alone or by all at once. */
static void measure(uint32_t core, void (*code)(void), int times, int alone, const char *name) {
    spent[core] = 0;
    flush(core);
    for (int i = 0; i < times && (core == 0 || !alone); i++) {
        if (!alone)
            meet();
        uint32_t from = cycles();
        code();
        spent[core] = cycles() - from;
    }
    meet();
    uint32_t most = 0;
    for (int c = 0; c < 8; c++)
        most = spent[c] > most ? spent[c] : most;
    if (core == 0)
        report(name, most);
    meet();
}

#define CODE(code)                                                                                 \
    measure(core, code, 1, 1, #code "_one_cold");                                                  \
    measure(core, code, 1, 0, #code "_all_cold");                                                  \
    measure(core, code, 6, 1, #code "_one_again");                                                 \
    measure(core, code, 6, 0, #code "_all_again")

void cluster(uint32_t core) {
    join_cluster(core, 0xff);
    count_from_zero();
    meet();
    CODE(straight_512);
    CODE(straight_1024);
    CODE(straight_1280);
    CODE(straight_2048);
    CODE(stores);
    if (core == 0)
        done = 1;
}

int main(void) {
    done = 0;
    start_cluster(1);
    while (!done)
        ;
    return 0;
}
