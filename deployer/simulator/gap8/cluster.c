/* Peripherals of the cluster by offset: control, timer, instruction cache, and the doors to the
 * event unit and the DMA. */
#include "parts.h"

enum offset {
    FETCH_ENABLE = 0x0008,
    BOOT = 0x0040,
    TIMER_CONFIG = 0x0400,
    TIMER_COUNT = 0x0408,
    TRIGGER_OUTSIDE = 0x0e00, /* of software events: a word each */
    CACHE_ENABLE = 0x1400,
    CACHE_FLUSH = 0x1404,
    DMA_OUTSIDE = 0x1800,
    EVENTS = 0x4000,
    DMA_INSIDE = 0x4400,
    START_OFFSET = 0x80, /* of the first instruction from the boot address */
};

static bool in(uint32_t offset, uint32_t base, uint32_t size) {
    return offset - base < size;
}

static uint32_t timer_count(const core *c) {
    const machine *m = c->machine;
    uint64_t passed = m->timer_config & 1 ? c->now - m->timer_from : 0;
    return m->timer_base + (uint32_t)passed;
}

/* Bit 0 runs the timer, bit 1 sets it to zero. */
static void set_timer(core *c, uint32_t value) {
    machine *m = c->machine;
    m->timer_base = value & 2 ? 0 : timer_count(c);
    m->timer_from = c->now;
    m->timer_config = value & ~2u;
}

static void start_core(core *by, int id) {
    core *c = &by->machine->cores[id];
    c->pc = by->machine->boot[id] + START_OFFSET;
    c->now = by->now;
    c->slept = by->now; /* what was before is not counted */
    c->running = true;
    come_back(by->machine, c->now);
}

static void enable_fetch(core *c, uint32_t cores) {
    machine *m = c->machine;
    for (int id = 0; id < PES; id++)
        if (cores >> id & 1 && !m->cores[id].running)
            start_core(c, id);
    m->fetch_enable |= cores;
}

uint32_t cluster_load(core *c, uint32_t offset) {
    machine *m = c->machine;
    if (in(offset, EVENTS, 0x400))
        return events_load(c, offset - EVENTS);
    if (in(offset, DMA_INSIDE, 8) || in(offset, DMA_OUTSIDE, 8))
        return dma_load(c, c->id, offset & 7);
    if (in(offset, BOOT, 4 * PES))
        return m->boot[(offset - BOOT) / 4];
    switch (offset) {
    case FETCH_ENABLE: return m->fetch_enable;
    case TIMER_CONFIG: return m->timer_config;
    case TIMER_COUNT: return timer_count(c);
    case CACHE_ENABLE: return m->cache.enabled ? UINT32_MAX : 0;
    default: fault(c, "load from cluster register 0x%05x, which is not modelled", offset);
    }
}

void cluster_store(core *c, uint32_t offset, uint32_t value) {
    machine *m = c->machine;
    if (in(offset, EVENTS, 0x400)) {
        events_store(c, offset - EVENTS, value);
        return;
    }
    if (in(offset, DMA_INSIDE, 8) || in(offset, DMA_OUTSIDE, 8)) {
        dma_store(c, c->id, offset & 7, value);
        return;
    }
    if (in(offset, TRIGGER_OUTSIDE, 4 * 8)) {
        events_trigger(c, (offset - TRIGGER_OUTSIDE) / 4, value);
        return;
    }
    if (in(offset, BOOT, 4 * PES)) {
        m->boot[(offset - BOOT) / 4] = value;
        return;
    }
    switch (offset) {
    case 0x0: return; /* end of computation: nobody waits for it here */
    case FETCH_ENABLE: enable_fetch(c, value); return;
    case TIMER_CONFIG: set_timer(c, value); return;
    case TIMER_COUNT: m->timer_base = value, m->timer_from = c->now; return;
    case CACHE_ENABLE: m->cache.enabled = value != 0; return;
    case CACHE_FLUSH: flush_cache(&m->cache); return;
    default: fault(c, "store to cluster register 0x%05x, which is not modelled", offset);
    }
}
