/* What cores and the cluster's DMA (MCHAN, command layout of version 6) tell each other.
 *
 * Transfers of one direction are served one after the other, beside those of the other direction;
 * data moves when a transfer is complete, so that reading too early and overwriting too early both
 * show. An id may have several: its event comes, and it is no longer busy, when none is left. */
#include "parts.h"

#include <string.h>

enum { ID = 0, STATUS = 4 };
enum { UNDER_WAY = 1 }; /* cycles from a command to the step that asks for its first burst */
enum { INTO_L1 = 1 << 16, INCREMENTS = 1 << 17, TWO_D = 1 << 18, EVENT = 1 << 19, ALL = 1 << 21 };
enum { DMA_EVENT = 1 << 8 };

static int allocate(core *c, dma_engine *e, dma_port *p) {
    for (int id = 0; id < DMA_IDS; id++)
        if (!(e->taken >> id & 1)) {
            e->taken |= 1u << id;
            p->count = 0;
            return id;
        }
    fault(c, "all %d transfers of the DMA are taken: free the ids that are done", DMA_IDS);
}

uint32_t dma_load(core *c, int port, uint32_t offset) {
    dma_engine *e = &c->machine->dma;
    if (offset == STATUS)
        return e->busy | e->taken << 16;
    e->ports[port].id = allocate(c, e, &e->ports[port]);
    return (uint32_t)e->ports[port].id;
}

static dma_transfer read_command(core *c, const dma_port *p, int port) {
    uint32_t command = p->words[0];
    dma_transfer t = {
        .length = command & 0xffff,
        .l1 = p->words[1] < c->machine->l1_size ? p->words[1] + L1_BASE : p->words[1],
        .external = p->words[2],
        .line = command & TWO_D ? p->words[3] & 0x7fff : command & 0xffff,
        .stride = p->words[3] >> 16,
        .into_l1 = command & INTO_L1,
        .event = command & EVENT,
        .broadcast = command & ALL,
        .id = p->id,
        .port = port,
    };
    if (t.length == 0 || t.line == 0)
        fault(c, "a DMA transfer of %u bytes in lines of %u", t.length, t.line);
    if (!(command & INCREMENTS))
        fault(c, "DMA transfers that do not increment are not modelled");
    return t;
}

/* Bytes of the external side from its first to behind its last. */
static uint32_t span(const dma_transfer *t) {
    uint32_t lines = (t->length + t->line - 1) / t->line;
    return (lines - 1) * (t->line == t->length ? 0 : t->stride) + t->length - (lines - 1) * t->line;
}

static void check_addresses(core *c, const dma_transfer *t) {
    uint32_t size = c->machine->l1_size;
    bool in_l1 = t->length <= size && t->l1 - L1_BASE <= size - t->length;
    if (!in_l1)
        fault(c, "DMA: %u bytes at 0x%08x are not in L1", t->length, t->l1);
    if (t->external >> 28 != 1 || !plain_memory(c->machine, t->external, span(t)))
        fault(c, "DMA: %u bytes at 0x%08x are in no memory", span(t), t->external);
}

static int queued(const dma_engine *e) {
    return e->sides[0].queued + e->sides[1].queued;
}

static void enqueue(machine *m, dma_transfer t) {
    dma_engine *e = &m->dma;
    if (queued(e) == 0) {
        e->now = t.begin;
        e->order = ++m->order;
    }
    dma_side *s = &e->sides[t.into_l1];
    s->queue[s->queued++] = t;
    come_back(m, e->now);
}

/* With its queue full the engine takes the last word of a command late. */
static void issue(core *c, dma_port *p, int port) {
    dma_engine *e = &c->machine->dma;
    dma_transfer t = read_command(c, p, port);
    check_addresses(c, &t);
    t.begin = c->now + UNDER_WAY;
    c->held = queued(e) >= DMA_QUEUE;
    enqueue(c->machine, t);
    e->busy |= 1u << t.id;
    p->count = 0;
}

/* Those in use stay taken, and their ports keep them. */
static void free_ids(dma_engine *e, uint32_t ids) {
    e->taken &= ~ids | e->busy;
    for (int port = 0; port < CORES; port++)
        if (e->ports[port].id >= 0 && !(e->taken >> e->ports[port].id & 1))
            e->ports[port].id = -1;
}

void dma_store(core *c, int port, uint32_t offset, uint32_t value) {
    dma_engine *e = &c->machine->dma;
    dma_port *p = &e->ports[port];
    if (offset == STATUS) {
        free_ids(e, value & 0xffff);
        return;
    }
    if (p->id < 0)
        fault(c, "a DMA command without an id: read one first");
    p->words[p->count++] = value;
    if (p->count == (p->words[0] & TWO_D ? 4 : 3))
        issue(c, p, port);
}

static void move_line(machine *m, const dma_transfer *t, uint32_t at, uint32_t bytes) {
    uint32_t external = t->external + (t->line == t->length ? at : at / t->line * t->stride);
    uint8_t *l1 = m->l1 + (t->l1 - L1_BASE + at), *out = plain_memory(m, external, bytes);
    memmove(t->into_l1 ? l1 : out, t->into_l1 ? out : l1, bytes);
    if (!t->into_l1)
        forget_code(m, external, bytes);
}

static void tell(machine *m, const dma_transfer *t) {
    for (int id = 0; id < PES; id++)
        if (t->broadcast || (t->event && id == t->port))
            signal_event(m, id, DMA_EVENT, m->dma.now);
}

static bool more_of(const dma_engine *e, int id) {
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < e->sides[side].queued; i++)
            if (e->sides[side].queue[i].id == id)
                return true;
    return false;
}

/* The first core whose command the engine had no place for goes on. */
static void release(machine *m) {
    for (int id = 0; id < CORES; id++) {
        core *c = &m->cores[id];
        if (!c->held)
            continue;
        c->held = false;
        wait_until(c, m->dma.now);
        return;
    }
}

static void move_lines(machine *m, const dma_transfer *t) {
    for (uint32_t at = 0; at < t->length; at += t->line)
        move_line(m, t, at, t->length - at < t->line ? t->length - at : t->line);
}

void dma_complete(machine *m, dma_side *s) {
    dma_transfer t = s->queue[0];
    s->queued--;
    s->asking--;
    memmove(s->queue, s->queue + 1, (size_t)s->queued * sizeof *s->queue);
    move_lines(m, &t);
    release(m);
    if (more_of(&m->dma, t.id))
        return;
    m->dma.busy &= ~(1u << t.id);
    tell(m, &t);
}
