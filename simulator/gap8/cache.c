/* The instruction cache that the cluster's cores share: 4 KB, lines of 16 bytes, four ways. A shift
 * register picks the way that goes, as in GVSoC. A core keeps the line it executes from; one that
 * reaches a line already on its way to another core does not wait for it, as in GVSoC. While the
 * cache is off, every line comes from L2. The fabric controller fetches from L2 beside it, at no
 * cost. */
#include "parts.h"

#include <string.h>

enum { NO_TAG = 1 };

void flush_cache(machine *m) {
    for (int s = 0; s < CACHE_SETS; s++)
        for (int w = 0; w < CACHE_WAYS; w++)
            m->cache.tags[s][w] = NO_TAG;
}

/* The way that goes next, others empty or not: of 8 bits with linear feedback. */
static int next_way(instruction_cache *cache) {
    uint8_t r = cache->random;
    uint8_t bit = (uint8_t)(~(r >> 7 ^ r >> 3 ^ r >> 2 ^ r >> 1) & 1);
    cache->random = (uint8_t)(r << 1 | bit);
    return cache->random >> 1 & (CACHE_WAYS - 1);
}

static void wait_until(core *c, uint64_t ready) {
    if (ready <= c->now)
        return;
    c->counts[FETCH_STALLS] += ready - c->now;
    c->now = ready;
}

static void through_cache(core *c, uint32_t line) {
    instruction_cache *cache = &c->machine->cache;
    uint32_t set = line / LINE_BYTES % CACHE_SETS;
    for (int w = 0; w < CACHE_WAYS; w++)
        if (cache->tags[set][w] == line)
            return;
    cache->tags[set][next_way(cache)] = line;
    wait_until(c, c->now + LINE_FILL);
}

/* The line of this address is the one that the core executes from next. */
void fetch_line(core *c, uint32_t line) {
    c->line = line;
    if (c->id == FC)
        return;
    if (c->machine->cache.enabled)
        through_cache(c, line);
    else
        wait_until(c, c->now + LINE_FILL);
}
