/* ConvTranspose2d of few outputs a group, dilation 1, kernels no smaller than their strides, by the
 * rule Q32: what an input pixel adds to the outputs that it reaches. A body, with types of an
 * element and `args` before it.
 *
 * Of a kernel row these outputs follow one another, as its columns of outputs. Rows of sums begin
 * with biases; four rows of the input add to them, tile after tile (scatter_sums.h), and those that
 * no later row reaches become outputs. The others are the first of the next four's. The input is
 * copied as int16 less its zero point, zero outside. */
#include "dpl/cores.h"
#include "dpl/neon/eight.h"
#include "dpl/neon/run.h"
#include "dpl/neon/scatter_sums.h"

/* Of a core. Rows and columns of sums are those of outputs before pads are cut off, columns `lead`
 * later. */
typedef struct {
    const args *a;
    int32_t depth, pixel;    /* channels of a group, and of a copied pixel */
    int32_t outputs;         /* of a group */
    int32_t vectors;         /* of a kernel row */
    int32_t lead, row, held; /* columns; sums of a row; rows */
    dpl_share inputs;        /* rows that meet the core's outputs */
    int16_t *copies;
    int32_t *sums, *biases, *multipliers;
    element *finished;
} scatter;

#define SIXTEEN 16 /* of sums a row is whole ones */

static inline int32_t in_whole(int32_t count, int32_t of) {
    return (count + of - 1) / of * of;
}

static inline int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

/* The quotient rounded down. */
static inline int32_t floored(int32_t a, int32_t by) {
    return a >= 0 ? a / by : -((by - 1 - a) / by);
}

static scatter shape_of_all(const args *a) {
    const dpl_window *w = &a->window;
    scatter s; /* of members, as compilers call memset for the rest of a list of them */
    s.a = a;
    s.lead = larger(0, -w->pads.left);
    const int32_t reach = (a->input.width - 1) * w->stride_width + w->kernel_width;
    s.depth = a->input.channels / a->groups;
    s.pixel = in_whole(s.depth, FOUR);
    s.outputs = a->output.channels / a->groups;
    s.vectors = in_whole(w->kernel_width * s.outputs, FOUR) / FOUR;
    s.row = (s.lead + larger(reach, a->output.width + w->pads.left)) * s.outputs;
    s.row = in_whole(s.row + FOUR - 1, SIXTEEN);
    s.held = (ROWS - 1) * w->stride_height + w->kernel_height;
    return s;
}

static inline int8_t *taken(int8_t **free, int32_t bytes) {
    int8_t *first = *free;
    *free += in_whole(bytes, VECTOR_BYTES);
    return first;
}

static void lay_out(scatter *s) {
    const args *a = s->a;
    const int32_t row = 4 * s->row;
    const int32_t copies = 2 * ROWS * a->input.width * s->pixel;
    const int32_t finished = a->output.width * s->outputs * (int32_t)sizeof(element);
    const int32_t bytes =
        in_whole(copies, VECTOR_BYTES) + (s->held + 2) * row + in_whole(finished, VECTOR_BYTES);
    int8_t *free = (int8_t *)a->scratch + dpl_core_id() * bytes;
    s->copies = (int16_t *)(void *)taken(&free, copies);
    s->sums = (int32_t *)(void *)taken(&free, s->held * row);
    s->biases = (int32_t *)(void *)taken(&free, row);
    s->multipliers = (int32_t *)(void *)taken(&free, row);
    s->finished = (element *)(void *)taken(&free, finished);
}

/* A row of biases and one of multipliers of a group whose first output is `first`. */
static void spread_tables(const scatter *s, int32_t first) {
    const dpl_requant *q = &s->a->requant;
    for (int32_t i = 0, o = 0; i < s->row; i++, o = o + 1 < s->outputs ? o + 1 : 0) {
        s->biases[i] = s->a->bias[first + o];
        s->multipliers[i] = q->multiplier[(first + o) * q->channel_step];
    }
}

/* Whole SIXTEENS of sums, which may move to lower addresses. */
static inline void move_sums(int32_t *to, const int32_t *from, int32_t count) {
    for (int32_t i = 0; i < count; i += SIXTEEN) {
        int32x4_t sums[SIXTEEN / FOUR];
        UNROLLED for (int k = 0; k < SIXTEEN / FOUR; k++) {
            sums[k] = vld1q_s32(from + i + FOUR * k);
        }
        UNROLLED for (int k = 0; k < SIXTEEN / FOUR; k++) {
            vst1q_s32(to + i + FOUR * k, sums[k]);
        }
    }
}

/* Rows of sums from `row` on. */
static void begin_rows(const scatter *s, int32_t row) {
    for (; row < s->held; row++) {
        move_sums(s->sums + row * s->row, s->biases, s->row);
    }
}

/* A pixel's channels of a group; the last eight overlap those before. */
static inline void copy_few(int16_t *to, const element *from, int32_t count, int16_t zero) {
    for (int32_t i = 0; i < count; i++) {
        to[i] = (int16_t)(from[i] - zero);
    }
}

static inline void copy_eights(int16_t *to, const element *from, int32_t count, int16_t zero) {
    const int16x8_t all = vdupq_n_s16(zero);
    const int32_t last = count - EIGHT;
    for (int32_t i = 0; i < last; i += EIGHT) {
        vst1q_s16(to + i, vsubq_s16(load_eight(from + i), all));
    }
    vst1q_s16(to + last, vsubq_s16(load_eight(from + last), all));
}

static void copy_row(const scatter *s, int32_t y, int32_t first, int16_t *to) {
    const args *a = s->a;
    const int16_t zero = (int16_t)a->input_zero;
    const element *from = row_of(&a->input, y) + first;
    for (int32_t x = a->input.width; x > 0; x--, to += s->pixel, from += a->input.pixel_pitch) {
        if (s->depth < EIGHT) {
            copy_few(to, from, s->depth, zero);
        } else {
            copy_eights(to, from, s->depth, zero);
        }
    }
}

/* Four rows from `y` on, a group whose first channel is `first`. */
static void copy_rows(const scatter *s, int32_t y, int32_t first) {
    const int32_t count = s->a->input.width * s->pixel;
    int16_t *to = s->copies;
    for (int32_t j = 0; j < ROWS; j++, y++, to += count) {
        if (y >= s->inputs.begin && y < s->inputs.end) {
            copy_row(s, y, first, to);
            continue;
        }
        int32_t none = 0;
        __asm__("" : "+r"(none)); /* of a constant gcc would make a call of memset */
        for (int32_t i = 0; i < count; i += FOUR) {
            vst1_s16(to + i, vdup_n_s16((int16_t)none));
        }
    }
}

/* Vectors of the tile from vector `i` of `all` on: no more kernel rows than the stride, since the
 * next one meets the first of the pixel below. The same in deployer/kernelset/layouts/scatter.py.
 */
static inline int32_t tile_of(const scatter *s, int32_t i, int32_t all) {
    const int32_t end = (i / s->vectors + s->a->window.stride_height) * s->vectors;
    const int32_t left = (end < all ? end : all) - i;
    return left < TILE ? left : TILE;
}

/* All tiles of a group; `weights` are its first one's. */
static void add_tiles(const scatter *s, const int16_t *weights) {
    const args *a = s->a;
    const dpl_window *w = &a->window;
    const int32_t all = w->kernel_height * s->vectors;
    scatter_tile t; /* of members, as above */
    t.x = s->copies;
    t.x_row = a->input.width * s->pixel;
    t.pixel = s->pixel;
    t.to = s->sums + s->lead * s->outputs;
    t.row = w->stride_height * s->row;
    t.step = w->stride_width * s->outputs;
    t.depth = s->depth;
    t.columns = a->input.width;
    for (int32_t i = 0, count; i < all; i += count, weights += count * FOUR * s->depth) {
        count = tile_of(s, i, all);
        t.weights = weights;
        for (int32_t v = 0; v < count; v++) {
            t.at[v] = (i + v) / s->vectors * s->row + (i + v) % s->vectors * FOUR;
        }
        run_tile(&t, count);
    }
}

typedef struct {
    int16x8_t zero;
    limits within;
} finishing;

/* Sums to outputs, `count` a multiple of eight and a constant: what one eight waits for hides
 * behind the others. */
INLINED void finish_eights(const finishing *q, const int32_t *sums, const int32_t *by, element *to,
                           int count) {
    int32x4_t low[ROWS], high[ROWS];
    int16x8_t outputs[ROWS];
    UNROLLED for (int i = 0; i < count / EIGHT; i++) {
        low[i] = vqdmulhq_s32(vld1q_s32(sums + EIGHT * i), vld1q_s32(by + EIGHT * i));
        high[i] = vqdmulhq_s32(vld1q_s32(sums + EIGHT * i + 4), vld1q_s32(by + EIGHT * i + 4));
    }
    UNROLLED for (int i = 0; i < count / EIGHT; i++) {
        outputs[i] = vqrshrn_high_n_s32(vqrshrn_n_s32(low[i], 1), high[i], 1);
    }
    UNROLLED for (int i = 0; i < count / EIGHT; i++) {
        outputs[i] = sizeof(element) == 1 ? vqaddq_s16(outputs[i], q->zero) : outputs[i];
        outputs[i] = vminq_s16(vmaxq_s16(outputs[i], q->within.low), q->within.high);
        store_eight(to + EIGHT * i, outputs[i]);
    }
}

/* The last eight overlap those before; of fewer the others are none. */
static void finish(const dpl_requant *q, const int32_t *sums, const int32_t *by, element *to,
                   int32_t count) {
    const finishing f = {vdupq_n_s16((int16_t)q->rounding[0]), limits_of(q->low, q->high)};
    const int32_t last = count - EIGHT;
    element few[SIXTEEN]; /* as a copy may read */
    int32_t i = 0;
    if (last < 0) {
        finish_eights(&f, sums, by, few, EIGHT);
        copy_run(to, few, count);
        return;
    }
    for (; i + ROWS * EIGHT <= count; i += ROWS * EIGHT) {
        finish_eights(&f, sums + i, by + i, to + i, ROWS * EIGHT);
    }
    for (; i < last; i += EIGHT) {
        finish_eights(&f, sums + i, by + i, to + i, EIGHT);
    }
    if (i < count) {
        finish_eights(&f, sums + last, by + last, to + last, EIGHT);
    }
}

/* Row `y` of the output, whose sums are row `r`; `first`: of the group's channels. */
static void finish_row(const scatter *s, int32_t y, int32_t r, int32_t first) {
    const args *a = s->a;
    const int32_t at = (s->lead + a->window.pads.left) * s->outputs, width = a->output.width;
    element *to = row_of(&a->output, y) + first;
    const int whole = a->output.pixel_pitch == s->outputs;
    finish(&a->requant, s->sums + r * s->row + at, s->multipliers + at, whole ? to : s->finished,
           width * s->outputs);
    if (!whole) {
        copy_each(to, a->output.pixel_pitch, s->finished, s->outputs, s->outputs, width);
    }
}

/* Rows that are whole become outputs where they are the core's; those below go up. */
static void finish_strip(const scatter *s, int32_t top, dpl_share rows, int32_t first) {
    const int32_t whole = ROWS * s->a->window.stride_height, pad = s->a->window.pads.top;
    const int32_t left = s->held > whole ? s->held - whole : 0;
    for (int32_t r = 0; r < whole; r++) {
        const int32_t y = top + r - pad;
        if (y >= rows.begin && y < rows.end) {
            finish_row(s, y, r, first);
        }
    }
    move_sums(s->sums, s->sums + whole * s->row, left * s->row);
    begin_rows(s, left);
}

/* Rows of the output, of group `g`. */
static void run_group(const scatter *s, dpl_share rows, int32_t g) {
    const args *a = s->a;
    const dpl_window *w = &a->window;
    const int32_t stride = w->stride_height, pad = w->pads.top;
    const int32_t lanes = w->kernel_height * s->vectors * FOUR, first = g * s->outputs;
    const int32_t above = floored(rows.begin + pad, stride);
    const int16_t *weights = (const int16_t *)(const void *)a->weights;
    spread_tables(s, first);
    begin_rows(s, 0);
    for (int32_t y = s->inputs.begin < above ? s->inputs.begin : above; y * stride < rows.end + pad;
         y += ROWS) {
        if (y + ROWS > s->inputs.begin && y < s->inputs.end) {
            copy_rows(s, y, g * s->depth);
            add_tiles(s, weights + g * lanes * s->depth);
        }
        finish_strip(s, y * stride, rows, first);
    }
}

void KERNEL(const args *a) {
    const dpl_window *w = &a->window;
    const dpl_share rows = dpl_core_share(a->output.height);
    const int32_t begin = rows.begin + w->pads.top, end = rows.end + w->pads.top;
    scatter s = shape_of_all(a);
    lay_out(&s);
    s.inputs.begin = larger(0, floored(begin - w->kernel_height, w->stride_height) + 1);
    s.inputs.end = floored(end - 1, w->stride_height) + 1;
    s.inputs.end = s.inputs.end < a->input.height ? s.inputs.end : a->input.height;
    for (int32_t g = 0; g < a->groups && rows.begin < rows.end; g++) {
        run_group(&s, rows, g);
    }
}
