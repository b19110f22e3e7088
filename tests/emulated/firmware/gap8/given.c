/* When what the fabric controller gives is seen: after how many cycles more than a load takes a
 * sleeping core has answered an event, and a transfer of 256 or 1,024 bytes has ended. Lines "name
 * cycles". */
#include "gap8.h"

enum { MOST = 200, OUTSIDE = CLUSTER + 0xe00, DMA_OUTSIDE = CLUSTER + 0x1800 };

L1 static volatile uint32_t answered, tile[256];
static uint32_t far[256];

/* Awake for event 0 alone; the answer is there 64 instructions after p.elw. */
void cluster(uint32_t core) {
    (void)core;
    uint32_t value;
    REG(EVENTS + 0x08) = 1;
    for (;;) {
        __asm__ volatile(".insn i 0x03, 6, %0, 0x3c(%1)\n"
                         ".rept 63\naddi %0, %0, 0\n.endr\nsw %1, 0(%2)"
                         : "=&r"(value)
                         : "r"(EVENTS), "r"(&answered)
                         : "memory");
    }
}

/* Stores `value` at `to` and loads a word of `from` `late` cycles later: rounds of four, nops. */
static __attribute__((noinline, aligned(64))) uint32_t look(uint32_t to, uint32_t value,
                                                            uint32_t late, uint32_t from) {
    uint32_t seen, rounds = late / 4 + 1, rest = 4 * (late % 4);
    __asm__ volatile(".option push\n.option norvc\n"
                     "la t0, 1f\nsub t0, t0, %5\n"
                     "sw %3, 0(%2)\n"
                     "0: addi %1, %1, -1\nbne %1, x0, 0b\njr t0\n"
                     ".rept 3\naddi x0, x0, 0\n.endr\n1: lw %0, 0(%4)\n.option pop"
                     : "=&r"(seen), "+&r"(rounds)
                     : "r"(to), "r"(value), "r"(from), "r"(rest)
                     : "t0", "memory");
    return seen;
}

/* Of what the cache had before, next to nothing is left. */
static __attribute__((noinline)) void much_code(void) {
    __asm__ volatile(".option push\n.option norvc\n.rept 2048\naddi x0, x0, 0\n.endr\n.option pop");
}

static void rest(void) {
    for (volatile int i = 0; i < 200; i++)
        ;
}

static uint32_t of_event(uint32_t late) {
    answered = 0;
    rest();
    uint32_t seen = look(OUTSIDE, 1, late, (uint32_t)(uintptr_t)&answered);
    rest();
    return seen;
}

static uint32_t of_event_in_cold_code(uint32_t late) {
    answered = 0;
    rest();
    much_code();
    uint32_t seen = look(OUTSIDE, 1, late, (uint32_t)(uintptr_t)&answered);
    rest();
    return seen;
}

static uint32_t of_transfer(uint32_t late, uint32_t bytes) {
    uint32_t id = REG(DMA_OUTSIDE);
    REG(DMA_OUTSIDE) = bytes | 1u << 16 | 1u << 17;
    REG(DMA_OUTSIDE) = (uint32_t)(uintptr_t)tile;
    uint32_t status = look(DMA_OUTSIDE, (uint32_t)(uintptr_t)far, late, DMA_OUTSIDE + 4);
    rest();
    REG(DMA_OUTSIDE + 4) = 1u << id;
    return !(status >> id & 1);
}

static uint32_t of_256(uint32_t late) {
    return of_transfer(late, 256);
}

static uint32_t of_1024(uint32_t late) {
    return of_transfer(late, 1024);
}

/* Each is tried twice, since the first time code is fetched. */
static void tell(const char *name, uint32_t (*seen)(uint32_t late)) {
    uint32_t late = 0;
    while (late < MOST && (seen(late), !seen(late)))
        late++;
    report(name, late);
}

/* Fabric controller and cluster have one, as in the firmware. */
static void set_clocks(void) {
    REG(0x1A100004) = REG(0x1A100014) = 1u << 31 | 1u << 26 | 175000000 / 32768;
    for (int i = 0; i < 100; i++)
        rest();
}

int main(void) {
    use_code_cache();
    set_clocks();
    count_from_zero();
    start_cluster(1);
    rest();
    tell("event", of_event);
    tell("event_in_cold_code", of_event_in_cold_code);
    tell("transfer_256", of_256);
    tell("transfer_1024", of_1024);
    return 0;
}
