/* Average pools by the taps of each output: a body. A file has `args`, KERNEL and what mean_taps.h
 * needs. */
#include "dpl/cortex_m/mean_lines.h"
#include "dpl/cortex_m/mean_taps.h"

static inline int32_t sum_of(const element *x, const tap_list *taps) {
    const int32_t *step = taps->steps;
    int32_t sum = *(x += taps->first);
    for (int32_t left = taps->count - 1; left > 0; left--) {
        x += *step++ / (int32_t)sizeof(element);
        sum += *x;
    }
    return sum;
}

static inline element requantized(const dpl_requant *q, const mean *m, int32_t sum) {
    if (q->rule == DPL_I32 || q->rule == DPL_SHIFT) {
        return (element)dpl_clamp((sum * m->multiplier + m->rounding) >> m->shift, q->low, q->high);
    }
    return (element)dpl_requantize_mean(q, sum, m->entry);
}

/* Few outputs, or by any rule. */
static void one_by_one(const mean *m, window_lists *lists, const dpl_taps *taps, output_runs r) {
    for (; r.count > 0; r.count--, r.from += r.from_step, r.to += r.to_step) {
        const tap_list *list = list_of(lists, taps, r.from);
        for (int32_t i = 0; i < r.length; i++) {
            r.to[i] = requantized(m->requant, m, sum_of(r.from + i, list));
        }
    }
}

/* Whether outputs have bounds that the type does not have. */
static inline int is_bounded(const dpl_requant *q) {
    return q->low != LOWEST || q->high != HIGHEST;
}

static void bound(const dpl_requant *q, output_runs r) {
    if (!is_bounded(q)) {
        return;
    }
    for (; r.count > 0; r.count--, r.to += r.to_step) {
        for (int32_t i = 0; i < r.length; i++) {
            r.to[i] = (element)dpl_clamp(r.to[i], q->low, q->high);
        }
    }
}

/* Along each run, or, where those are many and short, along the outputs at the same place of all.
 */
static mean_lines lines_of_runs(const output_runs *r) {
    const mean_lines runs = {r->from, r->to,     1,
                             1,       r->length, {r->from_step, r->to_step, r->count, r->free}};
    const mean_lines places = {r->from,    r->to,    r->from_step,
                               r->to_step, r->count, {1, 1, r->length, r->free}};
    return r->free && r->count > r->length ? places : runs;
}

/* Of int8 they may be in groups. */
static int regroups(const dpl_window *w) {
    return !HALVES || !is_near(w);
}

/* Groups are better where a tap of them takes fewest cycles: of int8, taps at words. */
static int by_groups(const near_taps *near, const output_runs *r, const run_rows *rows) {
    const int32_t places = near->at[0] | near->at[1] | near->at[2] | r->from_step | rows->from_step;
    const int words = ((int32_t)((uintptr_t)r->from / sizeof(element)) | places) % 4 == 0;
    return !HALVES && words && r->length >= 2 * GROUP;
}

static int is_affine_mean(const dpl_requant *q) {
    return q->rule == DPL_I32 || q->rule == DPL_SHIFT || (HALVES && q->rule == DPL_Q32);
}

static void make_groups(const mean *m, window_lists *lists, const dpl_taps *taps,
                        const output_runs *r) {
    groups_of_runs(m, lists, taps, r, 0, r->length / GROUP);
    if (r->length % GROUP > 0) { /* the last group is one over those before */
        groups_of_runs(m, lists, taps, r, r->length - GROUP, 1);
    }
}

static void make_row(const mean *m, window_lists *lists, const dpl_taps *taps,
                     const output_runs *r) {
    if (!is_affine_mean(m->requant) || r->length < GROUP) {
        one_by_one(m, lists, taps, *r);
        return;
    }
    make_groups(m, lists, taps, r);
    bound(m->requant, *r);
}

/* Rows of runs of few taps. */
static void near_rows(const mean *m, const near_taps *near, output_runs row, const run_rows *rows) {
    mean_lines lines = lines_of_runs(&row);
    run_rows calls = *rows;
    near_job job;
    order_lines(&lines.lines, &calls);
    plan_lines(m, near, &lines, &job);
    for (int32_t left = calls.count; left > 0; left--) {
        make_lines(&job);
        job.lines.from += calls.from_step;
        job.lines.to += calls.to_step;
    }
    for (int32_t left = is_bounded(m->requant) ? rows->count : 0; left > 0; left--) {
        bound(m->requant, row);
        row.to += rows->to_step;
    }
}

static void make_runs(const dpl_requant *q, window_lists *lists, const dpl_taps *taps,
                      const output_runs *r, const run_rows *rows) {
    const int32_t count = dpl_taps_count(taps);
    const mean m = mean_of(q, count, 1, 0);
    output_runs row = *r;
    if (count > 1 && count <= NEAR_TAPS && is_affine_mean(q)) {
        const near_taps near = near_of(taps);
        if (!by_groups(&near, r, rows)) {
            near_rows(&m, &near, row, rows);
            return;
        }
    }
    for (int32_t left = rows->count; left > 0; left--) {
        make_row(&m, lists, taps, &row);
        row.from += rows->from_step;
        row.to += rows->to_step;
    }
}

#include "dpl/cortex_m/pool_taps.h"
