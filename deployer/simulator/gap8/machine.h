/* GAP8 as the simulator has it: nine cores, three memories, and what moves data between them.
 *
 * Addresses, register layouts and costs are those of GAP8 revision C (the GVSoC board gapuino_v3).
 * Times are cycles since reset; cluster and fabric controller share one clock. */
#ifndef GAP8_MACHINE_H
#define GAP8_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PES = 8, FC = 8, CORES = 9 };

enum region {
    L1_BASE = 0x10000000,
    L1_SIZE = 0x10000, /* of the chip; an image may have more, up to the view for locks */
    LARGEST_L1 = 0x100000,
    TEST_AND_SET = 0x00100000, /* from a view of L1 to the one where a read sets all bits */
    CLUSTER_BASE = 0x10200000,
    CLUSTER_SIZE = 0x00100000,
    ALIAS_SIZE = 0x00300000, /* L1 and cluster peripherals, as cluster cores see them from 0 */
    FC_BASE = 0x1B000000,
    FC_SIZE = 0x4000,
    FC_CACHE = 0x1B201400, /* its registers: enable, flush */
    L2_BASE = 0x1C000000,
    L2_SIZE = 0x80000, /* as L1_SIZE */
    LARGEST_L2 = 0x1000000,
    L3_SIZE = 0x800000,
};

enum cost { /* cycles beyond the one that every instruction takes */
            JUMP = 1,
            TAKEN_BRANCH = 2,
            MULTIPLY_HIGH = 4,
            DIVIDE = 29,
            MISALIGNED = 1,
            FAR_FROM_CLUSTER = 19, /* L2 and SoC peripherals from a cluster core */
            FAR_FROM_FC = 11,  /* the cluster's memory and peripherals from the fabric controller */
            SOC_FROM_FC = 8,   /* L2 and SoC peripherals from the fabric controller */
            LINE_FILL = 19,    /* a line of instructions from L2 */
            FC_LINE_FILL = 13, /* the same to the fabric controller */
            WAKE = 8,          /* from an event to the first instruction */
};

enum { LINE_BYTES = 16, CACHE_WAYS = 4, CACHE_SETS = 64, FC_CACHE_SETS = 16 };
enum { BANKS = 16, NO_LINE = 1 };
enum { EXIT_LIMIT = 124, EXIT_FAULT = 125 };

typedef struct machine machine;
typedef struct core core;
typedef struct insn insn;
typedef struct op op;

/* What an instruction computes: the old destination and two operands in, the new destination out.
 */
typedef uint32_t compute_fn(uint32_t d, uint32_t a, uint32_t b);
typedef void run_fn(core *, const insn *);

/* A decoded instruction; `run` is null where none has been decoded. */
struct insn {
    run_fn *run;
    compute_fn *compute;
    const op *op;
    uint32_t reads; /* a bit a register */
    int32_t imm;
    uint32_t function; /* index into profile.functions */
    uint8_t rd, rs1, rs2, size;
    bool late; /* the result comes a cycle after the next instruction could use it */
};

enum counter {
    CYCLES,
    INSTRUCTIONS,
    LOAD_USE_STALLS,
    JUMP_STALLS,
    FETCH_STALLS,
    LOADS,
    STORES,
    JUMPS,
    BRANCHES,
    TAKEN,
    COMPRESSED,
    UNUSED_COUNTER,
    FAR_LOADS,
    FAR_STORES,
    FAR_LOAD_STALLS,
    FAR_STORE_STALLS,
    BANK_CONFLICTS,
    COUNTERS
};

typedef struct {
    uint32_t start, end, count; /* `end` is the address of the last instruction of the body */
} hardware_loop;

struct core {
    uint32_t r[32];
    uint32_t pc, next;
    uint64_t now;
    uint64_t order; /* of its last step among the steps of all cores */
    uint32_t late;  /* registers whose value comes one cycle late, a bit each */
    uint32_t line;  /* of instructions, at hand; NO_LINE: none */
    hardware_loop loops[2];
    machine *machine;
    int id;
    bool running, asleep, wakes_clear;
    bool held;          /* until the DMA takes its command */
    uint8_t wakes_into; /* register that p.elw loads */
    uint64_t asleep_since, slept;
    uint64_t counts[COUNTERS];
    uint64_t counted_from[COUNTERS]; /* counts when the counters were started */
    uint32_t counters[COUNTERS];     /* as software sees them while they are stopped */
    uint32_t counter_events, counter_mode;
    uint32_t mtvec, mepc, mscratch, mstatus;
    uint32_t touched; /* address of the last access, for the trace */
    uint32_t function;
    uint64_t function_since, function_instructions;
    char text[256]; /* stdout up to the end of the line */
    int text_length;
};

typedef struct {
    uint32_t tags[CACHE_SETS][CACHE_WAYS];
    uint8_t random; /* shift register that picks ways */
    bool enabled;
} instruction_cache;

typedef struct {
    uint32_t mask, buffer;
} event_line;

typedef struct {
    uint32_t participants, wakes, arrived;
} barrier;

typedef struct {
    uint32_t length, l1, external, line, stride;
    bool into_l1, event, broadcast;
    int id, port;
    uint32_t asked, moved, burst_end; /* bytes: asked for outside of L1; moved, and of what burst */
    uint64_t begin;
} dma_transfer;

typedef struct {
    uint32_t words[4];
    int count, id; /* of all commands until another is requested; -1: none was */
} dma_port;

enum { DMA_IDS = 16, DMA_QUEUE = 16 }; /* with the queue full, a core that asks for more waits */

typedef struct {
    dma_transfer queue[DMA_QUEUE + CORES];
    int queued, asking; /* transfers; which of them is asked for */
    uint32_t asked;     /* bursts that have not been moved */
    uint64_t port_free_at[2];
} dma_side;

typedef struct {
    dma_port ports[CORES];
    dma_side sides[2];    /* out of L1, into it */
    uint32_t taken, busy; /* a bit an id */
    uint64_t now, order;  /* of its next step; of the last among all steps */
} dma_engine;

typedef struct {
    uint32_t l2, l3, bytes;
    bool write, flash;
    uint64_t done;
} hyper_transfer;

typedef struct {
    uint32_t address[2], bytes[2]; /* read side, write side */
    uint32_t external, mode, ram_base, flash_base;
    hyper_transfer queue[4];
    int queued;
    uint64_t free_at;
} hyper_bus;

typedef struct {
    uint32_t l2, bytes;
} uart_transfer;

typedef struct {
    uint32_t address[2], bytes[2]; /* of the next transfer: in, out */
    uint32_t setup;
    uart_transfer queue[2]; /* in */
    int queued;
    uint8_t text[4096]; /* that has come, the first `held` bytes */
    uint32_t held;
    bool ended;
} uart;

typedef struct {
    const char *name;
    uint32_t address, size;
} function;

typedef struct {
    function *functions;
    uint32_t count;
    uint64_t *cycles, *instructions; /* CORES values a function */
} function_profile;

typedef struct {
    uint64_t limit;
    const char *trace, *profile, *l3, *elf;
    uint32_t trace_cores; /* a bit a core */
} settings;

struct machine {
    core cores[CORES];
    uint8_t *l1, *l2, *l3, *flash, *fc;
    uint32_t l1_size, l2_size;
    insn *code;     /* one for every half-word of L2 */
    uint64_t until; /* the core that runs comes first up to here */
    uint64_t order;
    uint64_t bank_free[BANKS];
    instruction_cache cache, fc_cache;
    event_line lines[PES];
    barrier barriers[8];
    dma_engine dma;
    hyper_bus hyper;
    uart uart;
    uint32_t boot[PES];
    uint32_t fetch_enable;
    uint32_t timer_config, timer_base;
    uint64_t timer_from;
    uint32_t soc[0x4000];                 /* registers of the SoC that only remember */
    uint32_t fabric, cluster, millivolts; /* multipliers of the clocks; 0: as after reset */
    bool two_clocks;
    uint64_t fabric_rest;
    function_profile profile;
    settings set;
    FILE *trace;
};

static inline const char *core_name(int id) {
    static const char names[CORES][4] = {"pe0", "pe1", "pe2", "pe3", "pe4",
                                         "pe5", "pe6", "pe7", "fc"};
    return names[id];
}

#endif
