/* Average pools of little work, of nine taps, or of columns of taps that windows share: a body. A
 * file has `args`, KERNEL and what nine_means.h needs. */
#include "dpl/cortex_m/mean_of.h"
#include "dpl/cortex_m/nine_means.h"

#include "dpl/cortex_m/mean_columns.h"
#include "dpl/cortex_m/sliding_means.h"
#include "dpl/cortex_m/small_places.h"

/* In fours, then two and one, so that branches go the same way for every channel. */
static inline int32_t sum_of_taps(const int32_t *at, uint32_t count, const element *x) {
    int32_t sum = 0;
    for (uint32_t left = count / 4; left > 0; left--, at += 4) {
        const four_places p = four_of(at);
        sum += x[p.a] + x[p.b] + x[p.c] + x[p.d];
    }
    if (count & 2) {
        sum += x[at[0]] + x[at[1]];
        at += 2;
    }
    return count & 1 ? sum + x[*at] : sum;
}

/* Out of line, so that what the loop needs stays in registers: 24 cycles and 3 a tap. */
static __attribute__((noinline)) void small_pixel(const args *a, const small_taps *taps,
                                                  const element *from, element *to) {
    const dpl_requant *q = &a->requant;
    const int affine = q->rule == DPL_I32 || q->rule == DPL_SHIFT;
    const uint32_t count = taps->count;
    const mean m = mean_of(q, (int32_t)count, 1, 0);
    const int32_t low = q->low, high = q->high;
    for (element *end = to + a->output.channels; to != end; to++, from++) {
        const int32_t sum = sum_of_taps(taps->at, count, from);
        *to = affine ? (element)dpl_clamp((sum * m.multiplier + m.rounding) >> m.shift, low, high)
                     : (element)dpl_requantize_mean(q, sum, m.entry);
    }
}

/* A line of outputs whose windows have the same taps, so far apart as their inputs. */
typedef struct {
    int32_t step, to_step, count;
} line_shape;

static inline element mean_of_sum(const mean *m, int high, int32_t sum) {
    return (element)SATURATE(high ? scale_high(sum, m->multiplier, m->rounding)
                                  : (sum * m->multiplier + m->rounding) >> m->shift);
}

/* Four outputs at a time, of which the last lie over those before. */
static __attribute__((noinline)) void line_of_means(const mean *given, const small_taps *taps,
                                                    const line_shape *l, const element *from,
                                                    element *to) {
    const mean m = *given; /* a store of a byte could change the fields */
    const int high = HALVES && m.requant->rule == DPL_Q32;
    const int32_t *at = taps->at, *end = at + taps->count;
    const int32_t step = l->step, to_step = l->to_step, count = l->count;
    for (int32_t i = 0; i < count && count < 4; i++) {
        to[i * to_step] = mean_of_sum(&m, high, sum_of_taps(at, taps->count, from + i * step));
    }
    for (int32_t i = 0; i < count && count >= 4; i += 4) {
        const int32_t first = i + 4 > count ? count - 4 : i;
        int32_t sums[4];
        four_sums(at, end, step, from + first * step, sums);
        element *out = to + first * to_step, *third = out + 2 * to_step;
        const element w = mean_of_sum(&m, high, sums[0]), x = mean_of_sum(&m, high, sums[1]);
        const element y = mean_of_sum(&m, high, sums[2]), z = mean_of_sum(&m, high, sums[3]);
        out[0] = w, out[to_step] = x, third[0] = y, third[to_step] = z;
    }
}

/* How a line is made: of three rows or columns of taps of which two are shared, of taps of which
 * all but one or two are, output by output of threes that are rows or columns, or of any taps. */
typedef enum {
    SHARED_COLUMNS,
    SHARED_ROWS,
    SLIDING,
    ONE_COLUMN,
    ONE_ROW,
    THREE_ROWS,
    THREE_COLUMNS,
    ANY_TAPS
} line_kind;

typedef struct {
    mean m;
    nine_taps nine;
    line_shape line;
    line_kind kind;
} line_plan;

static inline void make_line(const line_plan *p, const small_taps *taps, const element *from,
                             element *to) {
    switch (p->kind) {
    case SHARED_COLUMNS:
    case SHARED_ROWS: shared_means(&p->m, &p->nine, (int32_t)taps->count / 3, from, to); break;
    case SLIDING: sliding_means(&p->m, &p->nine, (int32_t)taps->count, from, to); break;
    case ONE_COLUMN:
    case ONE_ROW: means_of_two(&p->m, &p->nine, from, to); break;
    case THREE_ROWS:
    case THREE_COLUMNS: nine_means(&p->m, &p->nine, (int32_t)taps->count / 3, from, to); break;
    default: line_of_means(&p->m, taps, &p->line, from, to); break;
    }
}

enum {
    LONG_LINE = 12
}; /* that shares a row or column better than lines along channels share none */

/* Whether taps are three rows or columns that lie alike: at a side of two taps each. */
static inline int are_pairs(const small_taps *taps) {
    return taps->count == 6 && (taps->rows == 3 || taps->columns == 3);
}

/* Of a line of outputs so many elements apart. */
static inline line_kind kind_of(const args *a, const small_taps *taps, const line_shape *l) {
    const int32_t count = (int32_t)taps->count, tall = a->window.kernel_height, step = l->step;
    const int32_t *at = taps->at;
    const int column = a->window.kernel_width == 1 && tall > 2 && count == tall;
    const int nine = count == NINE && are_threes(taps);
    if (l->count < 3 || count < 3) {
        return ANY_TAPS;
    }
    if (column && (step == at[1] || step == 2 * at[1])) {
        return SLIDING;
    }
    if (step == at[1] && (nine || (are_pairs(taps) && taps->rows == 2))) {
        return SHARED_COLUMNS;
    }
    if ((nine && step == at[3]) || (are_pairs(taps) && taps->columns == 2 && step == at[2])) {
        return SHARED_ROWS;
    }
    if (nine && l->count >= LONG_LINE && (step == 2 * at[1] || step == 2 * at[3])) {
        return step == 2 * at[1] ? ONE_COLUMN : ONE_ROW;
    }
    if (nine || are_pairs(taps)) {
        return taps->columns == 2 ? THREE_COLUMNS : THREE_ROWS;
    }
    return ANY_TAPS;
}

/* Lines at so many places of two axes. */
static void make_lines(const args *a, const small_taps *taps, line_kind kind,
                       const line_shape *axes[3], const element *from, element *to) {
    const line_shape line = *axes[0], second = *axes[1], third = *axes[2];
    const int32_t tap = taps->at[1];
    const int down = kind == THREE_COLUMNS, across = kind == SHARED_COLUMNS || kind == ONE_COLUMN;
    const int32_t apart = across ? taps->at[3] : down ? taps->at[2] : tap;
    const int32_t three = down || kind == ONE_COLUMN ? tap : taps->at[3];
    const line_plan p = {mean_of(&a->requant, (int32_t)taps->count, 1, 0),
                         {apart, three, line.step, line.to_step, line.count},
                         line,
                         kind};
    for (int32_t i = second.count; i > 0; i--, from += second.step, to += second.to_step) {
        const element *x = from;
        element *out = to;
        for (int32_t k = third.count; k > 0; k--, x += third.step, out += third.to_step) {
            make_line(&p, taps, x, out);
        }
    }
}

static inline void lead_axis(const line_shape *axes[3], int32_t at) {
    const line_shape *first = axes[0];
    axes[0] = axes[at];
    axes[at] = first;
}

/* Outputs of rows and columns that have the same taps, in lines that share taps, or the longest:
 * along rows, columns or channels. */
static void make_plane(const args *a, const small_taps *taps, int32_t rows, int32_t columns,
                       const element *from, element *to) {
    const dpl_window *w = &a->window;
    const line_shape down = {w->stride_height * a->input.row_pitch, a->output.row_pitch, rows};
    const line_shape across = {w->stride_width * a->input.pixel_pitch, a->output.pixel_pitch,
                               columns};
    const line_shape channels = {1, 1, a->output.channels};
    const line_shape *axes[3] = {&across, &down, &channels};
    if (rows > columns) {
        lead_axis(axes, 1);
    }
    line_kind kind = kind_of(a, taps, axes[0]);
    const line_kind other = kind_of(a, taps, axes[1]);
    if (kind > ONE_ROW && other <= ONE_ROW) {
        kind = other;
        lead_axis(axes, 1);
    }
    if (kind > ONE_ROW && channels.count > axes[0]->count) {
        lead_axis(axes, 2);
        kind = kind_of(a, taps, axes[0]);
    }
    make_lines(a, taps, kind, axes, from, to);
}

/* Nine taps, or columns of taps that windows share. */
static inline int has_lines(const dpl_window *w) {
    const int near = w->stride_height <= 2 && w->kernel_height > 2 * w->stride_height;
    const int shared = w->kernel_width == 1 && w->dilation_height == 1 && near;
    return w->kernel_height * w->kernel_width == NINE || shared;
}

/* Outputs whose bounds are their type's. */
static inline int is_plain(const args *a) {
    const dpl_requant *q = &a->requant;
    const int rings = a->input.ring_height != 0 || a->output.ring_height != 0;
    return q->low == LOWEST && q->high == HIGHEST && !rings && is_affine_mean(q);
}

/* Cycles of a column of outputs as differences of sums: of itself, four of its rows, an output; in
 * lines: of one, of one that slides, of an output that is cut. */
enum { COLUMN_CYCLES = 20, FOUR_ROWS_CYCLES = 9, MEAN_CYCLES = 9 };
enum { LINE_CYCLES = 50, SLIDING_CYCLES = 90, CUT_CYCLES = 26 };

/* Of a line of so many outputs that have all their taps. */
static inline int32_t whole_cycles(int32_t stride, int32_t outputs) {
    static const uint8_t each[MEAN_STRIDE] = {7, 10, 9};
    const int32_t line = stride < MEAN_STRIDE ? SLIDING_CYCLES : LINE_CYCLES;
    return outputs >= 3 ? line + outputs * each[stride - 1] : outputs * CUT_CYCLES;
}

/* Whether columns of so many outputs, of which `whole` have all their taps, take fewer cycles as
 * differences of sums than in lines (deployer/kernelset/cortex_m/pool_small.py). */
static inline int by_differences(const args *a, int32_t outputs, int32_t whole) {
    const dpl_window *w = &a->window;
    if (!has_mean_columns(a)) {
        return 0;
    }
    const int32_t reach = (outputs - 1) * w->stride_height + w->kernel_height;
    const int32_t rows = reach < a->input.height ? reach : a->input.height;
    const int32_t column = COLUMN_CYCLES + rows * FOUR_ROWS_CYCLES / 4 + outputs * MEAN_CYCLES;
    const int32_t lines = whole_cycles(w->stride_height, whole) + CUT_CYCLES * (outputs - whole);
    return !has_lines(w) || column < lines;
}

/* Rows and columns whose windows have as many taps, at once. */
static inline int make_rows(const args *a, dpl_span rows, dpl_span tall, dpl_span wide) {
    small_taps list;
    if (!is_plain(a)) {
        return 0;
    }
    const int32_t begin = tall.begin > rows.begin ? tall.begin : rows.begin;
    const int32_t whole = tall.end > begin ? tall.end - begin : 0;
    if (by_differences(a, rows.end - rows.begin, whole)) {
        make_mean_columns(a, rows);
        return 1;
    }
    if (!has_lines(&a->window)) {
        return 0;
    }
    list.rows = -1;
    for (int32_t y = rows.begin, down; y < rows.end; y += down) {
        dpl_taps taps = taps_of_row(&a->input, &a->window, y);
        element *to = row_of(&a->output, y);
        down = alike(tall, y);
        for (int32_t x = 0, across; x < a->output.width; x += across) {
            across = alike(wide, x);
            taps_of_column(&taps, &a->input, &a->window, x);
            place_taps(&taps, &list);
            make_plane(a, &list, down, across, a->input.data + taps.rows.offset + taps.column, to);
            to += across * a->output.pixel_pitch;
        }
    }
    return 1;
}

static inline void small_run(const args *a, const small_taps *taps, const small_pixels *r,
                             const element *from, element *to) {
    const int32_t step = r->step, to_step = r->to_step, count = r->count;
    for (int32_t left = count; left > 0; left--, from += step, to += to_step) {
        small_pixel(a, taps, from, to);
    }
}

#include "dpl/cortex_m/small_pool.h"
