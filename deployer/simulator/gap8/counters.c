/* Control and status registers: identity, traps, and the performance counters of each core. */
#include "parts.h"

enum csr {
    MSTATUS = 0x300,
    MTVEC = 0x305,
    MSCRATCH = 0x340,
    MEPC = 0x341,
    MCAUSE = 0x342,
    COUNTER = 0x780,
    ALL_COUNTERS = 0x79f,
    EVENTS = 0x7a0,
    MODE = 0x7a1,
    LOOPS = 0x7b0,
    MCYCLE = 0xb00,
    HART = 0xf14,
};

enum { FC_CLUSTER = 32 };

/* Nothing counts while the core sleeps. */
static void bring_up_to_date(core *c) {
    c->counts[CYCLES] = c->now - c->slept;
}

static bool counts_now(const core *c, uint32_t n) {
    return c->counter_mode & 1 && c->counter_events >> n & 1;
}

static void stop_counters(core *c) {
    bring_up_to_date(c);
    for (uint32_t n = 0; n < COUNTERS; n++) {
        if (counts_now(c, n))
            c->counters[n] += (uint32_t)(c->counts[n] - c->counted_from[n]);
        c->counted_from[n] = c->counts[n];
    }
}

static uint32_t read_counter(core *c, uint32_t n) {
    if (n >= COUNTERS)
        return 0;
    bring_up_to_date(c);
    uint32_t since = (uint32_t)(c->counts[n] - c->counted_from[n]);
    return c->counters[n] + (counts_now(c, n) ? since : 0);
}

static void set_counters(core *c, uint32_t first, uint32_t last, uint32_t value) {
    stop_counters(c);
    for (uint32_t n = first; n <= last && n < COUNTERS; n++)
        c->counters[n] = value;
}

static uint32_t *loop_register(core *c, uint32_t number) {
    hardware_loop *l = &c->loops[(number - LOOPS) / 4 & 1];
    uint32_t *const parts[4] = {&l->start, &l->end, &l->count, &l->count};
    return parts[(number - LOOPS) % 4];
}

static bool is_loop_register(uint32_t number) {
    return number >= LOOPS && number < LOOPS + 8 && number % 4 != 3;
}

/* GAP8 has none and reads zero; a program for another chip goes on with that. */
static uint32_t no_cycle_counter(const core *c) {
    fprintf(stderr, "gap8_sim: warning: mcycle is not on GAP8, use CSR 0x780 (pc 0x%08x)\n", c->pc);
    return 0;
}

uint32_t read_csr(core *c, uint32_t number) {
    if (number >= COUNTER && number < ALL_COUNTERS)
        return read_counter(c, number - COUNTER);
    if (is_loop_register(number))
        return *loop_register(c, number);
    switch (number) {
    case HART: return (uint32_t)(c->id == FC ? FC_CLUSTER << 5 : c->id);
    case MSTATUS: return c->mstatus;
    case MTVEC: return c->mtvec;
    case MSCRATCH: return c->mscratch;
    case MEPC: return c->mepc;
    case MCAUSE: return 0;
    case EVENTS: return c->counter_events;
    case MODE: return c->counter_mode;
    case ALL_COUNTERS: return 0;
    case MCYCLE: return no_cycle_counter(c);
    default: fault(c, "CSR 0x%03x is not on GAP8 or not modelled", number);
    }
}

void write_csr(core *c, uint32_t number, uint32_t value) {
    if (number >= COUNTER && number < ALL_COUNTERS) {
        set_counters(c, number - COUNTER, number - COUNTER, value);
        return;
    }
    if (is_loop_register(number)) {
        *loop_register(c, number) = value;
        return;
    }
    switch (number) {
    case MSTATUS: c->mstatus = value; return;
    case MTVEC: c->mtvec = value; return;
    case MSCRATCH: c->mscratch = value; return;
    case MEPC: c->mepc = value; return;
    case MCAUSE: return;
    case ALL_COUNTERS: set_counters(c, 0, COUNTERS - 1, value); return;
    case EVENTS: stop_counters(c), c->counter_events = value; return;
    case MODE: stop_counters(c), c->counter_mode = value; return;
    default: fault(c, "CSR 0x%03x is not on GAP8 or not modelled", number);
    }
}
