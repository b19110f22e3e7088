/* Cycles of single instructions, memories, barrier, bank conflicts and DMA, as cluster cores count
 * them warm: lines "name cycles". */
#include "gap8.h"

static uint32_t words[64] = {1};
L1 static uint32_t l1_words[64];
L1 static volatile uint32_t done, slowest[8];
L1 static uint8_t bank_rows[64 * 64] __attribute__((aligned(64))),
    tile[32768] __attribute__((aligned(8)));
static uint8_t far_tile[32768] __attribute__((aligned(8)));

/* Cycles of `times` copies of the text, the last of eight runs: the cache drops lines that fit. */
#define TIME(times, text)                                                                          \
    ({                                                                                             \
        uint32_t before = 0, after = 0, one = 3, two = 5, out = 0;                                 \
        for (volatile int run = 0; run < 8; run++)                                                 \
            __asm__ volatile(".option push\n.option norelax\n.option norvc\n"                      \
                             "csrr %0, 0x780\n.rept " #times "\n" text                             \
                             "\n.endr\ncsrr %1, 0x780\n.option pop"                                \
                             : "=&r"(before), "=&r"(after), "+r"(one), "+r"(two), "+r"(out)        \
                             : "r"(l1_words), "r"(words), "r"(EVENTS), "r"(0x1A104000)             \
                             : "memory");                                                          \
        after - before - 1;                                                                        \
    })
#define REPORT(name, times, text) report(name, TIME(times, text))

static void instructions(void) {
    REPORT("alu", 100, "add %4, %2, %4");
    REPORT("sdot", 100, ".insn r 0x57, 1, 0x5c, %4, %2, %3");
    REPORT("mac", 100, ".insn r 0x33, 0, 0x21, %4, %2, %4");
    REPORT("mul", 100, "mul %4, %2, %3");
    REPORT("mul_chain", 100, "mul %4, %4, %3");
    REPORT("mulh", 100, "mulh %4, %2, %3");
    REPORT("div", 100, "div %4, %2, %3");
    REPORT("jump", 100, "jal x0, 1f\n1:");
    REPORT("taken", 100, "beq x0, x0, 1f\n1:");
    REPORT("not_taken", 100, "bne x0, x0, 1f\n1:");
}

static void accesses(void) {
    REPORT("load", 100, "lw %4, 0(%5)");
    REPORT("load_use", 100, "lw %4, 0(%5)\nadd %4, %4, %2");
    REPORT("pointer_use", 100, "mv %4, %5\n.insn i 0x0b, 2, x0, 4(%4)\n.insn i 0x0b, 2, x0, 4(%4)");
    REPORT("store", 100, "sw %4, 0(%5)");
    REPORT("misaligned", 100, "lw %4, 2(%5)");
    REPORT("l2", 100, "lw %4, 0(%6)");
    REPORT("soc", 100, "lw %4, 0(%8)");
    REPORT("event_unit", 100, "lw %4, 0(%7)");
}

/* A transfer and the wait for it, with its sizes constant; the second of two runs. */
#define TRANSFER(call)                                                                             \
    ({                                                                                             \
        uint32_t passed = 0;                                                                       \
        for (volatile int run = 0; run < 2; run++) {                                               \
            uint32_t from = cycles();                                                              \
            dma_wait(call);                                                                        \
            passed = cycles() - from;                                                              \
        }                                                                                          \
        passed;                                                                                    \
    })
#define BOTH_WAYS(bytes)                                                                           \
    report("dma_in_" #bytes, TRANSFER(dma_1d(tile, far_tile, bytes, 1)));                          \
    report("dma_out_" #bytes, TRANSFER(dma_1d(tile, far_tile, bytes, 0)))

/* In and out at the same time. */
static uint32_t both_ways(uint32_t bytes) {
    uint32_t from = cycles();
    uint32_t in = dma_1d(tile, far_tile, bytes, 1);
    uint32_t out = dma_1d(tile + bytes, far_tile + bytes, bytes, 0);
    dma_wait(in);
    dma_wait(out);
    return cycles() - from;
}

static void transfers(void) {
    BOTH_WAYS(8);
    BOTH_WAYS(64);
    BOTH_WAYS(256);
    BOTH_WAYS(1024);
    BOTH_WAYS(4096);
    BOTH_WAYS(16384);
    BOTH_WAYS(32764);
    report("dma_lines_in", TRANSFER(dma_2d(tile, far_tile, 2048, 32, 128, 1)));
    report("dma_lines_out", TRANSFER(dma_2d(tile, far_tile, 2048, 32, 128, 0)));
    report("dma_lines_odd", TRANSFER(dma_2d(tile + 1, far_tile, 2048, 32, 128, 1)));
    report("dma_small_lines_in", TRANSFER(dma_2d(tile, far_tile, 1024, 4, 128, 1)));
    report("dma_small_lines_out", TRANSFER(dma_2d(tile, far_tile, 1024, 4, 128, 0)));
    report("dma_both_ways", both_ways(8192));
}

/* 64 loads of each core from its own place; the cycles of the slowest. */
static __attribute__((noinline)) uint32_t loads_of_all(uint32_t place) {
    const void *mine = bank_rows + place;
    uint32_t core = READ_CSR(mhartid) & 31;
    for (int run = 0; run < 2; run++) {
        uint32_t from, to;
        meet();
        __asm__ volatile(".option push\n.option norvc\ncsrr %0, 0x780\n.rept 64\n"
                         "lw x0, 0(%2)\n.endr\ncsrr %1, 0x780\n.option pop"
                         : "=&r"(from), "=&r"(to)
                         : "r"(mine)
                         : "memory");
        slowest[core] = to - from - 1;
        meet();
    }
    uint32_t most = 0;
    for (int c = 0; c < 8; c++)
        most = slowest[c] > most ? slowest[c] : most;
    meet();
    return most;
}

static void conflicts(uint32_t core) {
    uint32_t same = loads_of_all(core * 64);
    uint32_t pairs = loads_of_all(core % 4 * 4 + core / 4 * 64);
    uint32_t apart = loads_of_all(core * 4);
    if (core)
        return;
    report("one_bank", same);
    report("two_a_bank", pairs);
    report("own_banks", apart);
}

static void barriers(uint32_t core) {
    uint32_t passed = 0;
    for (int run = 0; run < 3; run++) {
        meet();
        for (volatile int late = 0; core == 0 && late < 50; late++)
            ;
        uint32_t from = cycles();
        meet();
        passed = cycles() - from;
    }
    if (core == 0)
        report("barrier", passed);
}

void matmul_4x2(const int8_t *weights, const int8_t *pixels, int32_t *sums, int bytes);
enum { K = 256, ONE_BANK = 2 * K, OWN_BANKS = 2 * K + 4 };
L1 static int8_t mm_weights[4 * K], mm_pixels[8 * OWN_BANKS];
L1 static int32_t mm_sums[8][8];

/* `pitch` bytes between the pixels of one core and those of the next. */
static __attribute__((noinline)) uint32_t matmul(uint32_t core, uint32_t pitch) {
    uint32_t from = cycles();
    matmul_4x2(mm_weights, mm_pixels + core * pitch, mm_sums[core], K);
    return cycles() - from;
}

static int right(uint32_t core, uint32_t pitch) {
    for (int sum = 0; sum < 8; sum++) {
        const int8_t *row = mm_weights + sum % 4 * K, *pixel = mm_pixels + core * pitch;
        int32_t expected = 0;
        for (int k = 0; k < K; k++)
            expected += row[k] * pixel[sum / 4 * K + k];
        if (expected != mm_sums[core][sum])
            return 0;
    }
    return 1;
}

static void matmul_of_all(uint32_t core, uint32_t pitch, const char *name) {
    meet();
    slowest[core] = matmul(core, pitch);
    meet();
    uint32_t wrong = 0, most = 0;
    for (uint32_t c = 0; core == 0 && c < 8; c++) {
        wrong += !right(c, pitch);
        most = slowest[c] > most ? slowest[c] : most;
    }
    if (core == 0) {
        report(name, most);
        report("wrong", wrong);
    }
    meet();
}

static void matmuls(uint32_t core) {
    for (uint32_t i = 0; core == 0 && i < sizeof mm_weights; i++)
        mm_weights[i] = (int8_t)(i * 37 + 11);
    for (uint32_t i = 0; core == 0 && i < sizeof mm_pixels; i++)
        mm_pixels[i] = (int8_t)(i * 53 + i / 7);
    if (core == 0) {
        report("matmul_cold", matmul(0, 0));
        report("matmul_one", matmul(0, 0));
    }
    matmul_of_all(core, ONE_BANK, "matmul_one_bank");
    matmul_of_all(core, OWN_BANKS, "matmul_own_banks");
}

static void alone(void) {
    instructions();
    accesses();
    transfers();
}

void cluster(uint32_t core) {
    join_cluster(core, 0xff);
    count_from_zero();
    meet();
    if (core == 0)
        alone();
    meet();
    conflicts(core);
    barriers(core);
    matmuls(core);
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
