/* The instruction caches: the one that the cluster's cores share, and the fabric controller's own.
 * Lines of 16 bytes, four ways; a shift register picks the way that goes, as in GVSoC. A core keeps
 * the line it executes from; one that reaches a line already on its way to another core does not
 * wait for it, as in GVSoC. While a cache is off, every line comes from L2. */
#include "parts.h"

#include <string.h>

enum { NO_TAG = 1 };

void flush_cache(instruction_cache *cache) {
    for (int s = 0; s < CACHE_SETS; s++)
        for (int w = 0; w < CACHE_WAYS; w++)
            cache->tags[s][w] = NO_TAG;
}

void clear_cache(instruction_cache *cache) {
    flush_cache(cache);
    cache->random = 0;
}

/* The way that goes next, others empty or not: of 8 bits with linear feedback. */
static int next_way(instruction_cache *cache) {
    uint8_t r = cache->random;
    uint8_t bit = (uint8_t)(~(r >> 7 ^ r >> 3 ^ r >> 2 ^ r >> 1) & 1);
    cache->random = (uint8_t)(r << 1 | bit);
    return cache->random >> 1 & (CACHE_WAYS - 1);
}

/* Whether the line is there; if not, it will be. */
static bool holds(instruction_cache *cache, uint32_t line, uint32_t sets) {
    uint32_t *ways = cache->tags[line / LINE_BYTES % sets];
    for (int w = 0; cache->enabled && w < CACHE_WAYS; w++)
        if (ways[w] == line)
            return true;
    if (cache->enabled)
        ways[next_way(cache)] = line;
    return false;
}

/* The line of this address is the one that the core executes from next. Returns the cycles until
 * it is there. */
uint32_t fetch_line(core *c, uint32_t line) {
    machine *m = c->machine;
    bool fc = c->id == FC;
    c->line = line;
    if (holds(fc ? &m->fc_cache : &m->cache, line, fc ? FC_CACHE_SETS : CACHE_SETS))
        return 0;
    uint32_t cost = fc ? FC_LINE_FILL : LINE_FILL;
    c->counts[FETCH_STALLS] += cost;
    return cost;
}
