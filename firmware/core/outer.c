#include "outer.h"

#if defined(DPL_INPUT_OUTER) || defined(DPL_SPILLS)

#include "dpl_l3.h"

#define WINDOW 1024u

static _Alignas(4) uint8_t window[WINDOW];

/* Words in the outer memory; `count` bytes behind the first `skip` of them are meant. */
typedef struct {
    uint32_t at, bytes, skip, count;
} span;

/* The first of `count` bytes from `at` on, as many as the window takes. */
static span span_of(uint32_t at, uint32_t count) {
    uint32_t skip = at % 4;
    uint32_t most = WINDOW - skip;
    uint32_t taken = count < most ? count : most;
    return (span){at - skip, (skip + taken + 3) / 4 * 4, skip, taken};
}

static void fetch(void *into, uint32_t at, uint32_t bytes) {
    dpl_l3_wait(dpl_l3_read(into, at, bytes));
}

/* How many bytes need no window: whole words. */
static uint32_t words(uint32_t at, const uint8_t *bytes, uint32_t count) {
    return at % 4 || (uint32_t)bytes % 4 ? 0 : count / 4 * 4;
}

static void put(span s, const uint8_t *bytes) {
    if (s.bytes != s.count) {
        fetch(window, s.at, s.bytes);
    }
    for (uint32_t i = 0; i < s.count; i++) {
        window[s.skip + i] = bytes ? bytes[i] : 0;
    }
    dpl_l3_wait(dpl_l3_write(s.at, window, s.bytes));
}

void dpl_outer_write(uint32_t at, const uint8_t *bytes, uint32_t count) {
    for (uint32_t done = 0; done < count;) {
        span s = span_of(at + done, count - done);
        put(s, bytes ? bytes + done : bytes);
        done += s.count;
    }
}

void dpl_outer_write_arena(uint32_t at, const uint8_t *bytes, uint32_t count) {
    uint32_t done = words(at, bytes, count);
    if (done) {
        dpl_l3_wait(dpl_l3_write(at, bytes, done));
    }
    dpl_outer_write(at + done, bytes + done, count - done);
}

static uint32_t read_window(uint32_t at, uint8_t *into, uint32_t count) {
    span s = span_of(at, count);
    fetch(window, s.at, s.bytes);
    for (uint32_t i = 0; i < s.count; i++) {
        into[i] = window[s.skip + i];
    }
    return s.count;
}

void dpl_outer_read(uint32_t at, uint8_t *into, uint32_t count) {
    uint32_t done = words(at, into, count);
    if (done) {
        fetch(into, at, done);
    }
    while (done < count) {
        done += read_window(at + done, into + done, count - done);
    }
}

#endif
