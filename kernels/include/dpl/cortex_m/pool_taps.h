/* Pools by the taps of each output: a body, without a strip. A file has `args`, KERNEL, what
 * window_lists.h needs, `make_runs`, and `regroups`: whether the last outputs of runs are made when
 * all others are.
 *
 * Where windows lie at every pixel, a row's outputs with all their columns are one run; else each
 * pixel is. Runs that are `free` may be made in any order. */
#include "dpl/cores.h"
#include "dpl/cortex_m/whole_windows.h"

/* Whether the outputs of a row are one run. */
static int follow(const args *a) {
    const int32_t channels = a->output.channels;
    const int32_t step = a->window.stride_width * a->input.pixel_pitch;
    return step == channels && a->output.pixel_pitch == channels;
}

/* Whether the outputs of rows that follow one another are a run. */
static int one_run(const args *a) {
    const int32_t length = a->output.width * a->output.channels;
    const int32_t down = a->window.stride_height * a->input.row_pitch;
    return (follow(a) || a->output.width == 1) && down == length && a->output.row_pitch == length;
}

/* Outputs whose windows have all their taps, whether rows are made in bands, and the lists of
 * windows with some of their columns and with all. */
typedef struct {
    dpl_span columns, rows;
    int banded;
    window_lists lists[2];
} pool_plan;

/* Outputs whose windows have as many taps: of some rows, columns from x on. */
typedef struct {
    int32_t y, rows, x, columns;
    int banded;
} outputs;

/* Several rows of a column, or of runs, are a run each; those without gaps are one. */
static void pool_runs(const args *a, window_lists *lists, const dpl_taps *taps, const outputs *o) {
    const int32_t channels = a->output.channels, pitch = a->output.pixel_pitch;
    const int32_t down = a->window.stride_height * a->input.row_pitch;
    const int one = follow(a) || o->columns == 1;
    output_runs r = {a->input.data + taps->rows.offset + taps->column,
                     row_of(&a->output, o->y) + o->x * pitch,
                     one ? down : a->window.stride_width * a->input.pixel_pitch,
                     one ? a->output.row_pitch : pitch,
                     one ? o->columns * channels : channels,
                     one ? o->rows : o->columns,
                     !one || o->banded};
    const run_rows rows = {down, a->output.row_pitch, one ? 1 : o->rows, o->banded};
    if (one_run(a) && o->columns == a->output.width) {
        r.length *= r.count;
        r.count = 1;
    }
    make_runs(&a->requant, lists, taps, &r, &rows);
}

static void pool_rows(const args *a, pool_plan *p, int32_t y, int32_t rows) {
    const int32_t width = a->output.width;
    dpl_taps taps = taps_of_row(&a->input, &a->window, y);
    outputs o = {y, rows, 0, 0, p->banded};
    for (; o.x < width; o.x += o.columns) {
        const int inside = o.x >= p->columns.begin && o.x < p->columns.end;
        taps_of_column(&taps, &a->input, &a->window, o.x);
        keep_lists(&p->lists[inside], &taps, a->input.ring_height == 0);
        o.columns = inside ? p->columns.end - o.x : 1;
        pool_runs(a, &p->lists[inside], &taps, &o);
    }
}

/* Whether rows are made in bands, each a block of the kernel's order: those with columns at the
 * sides, those that are runs whose last outputs are made when the others of all rows are, and short
 * runs of few taps, made in any order. */
static int in_bands(const args *a, dpl_span whole) {
    const int32_t channels = a->output.channels, row = a->output.width * channels;
    const int sided = whole.begin > 0 || whole.end < a->output.width;
    const int runs = follow(a) || a->output.width == 1;
    const int rest = row % GROUP > 0 && regroups(&a->window);
    const int few = row == channels && row < GROUP && is_near(&a->window);
    return sided || (runs && (rest || few) && !one_run(a));
}

static int32_t bands_of(const dpl_window *w) {
    return is_near(w) ? DPL_POOL_NEAR_ROWS : DPL_POOL_BAND_ROWS;
}

/* How many rows from y on have all their taps; where there are bands, within one. */
static int32_t rows_alike(const args *a, const pool_plan *p, int32_t y, int32_t end) {
    const int rings = a->input.ring_height != 0 || a->output.ring_height != 0;
    const int32_t tall = bands_of(&a->window), band = (y / tall + 1) * tall;
    if (rings || y < p->rows.begin || y >= p->rows.end) {
        return 1;
    }
    end = p->rows.end < end ? p->rows.end : end;
    return (band < end && p->banded ? band : end) - y;
}

void KERNEL(const args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    pool_plan p;
    p.columns = whole_columns(a);
    p.rows = whole_rows(a);
    p.banded = in_bands(a, p.columns);
    p.lists[0].rows = p.lists[1].rows = 0;
    for (int32_t y = rows.begin, count; y < rows.end; y += count) {
        count = rows_alike(a, &p, y, rows.end);
        pool_rows(a, &p, y, count);
    }
}
