/* The cluster's DMA at work. In a cycle each direction moves up to two words of L1, by a port each,
 * at the banks that the cores use; which comes first at a bank is a matter of the order of steps,
 * the cores' and the engine's. Outside of L1 the engine asks for a burst a cycle: into L1 up to
 * eight ahead, out of L1 for the next when the one before has been read. */
#include "parts.h"

enum { BURST = 256, PORTS = 2 };

static const uint32_t most_asked[] = {1, 8}; /* out of L1, into it */

static uint32_t least_bytes(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* The end of the burst that begins at byte `at` of a transfer. */
static uint32_t burst_end(const dma_transfer *t, uint32_t at) {
    uint32_t rest = least_bytes(t->line - at % t->line, t->length - at);
    return at + least_bytes(rest, BURST);
}

static bool asks(const dma_side *s, bool into_l1, uint64_t now) {
    if (s->asking == s->queued || s->asked == most_asked[into_l1])
        return false;
    return s->queue[s->asking].begin <= now;
}

static void ask(dma_side *s) {
    dma_transfer *t = &s->queue[s->asking];
    t->asked = burst_end(t, t->asked);
    s->asked++;
    s->asking += t->asked == t->length;
}

static void move_word(machine *m, dma_side *s, uint64_t *port_free_at) {
    dma_transfer *t = &s->queue[0];
    if (t->moved == t->burst_end)
        t->burst_end = burst_end(t, t->moved);
    uint32_t l1 = t->l1 + t->moved, bytes = least_bytes(4 - l1 % 4, t->burst_end - t->moved);
    *port_free_at = take_bank(m, l1, m->dma.now) + 1;
    t->moved += bytes;
    s->asked -= t->moved == t->burst_end;
    if (t->moved == t->length)
        dma_complete(m, s);
}

static void step_side(machine *m, bool into_l1) {
    dma_side *s = &m->dma.sides[into_l1];
    bool asking = asks(s, into_l1, m->dma.now);
    for (int port = 0; port < PORTS; port++)
        if (s->asked > 0 && s->port_free_at[port] <= m->dma.now)
            move_word(m, s, &s->port_free_at[port]);
    if (asking)
        ask(s);
}

/* What both directions do in a cycle. */
void dma_step(machine *m) {
    m->dma.order = ++m->order;
    step_side(m, true);
    step_side(m, false);
    m->dma.now++;
}

uint64_t dma_due(const machine *m) {
    return m->dma.sides[0].queued || m->dma.sides[1].queued ? m->dma.now : UINT64_MAX;
}
