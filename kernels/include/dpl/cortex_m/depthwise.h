/* DepthwiseConv2d of any size of kernel at stride 1 or 2, two taps of a channel a product
 * (dpl/cortex_m/slide.h). The body of a kernel of int8 or int16; its file names `args` and `KERNEL`
 * and says how elements are packed and saturated.
 *
 * A group of channels goes through the image before the next does. Rows lie packed in a ring of as
 * many as the kernel has, and the rows of weights twice after one another, so that those for any
 * order of rows in the ring begin somewhere. An image of one column under a kernel of one column
 * is computed as a row. */
#include "dpl/cores.h"
#include "dpl/cortex_m/slide.h"

/* Keep in step with deployer/kernelset/cortex_m/depthwise.py. */
enum { GROUP_BYTES = 8192 };

typedef struct {
    const args *a;
    filter f;
    int32_t pairs;   /* of columns that windows read, padding included */
    int32_t plane;   /* words of four channels' ring */
    int32_t weights; /* words of a channel's weights */
    int32_t group;   /* channels packed at a time */
    int fast;        /* by smmlar and a saturation alone */
    uint32_t *planes, *taps;
} plan;

static plan plan_of(const args *a) {
    const dpl_window *window = &a->window;
    plan p = {.a = a, .planes = a->scratch};
    const int32_t stride = window->stride_width, width = window->kernel_width;
    const int32_t blocks = (a->output.width + OUTPUTS - 1) / OUTPUTS;
    p.f.stride = stride;
    p.f.rows = window->kernel_height;
    p.f.terms = stride == 1 ? width / 2 + 1 : (width + 1) / 2;
    p.f.pitch = (blocks * 2 * stride + p.f.terms) * LANES;
    p.pairs = ((a->output.width - 1) * stride + width + 1) / 2;
    p.plane = p.f.pitch * p.f.rows;
    p.weights = (2 * p.f.rows - 1) * weight_words(&p.f);
    const int32_t planes = GROUP_BYTES / 4 / (p.plane + LANES * p.weights);
    const int32_t most = (a->output.channels + LANES - 1) / LANES;
    p.group = LANES * (planes < 1 ? 1 : planes > most ? most : planes);
    p.taps = p.planes + p.group / LANES * p.plane;
    p.fast = a->requant.rule == DPL_Q32 && a->requant.low == LOWEST && a->requant.high == HIGHEST;
    return p;
}

static inline uint32_t two_taps(int32_t low, int32_t high) {
    return (uint32_t)(uint16_t)low | (uint32_t)(uint16_t)high << 16;
}

/* A row of terms of a channel, and the same where the weights begin again, unless it is the last.
 */
static void pack_weight_row(const plan *p, const int8_t *from, uint32_t *to, int32_t again) {
    const int32_t channels = p->a->output.channels, width = p->a->window.kernel_width;
    int32_t before = 0;
    for (int32_t k = 0; k < 2 * p->f.terms; k += 2, from += 2 * channels) {
        const int32_t first = k < width ? from[0] : 0;
        const int32_t second = k + 1 < width ? from[channels] : 0;
        to[0] = to[again] = two_taps(first, second);
        to++;
        if (p->f.stride == 1) {
            to[0] = to[again] = two_taps(before, first);
            to++;
        }
        before = second;
    }
}

static void pack_channel_weights(const plan *p, int32_t c, uint32_t *to) {
    const int32_t words = weight_words(&p->f), rows = p->f.rows;
    const int8_t *from = p->a->weights + c;
    for (int32_t r = 0; r < rows; r++, to += words) {
        pack_weight_row(p, from, to, r + 1 < rows ? rows * words : 0);
        from += p->a->window.kernel_width * p->a->output.channels;
    }
}

/* The first channel of the plane that would begin at channel c: the last plane covers channels
 * again, rather than some that are not there. */
static inline int32_t plane_channel(const plan *p, int32_t c) {
    const int32_t last = p->a->input.channels - LANES;
    return c > last && last >= 0 ? last : c;
}

static void pack_weights(const plan *p, int32_t first, int32_t last) {
    uint32_t *to = p->taps;
    for (int32_t c = first; c < last; c += LANES) {
        const int32_t from = plane_channel(p, c);
        for (int32_t i = 0; i < LANES; i++, to += p->weights) {
            if (from + i < p->a->output.channels) {
                pack_channel_weights(p, from + i, to);
            }
        }
    }
}

/* Four channels of a pixel, or as many as there are: others are never written. */
typedef struct {
    element at[LANES];
} pixel;

static pixel pixel_of(const plan *p, const element *row, int32_t x, int32_t c) {
    const int32_t zero = p->a->input_zero;
    pixel four = {{(element)zero, (element)zero, (element)zero, (element)zero}};
    if (row && x >= 0 && x < p->a->input.width) {
        const int32_t left = p->a->input.channels - c;
        for (int32_t i = 0; i < LANES && i < left; i++) {
            four.at[i] = row[x * p->a->input.pixel_pitch + c + i];
        }
    }
    return four;
}

/* Pairs `first` to `last` of columns, some of which may lie beyond the input. */
static void pack_borders(const plan *p, const element *row, int32_t c, dpl_share pairs,
                         uint32_t *to) {
    to += pairs.begin * LANES;
    for (int32_t i = pairs.begin; i < pairs.end; i++, to += LANES) {
        const int32_t x = 2 * i - p->a->window.pads.left;
        const pixel even = pixel_of(p, row, x, c), odd = pixel_of(p, row, x + 1, c);
        pack_pixels(even.at, odd.at, to);
    }
}

/* The pairs of a row that lie inside with all of four channels. */
static dpl_share inner_pairs(const plan *p, int32_t c) {
    const int32_t left = p->a->window.pads.left;
    dpl_share inner = {(left + 1) / 2, (left + p->a->input.width) / 2};
    inner.end = inner.end < p->pairs ? inner.end : p->pairs;
    if (p->a->input.channels - c < LANES || inner.begin >= inner.end) {
        return (dpl_share){0, 0};
    }
    return inner;
}

static void pack_plane(const plan *p, const element *row, int32_t c, uint32_t *to) {
    const dpl_share inner = row ? inner_pairs(p, c) : (dpl_share){0, 0};
    const int32_t pitch = p->a->input.pixel_pitch;
    pack_borders(p, row, c, (dpl_share){0, inner.begin}, to);
    pack_borders(p, row, c, (dpl_share){inner.end, p->pairs}, to);
    if (inner.begin < inner.end) {
        const element *from = row + (2 * inner.begin - p->a->window.pads.left) * pitch + c;
        pack_inside(from, pitch, inner.end - inner.begin, to + inner.begin * LANES);
    }
}

/* Row y of the input, counted from the top of the padding. */
static void pack_row(const plan *p, int32_t y, int32_t first, int32_t last) {
    const int32_t inside = y - p->a->window.pads.top;
    const int is_inside = inside >= 0 && inside < p->a->input.height;
    const element *row = is_inside ? row_of(&p->a->input, inside) : 0;
    uint32_t *to = p->planes + y % p->f.rows * p->f.pitch;
    for (int32_t c = first; c < last; c += LANES, to += p->plane) {
        pack_plane(p, row, plane_channel(p, c), to);
    }
}

static inline element *finish(const plan *p, const four_sums *s, int32_t c, int32_t count,
                              element *out) {
    const int32_t sums[] = {s->s0, s->s1, s->s2, s->s3}, pitch = p->a->output.pixel_pitch;
    for (int32_t i = 0; i < count; i++, out += pitch) {
        *out = (element)dpl_requantize(&p->a->requant, sums[i], c);
    }
    return out;
}

static inline element *finish_fast(const four_sums *s, int32_t m, int32_t zero, int32_t pitch,
                                   element *out) {
    const int32_t y0 = saturate(scale_high(s->s0, m, zero));
    const int32_t y1 = saturate(scale_high(s->s1, m, zero));
    const int32_t y2 = saturate(scale_high(s->s2, m, zero));
    const int32_t y3 = saturate(scale_high(s->s3, m, zero));
    element *last = out + 3 * pitch;
    out[0] = (element)y0;
    out[pitch] = (element)y1;
    out[2 * pitch] = (element)y2;
    *last = (element)y3;
    return last + pitch;
}

/* A row of outputs of channel c, from the packed rows at x and the weights in their order. */
#define CHANNEL_ROW(NAME, BLOCK, STEP)                                                             \
    static void NAME(const plan *p, const uint32_t *x, const uint32_t *w, int32_t c,               \
                     element *out) {                                                               \
        const dpl_requant *q = &p->a->requant;                                                     \
        const int32_t m = q->multiplier[c * q->channel_step], zero = q->rounding[0];               \
        const int32_t bias = p->a->bias[c], pitch = p->a->output.pixel_pitch;                      \
        int32_t left = p->a->output.width;                                                         \
        for (; p->fast && left >= OUTPUTS; left -= OUTPUTS, x += (STEP)*LANES) {                   \
            const four_sums s = BLOCK(&p->f, x, w, bias);                                          \
            out = finish_fast(&s, m, zero, pitch, out);                                            \
        }                                                                                          \
        for (; left > 0; left -= OUTPUTS, x += (STEP)*LANES) {                                     \
            const four_sums s = BLOCK(&p->f, x, w, bias);                                          \
            out = finish(p, &s, c, left < OUTPUTS ? left : OUTPUTS, out);                          \
        }                                                                                          \
    }

CHANNEL_ROW(row_by_1, block_by_1, 2)
CHANNEL_ROW(row_by_2, block_by_2, 4)

static void output_row(const plan *p, int32_t y, int32_t first, int32_t last) {
    const int32_t rows = p->f.rows, oldest = y * p->a->window.stride_height % rows;
    const uint32_t *plane = p->planes;
    const uint32_t *w = p->taps + (oldest ? rows - oldest : 0) * weight_words(&p->f);
    for (int32_t n = first; n < last; n += LANES, plane += p->plane) {
        const int32_t c = plane_channel(p, n);
        element *out = row_of(&p->a->output, y) + c;
        for (int32_t i = 0; i < LANES; i++, w += p->weights) {
            if (c + i < p->a->output.channels) {
                (p->f.stride == 1 ? row_by_1 : row_by_2)(p, plane + i, w, c + i, out + i);
            }
        }
    }
}

static void group_of_channels(const plan *p, int32_t first, int32_t last) {
    const dpl_share share = dpl_core_share(p->a->output.height);
    const int32_t step = p->a->window.stride_height;
    int32_t packed = share.begin * step;
    pack_weights(p, first, last);
    for (int32_t y = share.begin; y < share.end; y++) {
        packed = packed < y * step ? y * step : packed;
        for (; packed < y * step + p->f.rows; packed++) {
            pack_row(p, packed, first, last);
        }
        output_row(p, y, first, last);
    }
}

static inline int32_t swap(int32_t *x, int32_t y) {
    const int32_t old = *x;
    *x = y;
    return old;
}

static void turn_tensor(tensor *t) {
    t->width = swap(&t->height, t->width);
    t->pixel_pitch = swap(&t->row_pitch, t->pixel_pitch);
}

/* Rows for columns. The weights keep their order, as only one side of the kernel has several. */
static args turned(const args *a) {
    args t = *a;
    dpl_window *w = &t.window;
    turn_tensor(&t.input);
    turn_tensor(&t.output);
    w->kernel_width = swap(&w->kernel_height, w->kernel_width);
    w->stride_width = swap(&w->stride_height, w->stride_width);
    w->pads.left = swap(&w->pads.top, w->pads.left);
    w->pads.right = swap(&w->pads.bottom, w->pads.right);
    return t;
}

static int is_column(const args *a) {
    const int32_t rings = a->input.ring_height | a->output.ring_height;
    const int one = a->window.kernel_width == 1 && a->output.width == 1;
    return one && rings == 0 && a->window.stride_height <= 2;
}

void KERNEL(const args *a) {
    const args row = is_column(a) ? turned(a) : *a;
    const plan p = plan_of(&row);
    for (int32_t c = 0; c < row.output.channels; c += p.group) {
        const int32_t last = c + p.group < row.output.channels ? c + p.group : row.output.channels;
        group_of_channels(&p, c, last);
    }
}
