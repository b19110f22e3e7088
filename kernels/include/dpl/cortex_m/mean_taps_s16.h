/* Means over the taps of windows, int16, eight neighbours at a time, whose sums stay in registers.
 */
#ifndef DPL_CORTEX_M_MEAN_TAPS_S16_H
#define DPL_CORTEX_M_MEAN_TAPS_S16_H

#include "dpl/cortex_m/mean_of.h"
#include "dpl/cortex_m/simd.h"

#include "dpl/cortex_m/blocking.h"

enum { GROUP = DPL_POOL_GROUP_BYTES / sizeof(int16_t) };
#define HALVES 1

#include "dpl/cortex_m/window_lists.h"

/* `count` times `length` neighbouring outputs, so far apart as their inputs. */
typedef struct {
    const int16_t *from;
    int16_t *to;
    int32_t from_step, to_step, length, count;
} output_runs;

#if defined(__ARM_FEATURE_DSP)

#define LOAD(X, AT) "ldr %[" X "], [%[x], #" AT "]\n"
#define NEXT_STEP "ldr %[d], [%[list]], #4\n"
#define MOVE_ON "add %[x], %[x], %[d]\n"
#define ADD_LOW(S, X) "sxtah %[" S "], %[" S "], %[" X "]\n"
#define ADD_HIGH(S, X) "smlatb %[" S "], %[" X "], %[one], %[" S "]\n"
#define LOW(S, X) "sxth %[" S "], %[" X "]\n"
#define HIGH(S) "asr %[" S "], %[" S "], #16\n"

/* Of a word's halves sxtah adds one, the older of a pair, and a product with 1 the other. A tap
 * begins with two of its words loaded, t and u, and ends with those of the next, if any: seven
 * cycles. A word is extended or a factor two cycles after its load. */
#define WORDS LOAD("t", "0") LOAD("u", "4")
#define TAP(NEXT_T, NEXT_U)                                                                        \
    ADD_LOW("s0", "t")                                                                             \
    NEXT_STEP ADD_HIGH("s1", "t") LOAD("t", "8") ADD_LOW("s2", "u") ADD_HIGH("s3", "u")            \
        ADD_LOW("s4", "t") LOAD("u", "12") MOVE_ON ADD_HIGH("s5", "t") ADD_LOW("s6", "u")          \
            NEXT_T ADD_HIGH("s7", "u") NEXT_U
#define TAP_THEN TAP(LOAD("t", "0"), LOAD("u", "4"))
#define LAST_TAP TAP("", "")
#define FIRST_TAP                                                                                  \
    LOAD("s1", "0")                                                                                \
    LOAD("s3", "4")                                                                                \
    LOAD("s5", "8")                                                                                \
    LOAD("s7", "12")                                                                               \
    NEXT_STEP LOW("s0", "s1") HIGH("s1") LOW("s2", "s3") HIGH("s3") MOVE_ON LOW("s4", "s5")        \
        HIGH("s5") LOW("s6", "s7") HIGH("s7")
/* The same of a tap at a half of a word: elements of five words, eight cycles. */
#define ODD_WORDS LOAD("u", "2") LOAD("t", "-2")
#define ODD_TAP(NEXT_U, NEXT_T)                                                                    \
    ADD_LOW("s1", "u")                                                                             \
    NEXT_STEP ADD_HIGH("s0", "t") LOAD("t", "6") ADD_HIGH("s2", "u") LOAD("u", "10")               \
        ADD_LOW("s3", "t") ADD_HIGH("s4", "t") ADD_LOW("s5", "u") LOAD("t", "14")                  \
            MOVE_ON ADD_HIGH("s6", "u") ADD_LOW("s7", "t") NEXT_U NEXT_T
#define ODD_TAP_THEN ODD_TAP(LOAD("u", "2"), LOAD("t", "-2"))
#define LAST_ODD_TAP ODD_TAP("", "")
#define FIRST_ODD_TAP                                                                              \
    LOAD("s0", "-2")                                                                               \
    LOAD("s2", "2")                                                                                \
    LOAD("s4", "6")                                                                                \
    LOAD("s6", "10")                                                                               \
    NEXT_STEP LOAD("s7", "14") "asr %[s0], %[s0], #16\n" LOW("s1", "s2") HIGH("s2")                \
        LOW("s3", "s4") HIGH("s4") MOVE_ON LOW("s5", "s6") HIGH("s6") LOW("s7", "s7")

/* `t` taps: fours of them up to a place of the list, then one and two, so that no loop of few turns
 * is mispredicted: the lowest bits of a count become flags. */
#define ALL_TAPS(STOP, COUNT, BEGIN, THEN, LAST, FOURS, FEW, TWO, NONE)                            \
    "cmp %[t], #4\n blt " FEW "f\n" FOURS ":\n" BEGIN THEN THEN THEN LAST "ldr %[d], %[" STOP      \
    "]\n ldr %[t], %[" COUNT "]\n cmp %[list], %[d]\n bne " FOURS "b\n" FEW                        \
    ":\n lsls %[t], %[t], #31\n bpl " TWO "f\n" BEGIN LAST TWO ":\n bcc " NONE                     \
    "f\n" BEGIN THEN LAST NONE ":\n"
#define EVEN_TAPS ALL_TAPS("even_stop", "even", WORDS, TAP_THEN, LAST_TAP, "10", "11", "12", "13")
#define ODD_TAPS                                                                                   \
    ALL_TAPS("odd_stop", "odd", ODD_WORDS, ODD_TAP_THEN, LAST_ODD_TAP, "20", "21", "22", "23")
#define SUMS                                                                                       \
    "ldr %[t], %[odd]\n ldr %[list], %[steps]\n cmp %[t], #0\n bge 2f\n" FIRST_TAP "b 3f\n"        \
    "2:\n" FIRST_ODD_TAP ODD_TAPS "3:\n ldr %[t], %[even]\n" EVEN_TAPS

/* No product is beside a store, and ssat is the older of its pair. Halfwords are stored by
 * themselves: the output may lie at no word, and the buffer has time. */
#define SCALE(S) "mla %[" S "], %[" S "], %[d], %[u]\n"
#define SHIFT(S) "asr %[" S "], %[" S "], %[t]\n"
#define SCALE_HIGH(S) "smmlar %[" S "], %[" S "], %[d], %[u]\n"
#define SATURATED(S) "ssat %[" S "], #16, %[" S "]\n"
#define STORE(S, AT) "strh %[" S "], [%[list], #" AT "]\n"
#define AFFINE                                                                                     \
    SCALE("s0")                                                                                    \
    "ldr %[t], %[shift]\n" SCALE("s1") SCALE("s2") "ldr %[list], %[to]\n" SCALE("s3") SHIFT("s0")  \
        SCALE("s4") SHIFT("s1") SCALE("s5") SHIFT("s2") SATURATED("s0") SCALE("s6")                \
            SATURATED("s1") SCALE("s7") SATURATED("s2") SHIFT("s3") STORE("s0", "0") SHIFT("s4")   \
                SATURATED("s3") STORE("s1", "2") SHIFT("s5") SHIFT("s6") SATURATED("s4")           \
                    STORE("s2", "4") SATURATED("s5") SHIFT("s7")
#define PRODUCTS_HIGH                                                                              \
    SCALE_HIGH("s0")                                                                               \
    SCALE_HIGH("s1")                                                                               \
    "ldr %[list], %[to]\n" SCALE_HIGH("s2") SATURATED("s0") SCALE_HIGH("s3") SATURATED("s1")       \
        SCALE_HIGH("s4") SATURATED("s2") SCALE_HIGH("s5") SATURATED("s3") SCALE_HIGH("s6")         \
            SATURATED("s4") SCALE_HIGH("s7") SATURATED("s5") STORE("s0", "0") STORE("s1", "2")     \
                STORE("s2", "4")
#define STORE_REST                                                                                 \
    "ldr %[u], %[end]\n" STORE("s3", "6") "add %[t], %[list], #16\n" SATURATED("s6")               \
        STORE("s4", "8") "cmp %[t], %[u]\n str %[t], %[to]\n" SATURATED("s7") STORE("s5", "10")    \
            STORE("s6", "12") STORE("s7", "14")

/* How sums become outputs, and where a list's taps are; `*_stop`: behind the fours of either. */
typedef struct {
    int32_t multiplier, rounding, shift, high;
} scale_of_sums;

typedef struct {
    const int32_t *steps, *odd_stop, *even_stop;
    int32_t odd, even, first;
} list_places;

static inline list_places places_of(const tap_list *l) {
    const list_places p = {l->steps,
                           l->steps + 1 + (l->odd & -4),
                           l->steps + l->count - (l->even & 3),
                           l->odd,
                           l->even,
                           l->first};
    return p;
}

/* `groups` > 0 times eight: 7 cycles a tap, 8 of one at a half of a word, and about 30 for the
 * rest. */
#define MEAN_GROUPS()                                                                              \
    __asm__ volatile(                                                                              \
        "1:\n" SUMS "ldr %[t], %[high]\n ldr %[d], %[multiplier]\n ldr %[u], %[rounding]\n"        \
        "cmp %[t], #0\n bne 4f\n" AFFINE "b 5f\n4:\n" PRODUCTS_HIGH "5:\n" STORE_REST "bne 1b\n"   \
        : [x] "+r"(x), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3),             \
          [s4] "=&r"(s4), [s5] "=&r"(s5), [s6] "=&r"(s6), [s7] "=&r"(s7), [t] "=&r"(t),            \
          [u] "=&r"(u), [d] "=&r"(d), [list] "=&r"(list), [to] "+m"(out)                           \
        : [one] "r"(1), [steps] "m"(p.steps), [odd] "m"(p.odd), [even] "m"(p.even),                \
          [odd_stop] "m"(p.odd_stop), [even_stop] "m"(p.even_stop), [high] "m"(s.high),            \
          [multiplier] "m"(s.multiplier), [rounding] "m"(s.rounding), [shift] "m"(s.shift),        \
          [end] "m"(end)                                                                           \
        : "cc", "memory")

/* Of each run so many groups from an element on. What a list has is told to the loop once, since
 * mostly all runs have the same. */
static __attribute__((noinline)) void groups_of_runs(const mean *m, window_lists *lists,
                                                     const dpl_taps *taps, const output_runs *r,
                                                     int32_t first, int32_t groups) {
    const scale_of_sums s = {m->multiplier, m->rounding, m->shift, m->requant->rule == DPL_Q32};
    const int32_t from_step = r->from_step, to_step = r->to_step;
    const int16_t *from = r->from + first;
    int16_t *to = r->to + first;
    const tap_list *told = 0;
    list_places p = {0, 0, 0, 0, 0, 0};
    for (int32_t left = r->count; left > 0; left--, from += from_step, to += to_step) {
        const tap_list *found = list_of(lists, taps, from);
        int32_t s0, s1, s2, s3, s4, s5, s6, s7, t, u, d;
        const int32_t *list;
        if (found != told) {
            told = found;
            p = places_of(found);
        }
        const int16_t *x = from + p.first;
        int16_t *out = to, *const end = out + GROUP * groups;
        MEAN_GROUPS();
    }
}

#else

static inline void mean_groups(const mean *m, const tap_list *taps, const int16_t *x, int16_t *to,
                               int32_t groups) {
    for (int32_t i = 0; i < GROUP * groups; i++) {
        const int16_t *from = x + i + taps->first;
        int32_t sum = 0;
        for (int32_t t = 0; t < taps->count; from += taps->steps[t++] / 2) {
            sum += *from;
        }
        to[i] = (int16_t)saturate16(m->requant->rule == DPL_Q32
                                        ? scale_high(sum, m->multiplier, m->rounding)
                                        : (sum * m->multiplier + m->rounding) >> m->shift);
    }
}

static void groups_of_runs(const mean *m, window_lists *lists, const dpl_taps *taps,
                           const output_runs *r, int32_t first, int32_t groups) {
    for (int32_t i = 0; i < r->count; i++) {
        const int16_t *from = r->from + i * r->from_step + first;
        mean_groups(m, list_of(lists, taps, from), from, r->to + i * r->to_step + first, groups);
    }
}

#endif

#endif
