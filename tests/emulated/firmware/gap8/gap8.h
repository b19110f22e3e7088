/* What test programs need of GAP8: registers, printing, the cluster, its barrier and its DMA. */
#ifndef TEST_GAP8_H
#define TEST_GAP8_H

#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define L1 __attribute__((section(".l1")))
#define READ_CSR(number)                                                                           \
    ({                                                                                             \
        uint32_t csr_value;                                                                        \
        __asm__ volatile("csrr %0, " #number : "=r"(csr_value)::"memory");                         \
        csr_value;                                                                                 \
    })
#define WRITE_CSR(number, value) __asm__ volatile("csrw " #number ", %0" ::"r"(value) : "memory")

enum { CLUSTER = 0x10200000, EVENTS = 0x00204000, DMA = 0x00204400, TIMER = 0x00200400 };

extern char vectors[];

static inline uint32_t cycles(void) {
    return READ_CSR(0x780);
}

static inline void count_from_zero(void) {
    WRITE_CSR(0x7a1, 0);
    WRITE_CSR(0x79f, 0);
    WRITE_CSR(0x7a0, 0xffffffff);
    WRITE_CSR(0x7a1, 1);
}

static inline void put_char(char c) {
    uint32_t hart = READ_CSR(mhartid);
    REG(0x1A110000u + (hart & 31) * 8 + (hart >> 5) * 128) = (uint8_t)c;
}

static inline void put_text(const char *text) {
    while (*text)
        put_char(*text++);
}

static inline void put_number(uint32_t value) {
    char digits[10];
    int n = 0;
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n)
        put_char(digits[--n]);
}

/* A line "name value". */
static inline void report(const char *name, uint32_t value) {
    put_text(name);
    put_char(' ');
    put_number(value);
    put_char('\n');
}

/* Of the fabric controller; off after reset. */
static inline void use_code_cache(void) {
    REG(0x1B201400) = 0xffffffff;
}

/* Boots the cores named (a bit each) with the instruction cache on. */
static inline void start_cluster(uint32_t cores) {
    for (int i = 0; i < 8; i++)
        REG(CLUSTER + 0x40 + 4 * i) = (uint32_t)(uintptr_t)vectors;
    REG(CLUSTER + 0x1400) = 0xffffffff;
    REG(CLUSTER + 0x8) = cores;
}

/* Core 0 runs first, says who meets at barrier 0, and starts the others. */
static inline void join_cluster(uint32_t core, uint32_t cores) {
    if (core == 0) {
        REG(EVENTS + 0x200) = cores;
        REG(EVENTS + 0x20c) = cores;
        REG(0x00200008) = cores;
    }
    REG(EVENTS + 0x08) = 1u << 16;
}

static inline void meet(void) {
    uint32_t value;
    __asm__ volatile(".insn i 0x03, 6, %0, 0x21c(%1)" : "=r"(value) : "r"(EVENTS) : "memory");
}

static inline uint32_t dma_1d(void *l1, const void *far, uint32_t bytes, int into_l1) {
    uint32_t id = REG(DMA);
    REG(DMA) = bytes | (uint32_t)into_l1 << 16 | 1u << 17 | 1u << 19;
    REG(DMA) = (uint32_t)(uintptr_t)l1;
    REG(DMA) = (uint32_t)(uintptr_t)far;
    return id;
}

static inline uint32_t dma_2d(void *l1, const void *far, uint32_t bytes, uint32_t line,
                              uint32_t stride, int into_l1) {
    uint32_t id = REG(DMA);
    REG(DMA) = bytes | (uint32_t)into_l1 << 16 | 1u << 17 | 1u << 18 | 1u << 19;
    REG(DMA) = (uint32_t)(uintptr_t)l1;
    REG(DMA) = (uint32_t)(uintptr_t)far;
    REG(DMA) = line | stride << 16;
    return id;
}

static inline void dma_wait(uint32_t id) {
    while (REG(DMA + 4) & 1u << id)
        ;
    REG(DMA + 4) = 1u << id;
}

#endif
