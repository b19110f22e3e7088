/* What planes a convolution takes, and how many rows of the output a strip has.
 */
#ifndef DPL_NEON_PLANES_SHAPE_H
#define DPL_NEON_PLANES_SHAPE_H

#include "dpl/cores.h"
#include "dpl/neon/blocking.h"
#include "dpl/neon/plane_axis.h"
#include "dpl/requant.h"

/* What a call states of its outputs; no tap is left out yet. */
typedef const dpl_requant *output_rule;
#define SET_RULE(V, A)                                                                             \
    ((V)->input_zero = (A)->input_zero, (V)->requant = &(A)->requant, (V)->skipped = 0,            \
     (V)->stored = 0, (V)->pixel_outputs = 0, (V)->pixel_bytes = 0, (V)->row_values = 0,           \
     (V)->turned = 0, (V)->few = 0, (V)->slid_taps = 0, (V)->alone = 0, (V)->inside.begin = 0,     \
     (V)->inside.end = 0, (V)->ordered = 0)

#include "dpl/neon/stripes.h"
#include "dpl/tensor.h"
#include "dpl/window.h"

#define PIXELS DPL_PLANE_PIXELS
#define FOUR 4 /* channels and cells of a block of a plane */
#define EIGHT 8
/* Most taps of a row whose cells are loaded once, and most cells from one to the next. */
#define MOST_SLID_TAPS 5
#define MOST_APART 2
#if defined(__aarch64__) || !defined(__ARM_NEON)
#define SLIDES 1
#else
#define SLIDES 0
#endif

typedef struct {
    dpl_tensor_s8 input, output; /* of all groups, channels and pitches in bytes */
    dpl_window window;
    int32_t input_zero;
    output_rule requant;
    void *scratch;
    stripes rows, columns;
    int32_t core_bytes; /* of one core, equal for all that a call convolves */
    plane_axis tall, wide;
    int32_t depth, outputs; /* of a group: channels */
    /* of a group in one of several pixels that are taken as one, and bytes from one to the next; 0
     * where a group's outputs lie side by side */
    int32_t pixel_outputs, pixel_bytes;
    dpl_share inside;        /* of a group's outputs, those to be stored, if not all; else empty */
    int32_t together;        /* groups whose planes are made at once */
    int32_t stored;          /* values of a window */
    int32_t skipped, values; /* those before the first that an input meets; that many then */
    int32_t row_values;      /* of a kernel row, where one tap of each is kept, else 0 */
    int32_t row_skipped;     /* those before that one */
    int16_t *kept;           /* room for the weights of what is kept */
    int32_t padded;          /* whether windows meet padding */
    int32_t turned;          /* whether rows are columns */
    int32_t few;             /* whether outputs are those that sixteen positions are summed of */
    int32_t slid_taps; /* of a kernel row in a plane, where their cells are loaded once, else 0 */
    const int16_t *ordered; /* weights that were put in order for them */
    int32_t pitch;          /* cells of a row of a plane */
    int32_t alone; /* positions that a row takes where no block has those of several, else 0 */
    int32_t strip; /* rows of the output */
    int32_t plane, cells; /* of a plane, of all of a channel */
    uint16_t *at;         /* bytes from a position to each value of its window */
    int32_t *to;          /* where in the output each position of the strip goes */
    int16_t *planes;
} convolution;

/* Cells behind the last plane: padding of its last row, and what a block reads
 * behind its end: of few outputs eight more than it has. */
static inline int32_t cells_behind(const convolution *v) {
    return v->wide.span + (v->few ? 2 : 1) * PIXELS;
}

static inline int32_t in_whole(int32_t count, int32_t of) {
    return (count + of - 1) / of * of;
}

static inline int32_t plane_bytes(const convolution *v, int32_t rows) {
    const int32_t planes = v->together * v->depth * v->tall.remainders * v->wide.remainders;
    return planes * in_whole((rows + v->tall.span) * v->pitch, FOUR) * 2;
}

/* Whether a window has taps in several cells of a plane. */
static inline int in_rows(const convolution *v) {
    return v->tall.span + v->wide.span > 0;
}

/* Between rows is what a window needs of padding, before or behind. Never zero:
 * a remainder of a transposed convolution may have no outputs. In whole halves of vectors where
 * that takes less than loads across them do. */
static inline int32_t pitch_of(const convolution *v) {
    const plane_axis *wide = &v->wide;
    const int32_t width = v->columns.count > 0 ? v->columns.count : 1;
    const int32_t whole = width + wide->span;
    const int32_t inputs = (v->input.width + wide->stride - 1) / wide->stride - wide->first;
    const int32_t read = whole + wide->first;
    const int32_t shared = inputs > read ? inputs : read;
    const int32_t least = shared > width ? shared : width;
    const int32_t pitch = least < whole ? least : whole, halves = in_whole(pitch, FOUR);
    return v->few && in_rows(v) && 8 * (halves - pitch) <= pitch ? halves : pitch;
}

static inline int32_t batches_of(const convolution *v, int32_t groups) {
    return (groups + v->together - 1) / v->together;
}

/* Rows whose planes fit, no more than leave every core a strip of groups. */
static inline int32_t strip_of(const convolution *v, int32_t groups) {
    const int32_t own = v->rows.count * batches_of(v, groups) / DPL_CORE_COUNT;
    int32_t rows = DPL_PLANE_POSITIONS / v->pitch;
    rows = rows < own ? rows : own;
    rows = rows < v->rows.count ? rows : v->rows.count;
    while (rows > 1 && plane_bytes(v, rows) > DPL_PLANES_BYTES) {
        rows--;
    }
    return rows < 1 ? 1 : rows;
}

/* Positions of a strip that blocks take without a break: all, or those of each row; where the last
 * of these runs begins. */
typedef struct {
    int32_t last, size;
} position_runs;

static inline position_runs runs_of(const convolution *v, int32_t positions) {
    const int32_t row = v->columns.count;
    const position_runs all = {0, positions}, rows = {positions - row, row};
    return v->alone > 0 ? rows : all;
}

/* Rows are taken one by one where their blocks end before the next one begins, so that positions
 * between rows are left out, and take less; `alone`: as many positions as a row takes then. */
static inline void set_alone(convolution *v, int32_t alone) {
    const int ends = in_whole(v->columns.count, PIXELS) <= v->pitch;
    v->alone = ends && alone < v->pitch ? alone : 0;
}

/* Blocks of a whole layer's positions. */
static inline int32_t blocks_of(const convolution *v) {
    const int32_t row = v->alone > 0 ? v->alone : v->pitch;
    return (v->rows.count * row + PIXELS - 1) / PIXELS;
}

static inline int32_t values_bytes(const convolution *v) {
    return in_whole(2 * (v->values + 2), 16);
}

/* Of the weights of so many taps of a row. */
static inline int32_t row_bytes(int32_t taps, int32_t channels) {
    return in_whole(2 * taps * channels, 8);
}

/* Of lists of values, and of rows where taps slide, with their weights. */
static inline int32_t at_bytes(const convolution *v) {
    if (v->slid_taps == 0) {
        return values_bytes(v);
    }
    const int32_t rows = v->values / v->slid_taps;
    return values_bytes(v) +
           in_whole(rows * row_bytes(v->slid_taps, v->outputs) + 2 * (rows + 2), 16);
}

static inline int32_t to_bytes(const convolution *v) {
    return 4 * in_whole(v->strip * v->pitch, PIXELS);
}

#include "dpl/neon/turn.h"

/* Rows of few pixels as columns: windows in a line have the same values in the
 * same order. */
static inline int turns(const convolution *v) {
    const int32_t rings = v->input.ring_height | v->output.ring_height;
    const int in_line = v->window.kernel_height == 1 || v->window.kernel_width == 1;
    return rings == 0 && in_line && v->columns.count < FOUR && v->columns.count < v->rows.count;
}

/* Leaves out first and last taps that lie outside an input of `extent` for all
 * outputs; returns how many first ones. */
static inline int32_t trim(int32_t *taps, int32_t *pad, int32_t dilation, int32_t reach,
                           int32_t extent) {
    const int32_t first = *pad;
    for (; *taps > 1 && reach < *pad; *pad -= dilation) {
        --*taps;
    }
    while (*taps > 1 && (*taps - 1) * dilation - *pad >= extent) {
        --*taps;
    }
    return (first - *pad) / dilation;
}

/* A window of several rows has all columns: what is left of it follows one
 * another. */
static inline void trim_window(convolution *v) {
    dpl_window *w = &v->window;
    const int32_t row = w->kernel_width * v->depth;
    const int32_t down = (v->rows.count - 1) * w->stride_height;
    const int32_t across = (v->columns.count - 1) * w->stride_width;
    v->skipped +=
        row * trim(&w->kernel_height, &w->pads.top, w->dilation_height, down, v->input.height);
    if (w->kernel_height == 1) {
        v->skipped += v->depth * trim(&w->kernel_width, &w->pads.left, w->dilation_width, across,
                                      v->input.width);
    }
    v->values = w->kernel_height * w->kernel_width * v->depth;
}

/* Where a row has few pixels one tap of each kernel row may be all that meets an input: a window in
 * a line is left, so that columns may become rows. */
static inline void narrow_window(convolution *v) {
    dpl_window *w = &v->window;
    int32_t taps = w->kernel_width, pad = w->pads.left;
    const int32_t rings = v->input.ring_height | v->output.ring_height;
    const int32_t across = (v->columns.count - 1) * w->stride_width;
    if (v->columns.count >= FOUR || w->kernel_height == 1 || taps == 1 || rings != 0 ||
        v->columns.count >= v->rows.count) {
        return;
    }
    const int32_t first = trim(&taps, &pad, w->dilation_width, across, v->input.width);
    if (taps == 1) {
        v->row_values = w->kernel_width * v->depth;
        v->row_skipped = first * v->depth;
        w->kernel_width = 1;
        w->pads.left = pad;
        v->values = w->kernel_height * v->depth;
    }
}

/* Of weights of what is kept of each kernel row, of a piece. */
static inline int32_t kept_bytes(const convolution *v) {
    return v->row_values > 0 ? 2 * DPL_PLANE_CHANNELS * v->values : 0;
}

/* Taps of a row that lie side by side in a plane, as many in each plane of a stride, where those
 * behind the first ones are enough. */
static inline void set_slid_taps(convolution *v) {
    const plane_axis *wide = &v->wide;
    const int dense = wide->dilation == 1 && wide->taps % wide->remainders == 0;
    const int32_t taps = wide->taps / wide->remainders;
    const int slides = (dense || is_even(wide)) && cells_apart(wide) <= MOST_APART && taps > 1 &&
                       taps <= MOST_SLID_TAPS;
    const int pays = v->values - v->values / taps >= DPL_LEAST_SLID_TAPS;
    v->slid_taps = SLIDES && v->few && slides && pays ? taps : 0;
}

/* Whether windows of `count` outputs reach beyond an input of `extent`. */
static inline int is_padded(const plane_axis *axis, int32_t count, int32_t extent) {
    const int32_t end = (count - 1) * axis->stride + (axis->taps - 1) * axis->dilation - axis->pad;
    return axis->pad > 0 || end >= extent;
}

static inline void set_axes(convolution *v) {
    const dpl_window *w = &v->window;
    v->tall = plane_axis_of(w->kernel_height, w->stride_height, w->dilation_height, w->pads.top);
    v->wide = plane_axis_of(w->kernel_width, w->stride_width, w->dilation_width, w->pads.left);
    v->pitch = pitch_of(v);
    v->padded = is_padded(&v->tall, v->rows.count, v->input.height) ||
                is_padded(&v->wide, v->columns.count, v->input.width);
    set_slid_taps(v);
}

static inline void turn_axes(convolution *v) {
    turn(v);
    v->turned = !v->turned;
    set_axes(v);
}

/* Rows as columns where an eighth of the positions are left out so, if planes have room; again for
 * one that is turned it changes nothing. */
static inline void turn_if_fewer(convolution *v) {
    const int32_t positions = v->rows.count * v->pitch;
    const int32_t least = v->rows.count * v->columns.count; /* where none is left out */
    if ((v->input.ring_height | v->output.ring_height) != 0 || 8 * least > 7 * positions) {
        return;
    }
    turn_axes(v);
    if (8 * v->rows.count * v->pitch > 7 * positions || plane_bytes(v, 1) > DPL_PLANES_BYTES) {
        turn_axes(v); /* back: a copy of all would be a call of memcpy */
    }
}

#endif
