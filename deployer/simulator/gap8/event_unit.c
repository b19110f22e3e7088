/* The event unit: events of each cluster core, barriers, and sleeping until an event comes. */
#include "parts.h"

enum offset {
    MASK = 0x00,
    MASK_AND = 0x04,
    MASK_OR = 0x08,
    BUFFER = 0x1c,
    BUFFER_CLEAR = 0x28,
    WAIT = 0x38,
    WAIT_CLEAR = 0x3c,
    TRIGGER = 0x100,
    TRIGGER_END = 0x120,
    BARRIERS = 0x200,
    BARRIERS_END = 0x300,
};
enum barrier_register { PARTICIPANTS = 0x00, WAKES = 0x0c, ARRIVE = 0x1c };
enum { BARRIER_EVENT = 1 << 16 };
enum { EARLIER = 2 }; /* cycles, of an event that the fabric controller gives */

static void take_events(core *c) {
    event_line *l = &c->machine->lines[c->id];
    c->r[c->wakes_into] = l->buffer & l->mask;
    c->r[0] = 0;
    if (c->wakes_clear)
        l->buffer &= ~l->mask;
}

/* Events of `bits` reach a core at the time `when`. */
void signal_event(machine *m, int id, uint32_t bits, uint64_t when) {
    core *c = &m->cores[id];
    event_line *l = &m->lines[id];
    l->buffer |= bits;
    if (!c->asleep || !(l->buffer & l->mask))
        return;
    uint64_t slept_until = when > c->asleep_since ? when : c->asleep_since;
    c->slept += slept_until - c->asleep_since;
    c->now = slept_until + WAKE;
    c->asleep = false;
    c->order = ++m->order;
    take_events(c);
    come_back(m, c->now);
}

/* Of those that wake the last comes first (schedule.c). */
static void signal_all(machine *m, uint32_t cores, uint32_t bits, uint64_t when) {
    for (int id = 0; id < PES; id++)
        if (cores >> id & 1)
            signal_event(m, id, bits, when);
}

/* From another clock domain, where the last request comes last. */
static void signal_from_outside(machine *m, uint32_t cores, uint32_t bits, uint64_t when) {
    for (int id = PES - 1; id >= 0; id--)
        if (cores >> id & 1)
            signal_event(m, id, bits, when - EARLIER);
}

static void arrive(core *c, barrier *b) {
    machine *m = c->machine;
    b->arrived |= 1u << c->id;
    if ((b->arrived & b->participants) != b->participants)
        return;
    b->arrived = 0;
    signal_all(m, b->wakes, BARRIER_EVENT, c->now);
    c->order = ++m->order;
}

/* p.elw: an event that is wanted is taken at once, otherwise the core sleeps until one comes. */
void events_wait(core *c, uint32_t offset, uint8_t rd) {
    event_line *l = &c->machine->lines[c->id];
    bool at_barrier = offset >= BARRIERS && offset < BARRIERS_END && offset % 0x20 == ARRIVE;
    if (!at_barrier && offset != WAIT && offset != WAIT_CLEAR)
        fault(c, "p.elw from event register 0x%03x, which is no place to wait", offset);
    c->asleep = true;
    c->asleep_since = c->now;
    c->wakes_into = rd;
    c->wakes_clear = offset != WAIT;
    if (at_barrier)
        arrive(c, &c->machine->barriers[(offset - BARRIERS) / 0x20]);
    if (c->asleep && l->buffer & l->mask)
        signal_event(c->machine, c->id, 0, c->now);
}

static barrier *barrier_at(core *c, uint32_t offset) {
    if (offset < BARRIERS || offset >= BARRIERS_END)
        fault(c, "event register 0x%03x is not modelled", offset);
    return &c->machine->barriers[(offset - BARRIERS) / 0x20];
}

static uint32_t load_barrier(core *c, uint32_t offset) {
    const barrier *b = barrier_at(c, offset);
    switch (offset % 0x20) {
    case PARTICIPANTS: return b->participants;
    case WAKES: return b->wakes;
    default: fault(c, "load from event register 0x%03x is not modelled", offset);
    }
}

static void store_barrier(core *c, uint32_t offset, uint32_t value) {
    barrier *b = barrier_at(c, offset);
    switch (offset % 0x20) {
    case PARTICIPANTS: b->participants = value; return;
    case WAKES: b->wakes = value; return;
    default: fault(c, "store to event register 0x%03x is not modelled", offset);
    }
}

static event_line *own_line(core *c) {
    if (c->id == FC)
        fault(c, "the fabric controller has no line of the cluster's event unit");
    return &c->machine->lines[c->id];
}

uint32_t events_load(core *c, uint32_t offset) {
    const event_line *l = own_line(c);
    switch (offset) {
    case MASK: return l->mask;
    case BUFFER: return l->buffer;
    default: return load_barrier(c, offset);
    }
}

/* A software event goes to the cores named, to all if none is. */
void events_trigger(core *c, uint32_t event, uint32_t cores) {
    uint32_t named = cores ? cores : 0xff;
    if (c->id == FC)
        signal_from_outside(c->machine, named, 1u << event, c->now);
    else
        signal_all(c->machine, named, 1u << event, c->now);
}

void events_store(core *c, uint32_t offset, uint32_t value) {
    event_line *l = own_line(c);
    if (offset >= TRIGGER && offset < TRIGGER_END) {
        events_trigger(c, (offset - TRIGGER) / 4, value);
        return;
    }
    switch (offset) {
    case MASK: l->mask = value; return;
    case MASK_AND: l->mask &= ~value; return;
    case MASK_OR: l->mask |= value; return;
    case BUFFER_CLEAR: l->buffer &= ~value; return;
    default: store_barrier(c, offset, value);
    }
}
