/* The cluster's DMA (MCHAN, command layout of version 6).
 *
 * Transfers of one direction are served one after the other, beside those of the other direction;
 * data moves when a transfer is complete, so that reading too early and overwriting too early both
 * show. An id may have several: its event comes, and it is no longer busy, when none is left. */
#include "parts.h"

#include <string.h>

enum { ID = 0, STATUS = 4, BURST = 256 };
enum { INTO_L1 = 1 << 16, INCREMENTS = 1 << 17, TWO_D = 1 << 18, EVENT = 1 << 19, ALL = 1 << 21 };
enum { DMA_EVENT = 1 << 8 };

/* Half cycles of a burst: two words of L1 a cycle. Into L1 the first word may share its cycle with
 * the last of the burst before, unless both lie in one word, and a burst takes a cycle; out of L1 a
 * burst begins after the one before. */
static uint32_t burst_halves(uint32_t l1, uint32_t bytes, bool into_l1) {
    uint32_t words = ((l1 & 3) + bytes + 3) / 4, even = (words + 1) / 2 * 2;
    if (!into_l1)
        return even + 2;
    if (words < 2 || (l1 + bytes) & 3)
        return even;
    return words;
}

static uint32_t least_bytes(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Cycles that the transfer's direction is busy. */
static uint64_t busy_cycles(const dma_transfer *t) {
    uint64_t halves = 0;
    for (uint32_t at = 0, bytes; at < t->length; at += bytes) {
        uint32_t rest = least_bytes(t->line - at % t->line, t->length - at);
        bytes = least_bytes(rest, BURST);
        halves += burst_halves(t->l1 + at, bytes, t->into_l1);
    }
    return (halves + 1) / 2;
}

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
        .l1 = p->words[1] < L1_SIZE ? p->words[1] + L1_BASE : p->words[1],
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
    bool in_l1 = t->l1 - L1_BASE <= L1_SIZE - t->length && t->length <= L1_SIZE;
    if (!in_l1)
        fault(c, "DMA: %u bytes at 0x%08x are not in L1", t->length, t->l1);
    if (t->external >> 28 != 1 || !plain_memory(c->machine, t->external, span(t)))
        fault(c, "DMA: %u bytes at 0x%08x are in no memory", span(t), t->external);
}

/* With its queue full the engine takes the last word of a command late. */
static void wait_for_place(core *c, const dma_engine *e) {
    if (e->queued < DMA_QUEUE)
        return;
    uint64_t place = e->queue[e->queued - DMA_QUEUE].done;
    if (place <= c->now)
        return;
    if (c->machine->two_clocks)
        c->waited += place - c->now;
    c->now = place;
}

static void enqueue(dma_engine *e, dma_transfer t) {
    int place = e->queued++;
    for (; place > 0 && e->queue[place - 1].done > t.done; place--)
        e->queue[place] = e->queue[place - 1];
    e->queue[place] = t;
}

static void issue(core *c, dma_port *p, int port) {
    dma_engine *e = &c->machine->dma;
    dma_transfer t = read_command(c, p, port);
    check_addresses(c, &t);
    wait_for_place(c, e);
    uint64_t *free_at = &e->free_at[t.into_l1];
    t.begin = *free_at > c->now ? *free_at : c->now;
    *free_at = t.begin + busy_cycles(&t);
    t.done = *free_at + t.into_l1; /* a word that leaves has been read */
    enqueue(e, t);
    e->busy |= 1u << t.id;
    come_back(c->machine, dma_done(c->machine));
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

uint64_t dma_done(const machine *m) {
    return m->dma.queued ? m->dma.queue[0].done : UINT64_MAX;
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
            signal_event(m, id, DMA_EVENT, t->done);
}

static bool more_of(const dma_engine *e, int id) {
    for (int i = 0; i < e->queued; i++)
        if (e->queue[i].id == id)
            return true;
    return false;
}

void dma_complete(machine *m) {
    dma_engine *e = &m->dma;
    dma_transfer t = e->queue[0];
    e->queued--;
    memmove(e->queue, e->queue + 1, (size_t)e->queued * sizeof *e->queue);
    for (uint32_t at = 0; at < t.length; at += t.line)
        move_line(m, &t, at, t.length - at < t.line ? t.length - at : t.line);
    if (more_of(e, t.id))
        return;
    e->busy &= ~(1u << t.id);
    tell(m, &t);
}
