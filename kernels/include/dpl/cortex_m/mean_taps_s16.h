/* Means over the taps of windows, int16, eight neighbours at a time: each tap is multiplied and
 * added, so that sums of i32 need no product of their own. */
#ifndef DPL_CORTEX_M_MEAN_TAPS_S16_H
#define DPL_CORTEX_M_MEAN_TAPS_S16_H

#include "dpl/cortex_m/mean_of.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/cortex_m/taps_s16.h"

/* What an output is made of: taps times `each`, added to `begin`. */
typedef struct {
    int32_t each, begin;
    mean mean;
} scaled;

/* `count` times `length` neighbouring outputs, so far apart as their inputs. */
typedef struct {
    const int16_t *from;
    int16_t *to;
    int32_t from_step, to_step, length, count;
} output_runs;

/* Of eight outputs a run or more. */
typedef void means_of_eights(const scaled *s, window_lists *lists, const dpl_taps *window,
                             const output_runs *runs);

#if defined(__ARM_FEATURE_DSP)

/* A tap begins with two of its words loaded, t and u, and ends with those of the next, if any:
 * eight cycles, a product in each, beside which the other words are loaded. A word is a factor two
 * cycles after its load. */
#define EVEN_WORDS "ldr %[t], [%[x]]\n ldr %[u], [%[x], #4]\n"
#define EVEN_TAP(NEXT_T, NEXT_U)                                                                   \
    "smlabb %[s0], %[t], %[m], %[s0]\n ldr %[d], [%[list]], #4\n"                                  \
    "smlatb %[s1], %[t], %[m], %[s1]\n ldr %[t], [%[x], #8]\n"                                     \
    "smlabb %[s2], %[u], %[m], %[s2]\n"                                                            \
    "smlatb %[s3], %[u], %[m], %[s3]\n ldr %[u], [%[x], #12]\n"                                    \
    "smlabb %[s4], %[t], %[m], %[s4]\n add %[x], %[x], %[d]\n"                                     \
    "smlatb %[s5], %[t], %[m], %[s5]\n"                                                            \
    "smlabb %[s6], %[u], %[m], %[s6]\n" NEXT_T "smlatb %[s7], %[u], %[m], %[s7]\n" NEXT_U
#define EVEN_THEN EVEN_TAP("ldr %[t], [%[x]]\n", "ldr %[u], [%[x], #4]\n")
/* The same of a tap at a half of a word: elements of five words. */
#define ODD_WORDS "ldr %[u], [%[x], #2]\n ldr %[t], [%[x], #-2]\n"
#define ODD_TAP(NEXT_U, NEXT_T)                                                                    \
    "smlabb %[s1], %[u], %[m], %[s1]\n ldr %[d], [%[list]], #4\n"                                  \
    "smlatb %[s2], %[u], %[m], %[s2]\n ldr %[u], [%[x], #10]\n"                                    \
    "smlatb %[s0], %[t], %[m], %[s0]\n ldr %[t], [%[x], #6]\n"                                     \
    "smlabb %[s5], %[u], %[m], %[s5]\n"                                                            \
    "smlatb %[s6], %[u], %[m], %[s6]\n ldr %[u], [%[x], #14]\n"                                    \
    "smlabb %[s3], %[t], %[m], %[s3]\n add %[x], %[x], %[d]\n"                                     \
    "smlabb %[s7], %[u], %[m], %[s7]\n" NEXT_U "smlatb %[s4], %[t], %[m], %[s4]\n" NEXT_T
#define ODD_THEN ODD_TAP("ldr %[u], [%[x], #2]\n", "ldr %[t], [%[x], #-2]\n")
/* Ones and twos of taps, so that no loop of few turns is mispredicted: the lowest bits of a count
 * become flags. */
#define FEW_TAPS(WORDS, TAP, THEN)                                                                 \
    "lsls %[u], %[u], #31\n bpl 3f\n" WORDS TAP("", "") "3: bcc 4f\n" WORDS THEN TAP("", "") "4:"  \
                                                                                             "\n"
#define FOURS(STOP, WORDS, TAP, THEN)                                                              \
    "ldr %[d], %[" STOP "]\n cmp %[list], %[d]\n beq 6f\n"                                         \
    "5:\n" WORDS THEN THEN THEN TAP("", "") "ldr %[d], %[" STOP "]\n cmp %[list], %[d]\n bne 5b\n" \
                                            "6:\n"
#define ALL_TAPS                                                                                   \
    "mov %[s1], %[s0]\n mov %[s2], %[s0]\n mov %[s3], %[s0]\n mov %[s4], %[s0]\n"                  \
    "cmp %[list], %[d]\n mov %[s5], %[s0]\n mov %[s6], %[s0]\n mov %[s7], %[s0]\n beq 7f\n" FOURS( \
        "half", ODD_WORDS, ODD_TAP, ODD_THEN)                                                      \
        FOURS("fours", EVEN_WORDS, EVEN_TAP,                                                       \
              EVEN_THEN) "ldr %[u], %[odd]\n"                                                      \
                         "7:\n" FEW_TAPS(ODD_WORDS, ODD_TAP,                                       \
                                         ODD_THEN) "ldr %[u], %[even]\n" FEW_TAPS(EVEN_WORDS,      \
                                                                                  EVEN_TAP,        \
                                                                                  EVEN_THEN)
/* Stores are the younger of pairs whose older is the shift or the saturation of others. Halfwords
 * are stored by themselves: the output may lie at no word, and the buffer has time. What the next
 * eight begin with is loaded as soon as its place is free. */
#define AFFINE                                                                                     \
    "ldr %[d], %[shift]\n ldr %[t], %[to]\n"                                                       \
    "ldr %[u], %[end]\n ldr %[list], %[steps]\n"                                                   \
    "asr %[s0], %[s0], %[d]\n asr %[s1], %[s1], %[d]\n"                                            \
    "asr %[s2], %[s2], %[d]\n asr %[s3], %[s3], %[d]\n"                                            \
    "ssat %[s0], #16, %[s0]\n asr %[s4], %[s4], %[d]\n"                                            \
    "ssat %[s1], #16, %[s1]\n asr %[s5], %[s5], %[d]\n"                                            \
    "ssat %[s2], #16, %[s2]\n strh %[s0], [%[t]], #16\n"                                           \
    "ssat %[s3], #16, %[s3]\n strh %[s1], [%[t], #-14]\n"                                          \
    "asr %[s6], %[s6], %[d]\n asr %[s7], %[s7], %[d]\n" STORE_EIGHT
#define HIGH                                                                                       \
    "ldr %[d], %[high]\n ldr %[u], %[zero]\n"                                                      \
    "ldr %[t], %[to]\n ldr %[list], %[steps]\n"                                                    \
    "smmlar %[s0], %[s0], %[d], %[u]\n"                                                            \
    "smmlar %[s1], %[s1], %[d], %[u]\n"                                                            \
    "smmlar %[s2], %[s2], %[d], %[u]\n"                                                            \
    "ssat %[s0], #16, %[s0]\n smmlar %[s3], %[s3], %[d], %[u]\n"                                   \
    "ssat %[s1], #16, %[s1]\n smmlar %[s4], %[s4], %[d], %[u]\n"                                   \
    "ssat %[s2], #16, %[s2]\n smmlar %[s5], %[s5], %[d], %[u]\n"                                   \
    "ssat %[s3], #16, %[s3]\n smmlar %[s6], %[s6], %[d], %[u]\n"                                   \
    "strh %[s0], [%[t]], #16\n"                                                                    \
    "smmlar %[s7], %[s7], %[d], %[u]\n ldr %[u], %[end]\n"                                         \
    "strh %[s1], [%[t], #-14]\n" STORE_EIGHT
#define STORE_EIGHT                                                                                \
    "ssat %[s4], #16, %[s4]\n strh %[s2], [%[t], #-12]\n"                                          \
    "ssat %[s5], #16, %[s5]\n strh %[s3], [%[t], #-10]\n"                                          \
    "ssat %[s6], #16, %[s6]\n str %[t], %[to]\n"                                                   \
    "ssat %[s7], #16, %[s7]\n strh %[s4], [%[t], #-8]\n" BEGIN "strh %[s5], [%[t], #-6]\n"         \
    "cmp %[t], %[u]\n strh %[s6], [%[t], #-4]\n"                                                   \
    "ldr %[u], %[odd]\n strh %[s7], [%[t], #-2]\n bne 2b\n"
#define BEGIN "ldr %[s0], %[begin]\n ldr %[d], %[fours]\n"

/* A list's taps for `groups` > 0 times eight: 8 to 10 cycles a tap and about 27 for the rest. */
#define EIGHTS(SCALE)                                                                              \
    do {                                                                                           \
        const int32_t odd = taps->odd, even = taps->count - odd;                                   \
        const int32_t *list = taps->steps;                                                         \
        const int32_t *const steps = list, *const half = list + (odd & -4),                        \
                             *const fours = half + (even & -4);                                    \
        const int16_t *const end = to + GROUP * groups, *at = from + taps->first;                  \
        int32_t s0, s1, s2, s3, s4, s5, s6, s7, t, u, d;                                           \
        __asm__ volatile(                                                                          \
            BEGIN "ldr %[u], %[odd]\n2:\n" ALL_TAPS SCALE                                          \
            : [x] "+r"(at), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3),        \
              [s4] "=&r"(s4), [s5] "=&r"(s5), [s6] "=&r"(s6), [s7] "=&r"(s7), [t] "=&r"(t),        \
              [u] "=&r"(u), [d] "=&r"(d), [list] "+r"(list), [to] "+m"(to)                         \
            : [m] "r"(each), [begin] "m"(begin), [shift] "m"(shift), [high] "m"(high),             \
              [zero] "m"(zero), [end] "m"(end), [steps] "m"(steps), [half] "m"(half),              \
              [fours] "m"(fours), [odd] "m"(odd), [even] "m"(even)                                 \
            : "cc", "memory");                                                                     \
    } while (0)

/* The last of a run's eight or more are eight over those before. */
#define MEANS(NAME, SCALE)                                                                         \
    static __attribute__((noinline)) void NAME(const scaled *j, window_lists *lists,               \
                                               const dpl_taps *window, const output_runs *given) { \
        const int32_t begin = j->begin, shift = j->mean.shift, each = j->each;                     \
        const int32_t high = j->mean.multiplier, zero = j->mean.rounding;                          \
        const int32_t whole = given->length / GROUP, rest = given->length % GROUP;                 \
        const int16_t *x = given->from;                                                            \
        int16_t *out = given->to;                                                                  \
        for (int32_t i = given->count; i > 0; i--) {                                               \
            int32_t groups = whole, back = 0;                                                      \
            do {                                                                                   \
                const tap_list *taps = list_of(lists, window, x + back);                           \
                const int16_t *const from = x + back;                                              \
                int16_t *to = out + back;                                                          \
                EIGHTS(SCALE);                                                                     \
                groups = 1;                                                                        \
                back = rest > 0 && back == 0 ? given->length - GROUP : 0;                          \
            } while (back > 0);                                                                    \
            x += given->from_step;                                                                 \
            out += given->to_step;                                                                 \
        }                                                                                          \
    }

MEANS(affine_eights, AFFINE)
MEANS(high_eights, HIGH)

#else

static int32_t scaled_sum(const scaled *s, const int16_t *x, const tap_list *taps) {
    int32_t sum = s->begin;
    x += taps->first;
    for (int32_t t = 0; t < taps->count; x += taps->steps[t++] / 2) {
        sum += *x * s->each;
    }
    return sum;
}

static void affine_eights(const scaled *s, window_lists *lists, const dpl_taps *window,
                          const output_runs *r) {
    for (int32_t x = 0; x < r->count; x++) {
        for (int32_t i = 0; i < r->length; i++) {
            const int16_t *from = r->from + x * r->from_step + i;
            const int32_t sum = scaled_sum(s, from, list_of(lists, window, from));
            r->to[x * r->to_step + i] = (int16_t)saturate16(sum >> s->mean.shift);
        }
    }
}

static void high_eights(const scaled *s, window_lists *lists, const dpl_taps *window,
                        const output_runs *r) {
    for (int32_t x = 0; x < r->count; x++) {
        for (int32_t i = 0; i < r->length; i++) {
            const int16_t *from = r->from + x * r->from_step + i;
            const int32_t sum = scaled_sum(s, from, list_of(lists, window, from));
            r->to[x * r->to_step + i] =
                (int16_t)saturate16(scale_high(sum, s->mean.multiplier, s->mean.rounding));
        }
    }
}

#endif

#endif
