/* The DMA's turns at the banks of L1, two words a cycle and direction, beside the cores. */
#include "parts.h"

/* A word at a bank in a cycle: the transfer's place after as many half cycles. */
static bool uses(const dma_transfer *t, uint32_t late, uint32_t bank, uint64_t when) {
    if (when < t->begin || when >= t->done)
        return false;
    uint64_t words = ((t->l1 & 3) + t->length + 3) / 4, halves = 2 * (when - t->begin);
    uint64_t word = (halves > late ? halves - late : 0) * words / (2 * (t->done - t->begin));
    return ((bank - (t->l1 >> 2) - (uint32_t)word) & (BANKS - 1)) < 2;
}

static void swap(dma_transfer *a, dma_transfer *b) {
    dma_transfer kept = *a;
    *a = *b;
    *b = kept;
}

static void sort(dma_engine *e) {
    for (int i = 1; i < e->queued; i++)
        for (int j = i; j > 0 && e->queue[j - 1].done > e->queue[j].done; j--)
            swap(&e->queue[j - 1], &e->queue[j]);
}

/* One of the two words that a direction moves in a cycle comes a cycle late: the rest of it, and
 * what waits behind, half a cycle. */
static void delay(dma_engine *e, bool into_l1) {
    if (++e->late[into_l1] < 2)
        return;
    e->late[into_l1] = 0;
    e->free_at[into_l1]++;
    for (int i = 0; i < e->queued; i++)
        if (e->queue[i].into_l1 == into_l1) {
            e->queue[i].begin++;
            e->queue[i].done++;
        }
    sort(e);
}

/* Whether a core has to let the DMA go first at a bank. In GVSoC the DMA's step has come in the
 * cycle before: it comes before those of cores that have taken longer for theirs, and with the
 * others takes turns, counted from the last call of the cluster: what that does takes as long
 * whenever it comes. */
bool dma_comes_first(core *c, uint32_t bank, uint64_t when) {
    dma_engine *e = &c->machine->dma;
    uint64_t slot = when - c->machine->arbitration_from + (uint64_t)c->id;
    bool first = c->before + 1 < when || slot % 2 == 0;
    for (int i = 0; i < e->queued; i++) {
        bool into_l1 = e->queue[i].into_l1;
        if (!uses(&e->queue[i], e->late[into_l1], bank, when))
            continue;
        if (!first)
            delay(e, into_l1);
        return first;
    }
    return false;
}
