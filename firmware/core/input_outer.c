/* The harness's copy of the inputs in the memory behind the arena's, DPL_INPUT_OUTER bytes from its
 * start, so that no inference has to do without these bytes. That memory moves words. */
#include "network.h"

#ifdef DPL_INPUT_OUTER

#include "dpl_l3.h"

#define WINDOW 1024u

static _Alignas(4) uint8_t window[WINDOW];

/* Words in the outer memory; `count` bytes behind the first `skip` of them are meant. */
typedef struct {
    uint32_t at, bytes, skip, count;
} span;

/* The first of `count` bytes from `offset` on, as many as the window takes. */
static span span_of(uint32_t offset, uint32_t count) {
    uint32_t skip = offset % 4;
    uint32_t most = WINDOW - skip;
    uint32_t taken = count < most ? count : most;
    return (span){DPL_INPUT_OUTER + offset - skip, (skip + taken + 3) / 4 * 4, skip, taken};
}

static void fetch(void *into, uint32_t at, uint32_t bytes) {
    dpl_l3_wait(dpl_l3_read(into, at, bytes));
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

/* NULL for `bytes`: zeros. */
void dpl_input_write(uint32_t offset, const uint8_t *bytes, uint32_t count) {
    while (count > 0) {
        span s = span_of(offset, count);
        put(s, bytes);
        offset += s.count;
        count -= s.count;
        bytes = bytes ? bytes + s.count : bytes;
    }
}

void dpl_input_clear(void) {
    dpl_input_write(0, 0, DPL_INPUT_BYTES);
}

static uint32_t read_window(uint32_t offset, uint8_t *into, uint32_t count) {
    span s = span_of(offset, count);
    fetch(window, s.at, s.bytes);
    for (uint32_t i = 0; i < s.count; i++) {
        into[i] = window[s.skip + i];
    }
    return s.count;
}

/* Whole words need no window. */
static uint32_t read_words(uint32_t offset, uint8_t *into, uint32_t count) {
    if (offset % 4 || (uint32_t)into % 4) {
        return 0;
    }
    fetch(into, DPL_INPUT_OUTER + offset, count / 4 * 4);
    return count / 4 * 4;
}

void dpl_input_read(uint32_t offset, uint8_t *into, uint32_t count) {
    for (uint32_t done = read_words(offset, into, count); done < count;) {
        done += read_window(offset + done, into + done, count - done);
    }
}

#endif
