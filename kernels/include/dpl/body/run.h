/* Runs of neighbouring elements, copied or filled. Eight at a time: compilers merge the loads and
 * stores into words where the core takes unaligned ones (7 instructions for 8 int8 on a Cortex-M7,
 * 11 for 8 int16), and do not mistake the loops for memcpy and memset, which a kernel must not
 * need. */
#ifndef DPL_BODY_RUN_H
#define DPL_BODY_RUN_H

#include <stdint.h>

static inline void copy_rest(element *restrict out, const element *restrict from, int32_t count) {
    switch (count) {
    case 7: out[6] = from[6]; /* fall through */
    case 6: out[5] = from[5]; /* fall through */
    case 5: out[4] = from[4]; /* fall through */
    case 4: out[3] = from[3]; /* fall through */
    case 3: out[2] = from[2]; /* fall through */
    case 2: out[1] = from[1]; /* fall through */
    case 1: out[0] = from[0]; /* fall through */
    default: break;
    }
}

static inline void copy_run(element *restrict out, const element *restrict from, int32_t count) {
    for (; count >= 8; count -= 8, out += 8, from += 8) {
        element a = from[0], b = from[1], c = from[2], d = from[3];
        element e = from[4], f = from[5], g = from[6], h = from[7];
        out[0] = a;
        out[1] = b;
        out[2] = c;
        out[3] = d;
        out[4] = e;
        out[5] = f;
        out[6] = g;
        out[7] = h;
    }
    copy_rest(out, from, count);
}

static inline void fill_rest(element *out, element value, int32_t count) {
    switch (count) {
    case 7: out[6] = value; /* fall through */
    case 6: out[5] = value; /* fall through */
    case 5: out[4] = value; /* fall through */
    case 4: out[3] = value; /* fall through */
    case 3: out[2] = value; /* fall through */
    case 2: out[1] = value; /* fall through */
    case 1: out[0] = value; /* fall through */
    default: break;
    }
}

/* `pixels` runs of `count` elements, so far apart. */
static inline void copy_each(element *out, int32_t out_pitch, const element *from,
                             int32_t from_pitch, int32_t count, int32_t pixels) {
    for (; pixels > 0; pixels--, out += out_pitch, from += from_pitch) {
        copy_run(out, from, count);
    }
}

static inline void fill_run(element *out, element value, int32_t count) {
    for (; count >= 8; count -= 8, out += 8) {
        out[0] = value;
        out[1] = value;
        out[2] = value;
        out[3] = value;
        out[4] = value;
        out[5] = value;
        out[6] = value;
        out[7] = value;
    }
    fill_rest(out, value, count);
}

#endif
