/* ConvTranspose2d: each output element gathers its taps and is written once.
 *
 * Along an axis output o meets tap k of input i when o + pad = i * stride + k * dilation. The taps
 * that solve this lie stride / gcd apart and their inputs dilation / gcd, so they are found once
 * for each of the `stride` phases of a row; the next output of a phase meets the same taps one
 * input further, and only a border needs a division. Products with zero, as an input spread out by
 * its stride would have them, are never made.
 *
 * A block of four output channels walks a whole output row before the next one starts: its weights
 * are read from flash once a row, and stay in the cache meanwhile. */
#include "dpl/body/dot.h"
#include "dpl/body/requant.h"
#include "dpl/cores.h"
#include "dpl/window.h"

/* One axis: from a tap that meets an input to the next one. */
typedef struct {
    int32_t kernel, stride, dilation, extent; /* extent: of the input */
    int32_t tap, input;                       /* steps */
} axis;

/* Taps of an output position: tap, tap + step, ... meet input, input - step, ..., inside or not. */
typedef struct {
    int32_t tap, input, count;
} phase;

typedef struct {
    axis y, x;
    int32_t depth;     /* weights of a tap: the input channels of a group */
    int32_t filter;    /* weights of an output channel */
    int32_t per_group; /* output channels of a group */
    int32_t depthwise; /* whether every group is one channel to one channel */
} layout;

/* Up to four output channels of one group, or of as many groups of one channel. */
typedef struct {
    int32_t channel, count;
    const element *input;  /* the first group's first channel */
    const int8_t *weights; /* those of the first output channel */
    int32_t at[DOT_ROWS];  /* from there to those of each */
} block;

/* The taps that an output pixel meets, from the highest, which meets the first input, down. */
typedef struct {
    int32_t rows, columns;
    dpl_row_walk walk;          /* input rows */
    int32_t weight, column;     /* of the first tap: elements into the weights, into the row */
    int32_t row_step, tap_step; /* elements of weights back to the next row of taps, next tap */
    int32_t pitch, depth, zero; /* pitch: elements from an input to the next one of the row */
} meeting;

static int32_t common_divisor(int32_t a, int32_t b) {
    while (b != 0) {
        int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static axis axis_of(int32_t kernel, int32_t stride, int32_t dilation, int32_t extent) {
    const int32_t divisor = common_divisor(stride, dilation);
    axis a = {kernel, stride, dilation, extent, stride / divisor, dilation / divisor};
    return a;
}

/* at: output position plus pad. Negative numbers too have remainder zero where they divide. */
static phase phase_at(const axis *a, int32_t at) {
    for (int32_t tap = 0; tap < a->tap && tap < a->kernel; tap++) {
        const int32_t distance = at - tap * a->dilation;
        if (distance % a->stride == 0) {
            phase p = {tap, distance / a->stride, (a->kernel - 1 - tap) / a->tap + 1};
            return p;
        }
    }
    phase nothing = {0, 0, 0};
    return nothing;
}

/* The taps whose inputs exist, reversed: tap and input are the last tap's, the input being the
 * first. Divides at the border only. */
static phase inside(phase p, const axis *a) {
    int32_t begin = 0, end = p.count;
    if (p.input >= a->extent) {
        begin = (p.input - a->extent) / a->input + 1;
    }
    if (p.input < (end - 1) * a->input) {
        end = p.input < 0 ? 0 : p.input / a->input + 1;
    }
    phase found = {p.tap + (end - 1) * a->tap, p.input - (end - 1) * a->input, end - begin};
    if (begin >= end) {
        found.tap = found.input = found.count = 0;
    }
    return found;
}

static layout layout_of(const args *a) {
    const dpl_window *w = &a->window;
    layout l;
    l.y = axis_of(w->kernel_height, w->stride_height, w->dilation_height, a->input.height);
    l.x = axis_of(w->kernel_width, w->stride_width, w->dilation_width, a->input.width);
    l.depth = a->input.channels / a->groups;
    l.filter = w->kernel_height * w->kernel_width * l.depth;
    l.per_group = a->output.channels / a->groups;
    l.depthwise = l.depth == 1 && l.per_group == 1;
    return l;
}

/* acc[r] += sum of (x[i] - zero) * w[at[r] + i]: dot with one instruction more for four MACs, where
 * a sum of the weights that meet an input would need nine. */
static inline void add_tap(const element *restrict x, int32_t zero, const int8_t *restrict w,
                           const int32_t at[DOT_ROWS], int32_t n, int32_t *restrict acc) {
    const int8_t *restrict w0 = w + at[0], *restrict w1 = w + at[1];
    const int8_t *restrict w2 = w + at[2], *restrict w3 = w + at[3];
    int32_t sum0 = acc[0], sum1 = acc[1], sum2 = acc[2], sum3 = acc[3];
    for (int32_t i = 0; i < n; i++) {
        int32_t value = x[i] - zero;
        sum0 += value * w0[i];
        sum1 += value * w1[i];
        sum2 += value * w2[i];
        sum3 += value * w3[i];
    }
    acc[0] = sum0;
    acc[1] = sum1;
    acc[2] = sum2;
    acc[3] = sum3;
}

/* A function of its own because inlined into its caller gcc runs out of registers. */
static __attribute__((noinline)) void add_taps(const meeting *m, const block *b,
                                               int32_t *restrict acc) {
    dpl_row_walk walk = m->walk;
    const int8_t *row = b->weights + m->weight;
    for (int32_t y = 0; y < m->rows; y++, row -= m->row_step, dpl_next_row(&walk)) {
        const element *x = b->input + walk.offset + m->column;
        const int8_t *w = row;
        for (int32_t left = m->columns; left > 0; left--, x += m->pitch, w -= m->tap_step) {
            add_tap(x, m->zero, w, b->at, m->depth, acc);
        }
    }
}

/* The same for a block of groups of one channel: output channel r reads input channel r. */
static __attribute__((noinline)) void add_lanes(const meeting *m, const block *b,
                                                int32_t *restrict acc) {
    dpl_row_walk walk = m->walk;
    const int8_t *row = b->weights + m->weight;
    for (int32_t y = 0; y < m->rows; y++, row -= m->row_step, dpl_next_row(&walk)) {
        const element *x = b->input + walk.offset + m->column;
        const int8_t *w = row;
        for (int32_t left = m->columns; left > 0; left--, x += m->pitch, w -= m->tap_step) {
            for (int32_t r = 0; r < b->count; r++) {
                acc[r] += (x[r] - m->zero) * w[b->at[r]];
            }
        }
    }
}

/* The vertical part of the taps: the same for every pixel of output row y. */
static meeting meeting_of_row(const args *a, const layout *l, const phase *rows) {
    const dpl_row_walk nowhere = {0, 0, 0};
    meeting m;
    m.rows = rows->count;
    m.walk = rows->count > 0 ? walk_rows(&a->input, rows->input, l->y.input) : nowhere;
    m.columns = m.weight = m.column = 0;
    m.row_step = l->y.tap * l->x.kernel * l->depth;
    m.tap_step = l->x.tap * l->depth;
    m.pitch = l->x.input * a->input.pixel_pitch;
    m.depth = l->depth;
    m.zero = a->input_zero;
    return m;
}

/* The outputs of a row that are of one phase. */
static void phase_row(const args *a, const layout *l, meeting *m, const block *b, const phase *rows,
                      int32_t x, element *restrict out) {
    const int32_t *bias = a->bias + b->channel;
    const int32_t pitch = a->output.pixel_pitch, stride = l->x.stride;
    phase columns = phase_at(&l->x, x + a->window.pads.left);
    for (; x < a->output.width; x += stride, columns.input++) {
        int32_t acc[DOT_ROWS];
        const phase met = inside(columns, &l->x);
        m->columns = met.count;
        m->column = met.input * a->input.pixel_pitch;
        m->weight = (rows->tap * l->x.kernel + met.tap) * l->depth;
        dot_start(acc, bias, b->count);
        if (l->depthwise) {
            add_lanes(m, b, acc);
        } else {
            add_taps(m, b, acc);
        }
        requantize_block(&a->requant, acc, b->channel, b->count, out + x * pitch + b->channel);
    }
}

/* The block of group g that starts at a channel and ends before another, at most four long. */
static void set_block(block *b, const args *a, const layout *l, int32_t g, int32_t channel,
                      int32_t end) {
    int32_t left = end - channel;
    b->channel = channel;
    b->count = left < DOT_ROWS ? left : DOT_ROWS;
    b->input = a->input.data + g * l->depth;
    b->weights = a->weights + channel * l->filter;
    dot_rows(b->at, l->filter, b->count);
}

/* One output row of this core's channels. */
static void output_row(const args *a, const layout *l, dpl_share channels, int32_t y) {
    const phase rows = inside(phase_at(&l->y, y + a->window.pads.top), &l->y);
    meeting m = meeting_of_row(a, l, &rows);
    element *out = row_of(&a->output, y);
    int32_t c = channels.begin;
    while (c < channels.end) {
        const int32_t group = c / l->per_group;
        const int32_t last = l->depthwise ? channels.end : (group + 1) * l->per_group;
        block b;
        set_block(&b, a, l, group, c, last < channels.end ? last : channels.end);
        for (int32_t x = 0; x < l->x.stride && x < a->output.width; x++) {
            phase_row(a, l, &m, &b, &rows, x, out);
        }
        c += b.count;
    }
}

void KERNEL(const args *a) {
    const layout l = layout_of(a);
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        output_row(a, &l, part.channels, y);
    }
}
