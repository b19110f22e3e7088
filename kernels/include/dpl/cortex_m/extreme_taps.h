/* Maximum and minimum pools by the taps of each output: a body. A file has `args`, KERNEL, what
 * extreme_word.h and window_lists.h need, and PADDING, the output of a window without taps.
 *
 * Sixteen bytes of outputs stay in registers while their taps pass. Taps of int16 at halves of
 * words come first, as the five words that have their elements; what they leave is moved by a half
 * before the others. Windows of few taps take words or elements by themselves. */
#include "dpl/cortex_m/extreme_lines.h"

#include "dpl/cortex_m/blocking.h"

enum { GROUP = DPL_POOL_GROUP_BYTES / sizeof(element) };

#include "dpl/cortex_m/window_lists.h"

/* `count` times `length` neighbouring outputs, so far apart as their inputs. */
typedef struct {
    const element *from;
    element *to;
    int32_t from_step, to_step, length, count;
    int free;
} output_runs;

#if defined(__ARM_FEATURE_DSP)

#define LOAD(X, AT) "ldr %[" X "], [%[x], #" AT "]\n"
#define NEXT_STEP "ldr %[d], [%[list]], #4\n"
#define MOVE_ON "add %[x], %[x], %[d]\n"
#define FOLD(S, X, BESIDE, THEN) DIFFERENCE " %[t], %[" S "], %[" X "]\n" BESIDE TAKE(S, X) THEN

/* A tap begins with two of its words loaded, p and q, and ends with those of the next, if any:
 * eight cycles, in each a DSP instruction as the older of a pair. */
#define WORDS LOAD("p", "0") LOAD("q", "4")
#define TAP(NEXT_P, NEXT_Q)                                                                        \
    FOLD("a0", "p", NEXT_STEP, LOAD("p", "8"))                                                     \
    FOLD("a1", "q", "", LOAD("q", "12"))                                                           \
    FOLD("a2", "p", MOVE_ON, "")                                                                   \
    FOLD("a3", "q", NEXT_P, NEXT_Q)
#define TAP_THEN TAP(LOAD("p", "0"), LOAD("q", "4"))
#define LAST_TAP TAP("", "")
#define FIRST_TAP LOAD("a0", "0") LOAD("a1", "4") LOAD("a2", "8") LOAD("a3", "12") NEXT_STEP MOVE_ON
/* The same at halves of words: ten cycles. */
#define ODD_WORDS LOAD("p", "-2") LOAD("q", "2")
#define ODD_TAP(NEXT_P, NEXT_Q)                                                                    \
    FOLD("a0", "p", NEXT_STEP, LOAD("p", "6"))                                                     \
    FOLD("a1", "q", "", LOAD("q", "10"))                                                           \
    FOLD("a2", "p", "", LOAD("p", "14"))                                                           \
    FOLD("a3", "q", MOVE_ON, "")                                                                   \
    FOLD("a4", "p", NEXT_Q, NEXT_P)
#define ODD_TAP_THEN ODD_TAP(LOAD("p", "-2"), LOAD("q", "2"))
#define LAST_ODD_TAP ODD_TAP("", "")
#define FIRST_ODD_TAP                                                                              \
    LOAD("a0", "-2")                                                                               \
    LOAD("a1", "2") LOAD("a2", "6") LOAD("a3", "10") NEXT_STEP LOAD("a4", "14") MOVE_ON
#define MOVE_HALF(S, NEXT)                                                                         \
    "lsr %[" S "], %[" S "], #16\n orr %[" S "], %[" S "], %[" NEXT "], lsl #16\n"
#define MOVE_HALVES                                                                                \
    MOVE_HALF("a0", "a1") MOVE_HALF("a1", "a2") MOVE_HALF("a2", "a3") MOVE_HALF("a3", "a4")

/* `n` taps: fours in a loop, then one and two of them, so that no loop of few turns is
 * mispredicted: the lowest bits of a count become flags. */
#define ALL_TAPS(BEGIN, THEN, LAST, FOURS, FEW, TWO, NONE)                                         \
    "subs %[n], %[n], #4\n blt " FEW "f\n" FOURS ":\n" BEGIN THEN THEN THEN LAST                   \
    "subs %[n], %[n], #4\n bge " FOURS "b\n" FEW ":\n lsls %[t], %[n], #31\n bpl " TWO             \
    "f\n" BEGIN LAST TWO ":\n bcc " NONE "f\n" BEGIN THEN LAST NONE ":\n"
#define EVEN_TAPS                                                                                  \
    "ldr %[n], [%[base], %[even]]\n" ALL_TAPS(WORDS, TAP_THEN, LAST_TAP, "10", "11", "12", "13")
#define ODD_TAPS ALL_TAPS(ODD_WORDS, ODD_TAP_THEN, LAST_ODD_TAP, "20", "21", "22", "23")
#if HALVES
#define BEGIN_TAPS                                                                                 \
    "ldr %[n], [%[base], %[odd]]\n add %[list], %[base], %[steps]\n cmp %[n], #0\n bge "           \
    "2f\n" FIRST_TAP "b 3f\n2:\n" FIRST_ODD_TAP ODD_TAPS MOVE_HALVES "3:\n"
#else
#define BEGIN_TAPS "add %[list], %[base], %[steps]\n" FIRST_TAP
#endif
#define STORE_GROUP                                                                                \
    "ldr %[q], %[end]\n"                                                                           \
    "str %[a0], [%[to]], #16\n str %[a1], [%[to], #-12]\n"                                         \
    "str %[a2], [%[to], #-8]\n cmp %[to], %[q]\n str %[a3], [%[to], #-4]\n"

/* `groups` > 0 times sixteen bytes. */
static inline void extreme_groups(const tap_list *base, const element *x, element *to,
                                  int32_t groups) {
    element *const end = to + GROUP * groups;
    const int32_t *list;
    uint32_t a0, a1, a2, a3, a4, p, q, t, d, n;
    x += base->first;
    __asm__ volatile("1:\n" BEGIN_TAPS EVEN_TAPS STORE_GROUP "bne 1b\n"
                     : [x] "+r"(x), [list] "=&r"(list), [to] "+r"(to), [n] "=&r"(n), [a0] "=&r"(a0),
                       [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3), [a4] "=&r"(a4), [p] "=&r"(p),
                       [q] "=&r"(q), [t] "=&r"(t), [d] "=&r"(d)
                     : [base] "r"(base), [end] "m"(end), [odd] "i"(offsetof(tap_list, odd)),
                       [even] "i"(offsetof(tap_list, even)), [steps] "i"(offsetof(tap_list, steps))
                     : "cc", "memory");
}

#else

static inline void extreme_groups(const tap_list *list, const element *x, element *to,
                                  int32_t groups) {
    x += list->first;
    for (int32_t i = 0; i < GROUP * groups; i++) {
        const element *from = x + i;
        element best = *from;
        for (int32_t t = 0; t + 1 < list->count; t++) {
            from += list->steps[t] / (int32_t)sizeof(element);
            best = BETTER(best, *from) ? best : *from;
        }
        to[i] = best;
    }
}

#endif

/* Of each run so many groups from an element on. */
static __attribute__((noinline)) void groups_of_runs(window_lists *lists, const dpl_taps *taps,
                                                     const output_runs *r, int32_t first,
                                                     int32_t groups) {
    const int32_t from_step = r->from_step, to_step = r->to_step;
    const element *from = r->from + first;
    element *to = r->to + first;
    for (int32_t left = r->count; left > 0; left--, from += from_step, to += to_step) {
        extreme_groups(list_of(lists, taps, from), from, to, groups);
    }
}

/* Eight bytes at most, as two words that may lie over each other. */
static inline void extreme_words(const tap_list *taps, const element *x, element *to,
                                 int32_t second) {
    const int32_t *step = taps->steps;
    x += taps->first;
    uint32_t low = load_word(x), high = load_word(x + second);
    for (int32_t left = taps->count - 1; left > 0; left--) {
        x += *step++ / (int32_t)sizeof(element);
        low = better_word(low, load_word(x));
        high = better_word(high, load_word(x + second));
    }
    store_word(to, low);
    store_word(to + second, high);
}

static void extreme_each(const tap_list *taps, const element *x, element *to, int32_t length) {
    for (int32_t i = 0; i < length; i++) {
        const element *from = x + i + taps->first;
        element best = *from;
        for (int32_t t = 0; t + 1 < taps->count; t++) {
            from += taps->steps[t] / (int32_t)sizeof(element);
            best = BETTER(best, *from) ? best : *from;
        }
        to[i] = best;
    }
}

/* Runs of less than a group; the last two words are two over those before. */
static void short_runs(window_lists *lists, const dpl_taps *taps, const output_runs *r) {
    enum { WORD = 4 / sizeof(element) };
    const int32_t length = r->length, last = length - 2 * WORD;
    const element *from = r->from;
    element *to = r->to;
    for (int32_t left = r->count; left > 0; left--, from += r->from_step, to += r->to_step) {
        const tap_list *list = list_of(lists, taps, from);
        if (length < WORD) {
            extreme_each(list, from, to, length);
        } else {
            extreme_words(list, from, to, last < 0 ? length - WORD : WORD);
        }
        if (last > 0) {
            list = list_of(lists, taps, from + last);
            extreme_words(list, from + last, to + last, WORD);
        }
    }
}

static void fill_runs(const output_runs *r) {
    element *to = r->to;
    for (int32_t left = r->count; left > 0; left--, to += r->to_step) {
        for (int32_t i = 0; i < r->length; i++) {
            to[i] = PADDING;
            __asm__ volatile("" : : : "memory"); /* no call of memset */
        }
    }
}

/* Lines of a run, or of its elements that fill no word, and the calls that make those of all rows.
 */
typedef struct {
    near_job lines;
    run_rows calls;
} near_calls;

/* Along each run, or, where those are many and short, along the outputs at the same place of all.
 * `alone`: no other lines of a row wait for these, nor these for others. */
static void plan_runs(const near_taps *near, const output_runs *r, int32_t size,
                      const run_rows *rows, int alone, near_calls *to) {
    const int32_t count = r->length / size;
    const line_shape runs = {
        r->from, r->to, size, size, size, count, {r->from_step, r->to_step, r->count, r->free}};
    const line_shape places = {
        r->from, r->to, size, r->from_step, r->to_step, r->count, {size, size, count, r->free}};
    line_shape lines = r->free && r->count > count ? places : runs;
    to->calls = *rows;
    if (alone) {
        order_lines(&lines.lines, &to->calls);
    }
    plan_lines(near, &lines, &to->lines);
}

/* Words, of int16 only where all begin at words, also of rows so far apart: other loads take three
 * cycles more. Of the elements behind the last word, most are one over those before. Returns the
 * jobs. */
static int32_t plan_words(const near_taps *near, output_runs r, const run_rows *rows,
                          near_calls *jobs) {
    enum { WORD = 4 / sizeof(element) };
    const int32_t apart = rows->count > 1 ? rows->from_step : 0;
    const int32_t places = near->at[0] | near->at[1] | near->at[2] | r.from_step | apart;
    const int odd = IS_ODD((int32_t)((uintptr_t)r.from / sizeof(element)) | places);
    const int32_t size = odd || r.length < WORD ? 1 : WORD, rest = r.length % size;
    plan_runs(near, &r, size, rows, rows->free || rest == 0, &jobs[0]);
    if (rest == 0) {
        return 1;
    }
    const int32_t last = rest < 3 ? rest : WORD;
    r.from += r.length - last;
    r.to += r.length - last;
    r.length = last;
    plan_runs(near, &r, rest < 3 ? 1 : WORD, rows, rows->free, &jobs[1]);
    return 2;
}

static inline int is_bounded(const dpl_requant *q) {
    return q->low != LOWEST || q->high != HIGHEST;
}

static void bound(const dpl_requant *q, const output_runs *r) {
    element *to = r->to;
    if (!is_bounded(q)) {
        return;
    }
    for (int32_t left = r->count; left > 0; left--, to += r->to_step) {
        for (int32_t i = 0; i < r->length; i++) {
            to[i] = (element)dpl_clamp(to[i], q->low, q->high);
        }
    }
}

static inline void make_call(near_calls *job) {
    make_lines(&job->lines);
    job->lines.lines.from += job->calls.from_step;
    job->lines.lines.to += job->calls.to_step;
}

/* Rows of runs by the same jobs: one after the other where rows may be in any order. */
static void near_rows(const dpl_requant *q, const near_taps *near, output_runs r,
                      const run_rows *rows) {
    near_calls jobs[2];
    const int32_t count = plan_words(near, r, rows, jobs), each = rows->free ? 1 : count;
    for (int32_t first = 0; first < count; first += each) {
        for (int32_t left = jobs[first].calls.count; left > 0; left--) {
            for (int32_t i = first; i < first + each; i++) {
                make_call(&jobs[i]);
            }
        }
    }
    for (int32_t left = is_bounded(q) ? rows->count : 0; left > 0; left--, r.to += rows->to_step) {
        bound(q, &r);
    }
}

/* Runs that have an order are rows of one run; there are no more rows then. */
static void near_runs(const dpl_requant *q, const near_taps *near, const output_runs *r,
                      const run_rows *rows) {
    output_runs each = *r;
    if (r->free) {
        near_rows(q, near, each, rows);
        return;
    }
    each.count = 1;
    near_rows(q, near, each, &(run_rows){r->from_step, r->to_step, r->count, 0});
}

static void make_row(window_lists *lists, const dpl_taps *taps, const output_runs *r) {
    if (dpl_taps_count(taps) == 0) {
        fill_runs(r);
    } else if (r->length < GROUP) {
        short_runs(lists, taps, r);
    } else {
        groups_of_runs(lists, taps, r, 0, r->length / GROUP);
        if (r->length % GROUP > 0) { /* the last group is one over those before */
            groups_of_runs(lists, taps, r, r->length - GROUP, 1);
        }
    }
}

static void make_runs(const dpl_requant *q, window_lists *lists, const dpl_taps *taps,
                      const output_runs *r, const run_rows *rows) {
    const int32_t count = dpl_taps_count(taps);
    output_runs row = *r;
    if (count > 1 && count <= NEAR_TAPS) {
        const near_taps near = near_of(taps);
        near_runs(q, &near, r, rows);
        return;
    }
    for (int32_t left = rows->count; left > 0; left--) {
        make_row(lists, taps, &row);
        bound(q, &row);
        row.from += rows->from_step;
        row.to += rows->to_step;
    }
}

static int regroups(const dpl_window *w) {
    return !is_near(w);
}

#include "dpl/cortex_m/pool_taps.h"
