/* Data through the DMA in lines and by event, and through the HyperRAM: lines "name value". */
#include "gap8.h"

enum { HYPER = 0x1A102180, READ = 0x00, WRITE = 0x10, BYTES = 8192 };

L1 static uint8_t tile[1024];
L1 static volatile uint32_t done;
static uint8_t far[4096], back[4096];
static uint8_t sent[BYTES] __attribute__((aligned(4))), received[BYTES] __attribute__((aligned(4)));

static uint32_t differences(const uint8_t *a, const uint8_t *b, uint32_t count) {
    uint32_t out = 0;
    for (uint32_t i = 0; i < count; i++)
        out += a[i] != b[i];
    return out;
}

/* 16 lines of 60 bytes, 130 apart, into L1 and out to the same places elsewhere. */
static void lines(void) {
    uint32_t wrong = 0;
    dma_wait(dma_2d(tile, far, 960, 60, 130, 1));
    for (int i = 0; i < 960; i++)
        wrong += tile[i] != far[i / 60 * 130 + i % 60];
    report("lines_in_wrong", wrong);
    dma_wait(dma_2d(tile, back, 960, 60, 130, 0));
    wrong = 0;
    for (int i = 0; i < 16 * 130; i++)
        wrong += back[i] != (i % 130 < 60 ? far[i] : 0);
    report("lines_out_wrong", wrong);
}

/* Nothing has arrived when a transfer has just begun, all has when its event comes. */
static void by_event(void) {
    uint32_t value;
    for (int i = 0; i < 1024; i++)
        tile[i] = 0;
    REG(EVENTS + 0x28) = 1u << 8;
    REG(EVENTS + 0x08) = 1u << 8;
    uint32_t id = dma_1d(tile, far, 1024, 1);
    report("early", tile[1023]);
    while (REG(DMA + 4) & 1u << id)
        __asm__ volatile(".insn i 0x03, 6, %0, 0x3c(%1)" : "=r"(value) : "r"(EVENTS) : "memory");
    REG(DMA + 4) = 1u << id;
    REG(EVENTS + 0x04) = 1u << 8;
    report("event_wrong", differences(tile, far, 1024));
}

void cluster(uint32_t core) {
    join_cluster(core, 0x01);
    lines();
    by_event();
    done = 1;
}

static void hyper_start(uint32_t side, void *l2, uint32_t l3, uint32_t bytes) {
    REG(HYPER + 0x20) = l3;
    REG(HYPER + 0x24) = 0;
    REG(HYPER + side) = (uint32_t)(uintptr_t)l2;
    REG(HYPER + side + 4) = bytes;
    REG(HYPER + side + 8) = 0x14;
}

static void hyper_wait(uint32_t side) {
    while (REG(HYPER + side + 8) & 0x30)
        ;
}

static __attribute__((noinline)) uint32_t hyper(uint32_t side, void *l2, uint32_t bytes) {
    uint32_t from = cycles();
    hyper_start(side, l2, 0x1000, bytes);
    hyper_wait(side);
    return cycles() - from;
}

static void there_and_back(uint32_t bytes) {
    uint32_t out = hyper(WRITE, sent, bytes), in = hyper(READ, received, bytes);
    put_number(bytes);
    report("_write", out);
    put_number(bytes);
    report("_read", in);
    put_number(bytes);
    report("_wrong", differences(sent, received, bytes));
}

/* Two reads, the second queued while the first runs. */
static void queued(void) {
    hyper_start(READ, received, 0x1000, 4096);
    hyper_start(READ, received + 4096, 0x1000, 4096);
    report("both_busy", REG(HYPER + 8) & 0x30);
    hyper_wait(READ);
    report("queued_wrong",
           differences(sent, received, 4096) + differences(sent, received + 4096, 4096));
}

int main(void) {
    use_code_cache();
    count_from_zero();
    for (int i = 0; i < BYTES; i++)
        sent[i] = (uint8_t)(i * 7 + i / 256);
    for (int i = 0; i < 4096; i++)
        far[i] = (uint8_t)(i * 11 + 1);
    REG(0x1A102780) = 0xffffffff;
    REG(HYPER + 0x28) = 0;
    REG(HYPER + 0x2c) = 0x01000000;
    there_and_back(64);
    there_and_back(1024);
    there_and_back(8192);
    queued();
    done = 0;
    start_cluster(1);
    while (!done)
        ;
    return 0;
}
