#include "fetch.h"

#include "dpl/fetched.h"
#include "network.h"

#ifdef DPL_PREFETCH_STEPS

#include "dpl_l3.h"

static uint32_t weights = DPL_L3_WEIGHTS;

static struct {
    uint32_t requested, here;               /* entries of the table, one after the other */
    uint32_t transfers[DPL_PREFETCH_STEPS]; /* no step fetches twice */
} fetched;

static void start_fetch(const dpl_fetch *fetch) {
    uint32_t transfer = dpl_l3_read(fetch->to, weights + fetch->from, fetch->bytes);
    fetched.transfers[fetched.requested++] = transfer;
}

void dpl_fetch_from(uint32_t l3) {
    weights = l3;
}

uint32_t dpl_fetched_crc(uint32_t bytes) {
    return dpl_l3_crc(weights, bytes);
}

int dpl_is_fetched(uint32_t number) {
    return number <= fetched.requested && dpl_l3_done(fetched.transfers[number - 1]);
}

void dpl_fetch_for(uint32_t step) {
    const dpl_fetch *table = DPL_NETWORK.fetches;
    uint32_t count = DPL_NETWORK.fetch_count;
    if (step == 0) {
        fetched.requested = 0;
        fetched.here = 0;
    }
    while (fetched.requested < count && table[fetched.requested].begin <= step) {
        start_fetch(&table[fetched.requested]);
    }
    while (fetched.here < count && table[fetched.here].step <= step) {
        dpl_l3_wait(fetched.transfers[fetched.here++]);
    }
}

#else

int dpl_is_fetched(uint32_t number) {
    (void)number;
    return 1;
}

uint32_t dpl_fetched_crc(uint32_t bytes) {
    (void)bytes;
    return 0;
}

#endif
