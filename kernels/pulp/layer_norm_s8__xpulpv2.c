/* LayerNorm, int8: four channels of some pixels at a time, so that each scale and offset, which lie
 * in L2, is read once for all of these, and numbers are read and written in words. */
#include "dpl/body/norm.h"
#include "dpl/cores.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/outputs.h"

typedef dpl_norm_s8_args args;

enum { SOME = 8, WORD = 4 }; /* pixels, channels */

/* A pixel: normal numbers are the high words of count * x - total times multiplier, rounded and
 * shifted on by 1 or more. */
typedef struct {
    const int8_t *x;
    int8_t *out;
    int32_t count, total, multiplier, half, shift;
} pixel;

/* Whole words, at least one: a loop of p.lw and of pv.sdotsp.b with ones and with itself. */
static inline void add_words(const int8_t *x, int32_t words, int32_t *total, int32_t *squares) {
    int32_t word;
    __asm__ volatile(".insn i 0x7b, 4, x0, %4, 6\n"
                     ".insn i 0x0b, 2, %3, 4(%2)\n"
                     ".insn r 0x57, 1, 0x5c, %0, %3, %5\n"
                     ".insn r 0x57, 1, 0x5c, %1, %3, %3\n"
                     : "+r"(*total), "+r"(*squares), "+r"(x), "=&r"(word)
                     : "r"(words), "r"(0x01010101)
                     : "memory");
}

/* The squares of 65,536 numbers fit 32 bits. */
static moments moments_of(const int8_t *x, int32_t count) {
    int32_t total = 0, squares = 0;
    if (count >= WORD) {
        add_words(x, count / WORD, &total, &squares);
    }
    for (int32_t i = count & ~(WORD - 1); i < count; i++) {
        total += x[i];
        squares += x[i] * x[i];
    }
    const moments m = {total, (uint32_t)squares};
    return m;
}

/* Where the shift takes no more than the low word, differences are shifted up before: they fit, as
 * they are at most a few times the root that they are divided by. */
static void set_pixel(const args *a, pixel *p) {
    const normalizer n = normalizer_of(a, moments_of(p->x, a->input.channels), a->input.channels);
    const int32_t beyond = n.over.shift > 32 ? n.over.shift - 32 : 1;
    const int32_t up = 32 + beyond - n.over.shift;
    p->count = (int32_t)((uint32_t)n.count << up);
    p->total = (int32_t)((uint32_t)n.total << up);
    p->multiplier = n.over.multiplier;
    p->half = 1 << (beyond - 1);
    p->shift = beyond;
}

/* Modulo 2^32 the difference is right wherever it begins. */
static inline int32_t normal_of(const pixel *p, int32_t x) {
    const int32_t d = (int32_t)((uint32_t)p->count * (uint32_t)x - (uint32_t)p->total);
    const int32_t high = (int32_t)(((int64_t)d * p->multiplier) >> 32);
    return dpl_bounded((high + p->half) >> p->shift, INT16_MIN, INT16_MAX);
}

/* Channels c to c + count of some pixels. */
static inline __attribute__((always_inline)) void
some_channels(dpl_rule rule, const dpl_outputs *given, const args *a, const pixel *p,
              int32_t pixels, int32_t c, int32_t count) {
    const dpl_outputs o = *given; /* a store could change it */
    int32_t scale[WORD] = {0, 0, 0, 0}, offset[WORD] = {0, 0, 0, 0};
    for (int32_t i = 0; i < count; i++) {
        scale[i] = a->scale[c + i];
        offset[i] = a->offset[c + i];
    }
    for (; pixels > 0; pixels--, p++) {
        int8_t bytes[WORD] = {0, 0, 0, 0};
        dpl_copy_bytes(bytes, p->x + c, count);
        _Pragma("GCC unroll 4") for (int32_t i = 0; i < WORD; i++) {
            const int32_t sum = normal_of(p, bytes[i]) * scale[i] + offset[i];
            bytes[i] = (int8_t)dpl_output_of(rule, &o, sum);
        }
        dpl_copy_bytes(p->out + c, bytes, count);
    }
}

static inline __attribute__((always_inline)) void
all_channels(dpl_rule rule, const dpl_outputs *o, const args *a, const pixel *p, int32_t pixels) {
    const int32_t channels = a->input.channels, whole = channels & ~(WORD - 1);
    for (int32_t c = 0; c < whole; c += WORD) {
        some_channels(rule, o, a, p, pixels, c, WORD);
    }
    if (whole < channels) {
        some_channels(rule, o, a, p, pixels, whole, channels - whole);
    }
}

static void normalize(const dpl_outputs *o, const args *a, const pixel *p, int32_t pixels) {
    switch (o->requant.rule) {
    case DPL_I32: all_channels(DPL_I32, o, a, p, pixels); break;
    case DPL_Q32: all_channels(DPL_Q32, o, a, p, pixels); break;
    default: all_channels(DPL_Q31, o, a, p, pixels); break;
    }
}

/* Cores share the pixels. */
void dpl_layer_norm_s8__xpulpv2(const dpl_norm_s8_args *a) {
    const int32_t width = a->output.width;
    const dpl_share share = dpl_core_share(a->output.height * width);
    dpl_outputs o;
    pixel some[SOME];
    dpl_outputs_by(&a->requant, &o);
    for (int32_t i = share.begin; i < share.end; i += SOME) {
        const int32_t pixels = share.end - i < SOME ? share.end - i : SOME;
        for (int32_t k = 0; k < pixels; k++) {
            const int32_t y = (i + k) / width, x = (i + k) % width;
            some[k].x = dpl_row_s8(&a->input, y) + x * a->input.pixel_pitch;
            some[k].out = dpl_row_s8(&a->output, y) + x * a->output.pixel_pitch;
            set_pixel(a, some + k);
        }
        normalize(&o, a, some, pixels);
    }
}
