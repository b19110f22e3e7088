/* Means over the taps of windows, some neighbours at a time, whose sums stay in registers: a body.
 * A file has `element`, and of its type GROUP, HALVES, the sums of a tap and what makes OUTPUTS of
 * them (mean_taps_s8.h, mean_taps_s16.h). */
#include "dpl/cortex_m/window_lists.h"

/* `count` times `length` neighbouring outputs, so far apart as their inputs. */
typedef struct {
    const element *from;
    element *to;
    int32_t from_step, to_step, length, count;
    int free;
} output_runs;

#if defined(__ARM_FEATURE_DSP)

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
#if HALVES
#define SUMS                                                                                       \
    "ldr %[t], %[odd]\n ldr %[list], %[steps]\n cmp %[t], #0\n bge 2f\n" FIRST_TAP "b 3f\n"        \
    "2:\n" FIRST_ODD_TAP ODD_TAPS "3:\n ldr %[t], %[even]\n" EVEN_TAPS
#else
#define SUMS "ldr %[list], %[steps]\n" FIRST_TAP "ldr %[t], %[even]\n" EVEN_TAPS
#endif

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

/* `groups` > 0 groups. */
#define MEAN_GROUPS()                                                                              \
    __asm__ volatile(                                                                              \
        "1:\n" SUMS OUTPUTS "bne 1b\n"                                                             \
        : [x] "+r"(x), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3),             \
          [s4] "=&r"(s4), [s5] "=&r"(s5), [s6] "=&r"(s6), [s7] "=&r"(s7), [t] "=&r"(t),            \
          [u] "=&r"(u), [d] "=&r"(d), [list] "=&r"(list), [k] "+r"(k), [to] "+m"(out),             \
          [saved] "=m"(saved)                                                                      \
        : [steps] "m"(p.steps), [odd] "m"(p.odd), [even] "m"(p.even), [odd_stop] "m"(p.odd_stop),  \
          [even_stop] "m"(p.even_stop), [high] "m"(s.high), [multiplier] "m"(s.multiplier),        \
          [rounding] "m"(s.rounding), [shift] "m"(s.shift), [end] "m"(end)                         \
        : "cc", "memory")

/* Of each run so many groups from an element on. What a list has is told to the loop once, since
 * mostly all runs have the same. */
static __attribute__((noinline)) void groups_of_runs(const mean *m, window_lists *lists,
                                                     const dpl_taps *taps, const output_runs *r,
                                                     int32_t first, int32_t groups) {
    const scale_of_sums s = {m->multiplier, m->rounding, m->shift, m->requant->rule == DPL_Q32};
    const int32_t from_step = r->from_step, to_step = r->to_step;
    const element *from = r->from + first;
    element *to = r->to + first;
    const tap_list *told = 0;
    list_places p = {0, 0, 0, 0, 0, 0};
    for (int32_t left = r->count; left > 0; left--, from += from_step, to += to_step) {
        const tap_list *found = list_of(lists, taps, from);
        int32_t s0, s1, s2, s3, s4, s5, s6, s7, t, u, d, k = 1;
        const int32_t *list;
        const element *saved;
        if (found != told) {
            told = found;
            p = places_of(found);
        }
        const element *x = from + p.first;
        element *out = to, *const end = out + GROUP * groups;
        MEAN_GROUPS();
    }
}

#else

static inline void mean_groups(const mean *m, const tap_list *taps, const element *x, element *to,
                               int32_t groups) {
    for (int32_t i = 0; i < GROUP * groups; i++) {
        const element *from = x + i + taps->first;
        int32_t sum = 0;
        for (int32_t t = 0; t < taps->count; from += taps->steps[t++] / (int32_t)sizeof(element)) {
            sum += *from;
        }
        to[i] = (element)SATURATE(m->requant->rule == DPL_Q32
                                      ? scale_high(sum, m->multiplier, m->rounding)
                                      : (sum * m->multiplier + m->rounding) >> m->shift);
    }
}

static void groups_of_runs(const mean *m, window_lists *lists, const dpl_taps *taps,
                           const output_runs *r, int32_t first, int32_t groups) {
    for (int32_t i = 0; i < r->count; i++) {
        const element *from = r->from + i * r->from_step + first;
        mean_groups(m, list_of(lists, taps, from), from, r->to + i * r->to_step + first, groups);
    }
}

#endif
