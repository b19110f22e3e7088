/* DepthwiseConv2d of any size of kernel at stride 1 or 2, two taps of a channel a product
 * (dpl/cortex_m/slide.h). The body of a kernel of int8 or int16; its file names `args` and `KERNEL`
 * and says how elements are packed and saturated.
 *
 * A group of channels goes through the image before the next does. Rows lie packed in a ring of as
 * many as the kernel has, and the rows of weights twice after one another, so that those for any
 * order of rows in the ring begin somewhere. An image of one column under a kernel of one column
 * is computed as a row. */
#include "dpl/cores.h"
#include "dpl/cortex_m/pack.h"
#include "dpl/cortex_m/slide.h"

typedef struct {
    const args *a;
    filter f;
    int32_t pairs;   /* of columns that windows read, padding included */
    dpl_share inner; /* the pairs that lie inside */
    int32_t plane;   /* words of four channels' ring */
    int32_t weights; /* words of four channels' weights */
    int32_t group;   /* channels packed at a time */
    int fast;        /* by smmlar and a saturation alone */
    uint32_t *planes, *taps;
} plan;

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static filter filter_of(const args *a) {
    const int32_t stride = a->window.stride_width, width = a->window.kernel_width;
    const int32_t blocks = (a->output.width + OUTPUTS - 1) / OUTPUTS;
    filter f = {stride, a->window.kernel_height, 0, 0};
    f.terms = stride == 1 ? width / 2 + 1 : (width + 1) / 2;
    f.terms += f.terms > 3 ? f.terms & 1 : 0;
    f.pitch = (blocks * 2 * stride + f.terms) * LANES;
    return f;
}

static plan plan_of(const args *a) {
    const dpl_window *w = &a->window;
    const dpl_requant *q = &a->requant;
    plan p = {.a = a, .f = filter_of(a), .planes = a->scratch};
    p.pairs = ((a->output.width - 1) * w->stride_width + w->kernel_width + 1) / 2;
    p.inner.begin = least((w->pads.left + 1) / 2, p.pairs);
    p.inner.end = least((w->pads.left + a->input.width) / 2, p.pairs);
    p.plane = p.f.pitch * p.f.rows;
    p.weights = (2 * p.f.rows - 1) * weight_words(&p.f) * LANES;
    const int32_t planes = DPL_RING_GROUP_BYTES / 4 / (p.plane + p.weights);
    const int32_t most = (a->output.channels + LANES - 1) / LANES;
    p.group = LANES * (planes < 1 ? 1 : least(planes, most));
    p.taps = p.planes + p.group / LANES * p.plane;
    p.fast = q->rule == DPL_Q32 && q->low == LOWEST && q->high == HIGHEST;
    return p;
}

/* Lanes at `from`, or in `room` where fewer than four are left. */
#define FOUR_LANES(NAME, TYPE)                                                                     \
    static inline const TYPE *NAME(const TYPE *from, int32_t left, TYPE *room) {                   \
        switch (left) {                                                                            \
        case 3: room[2] = from[2]; /* fall through */                                              \
        case 2: room[1] = from[1]; /* fall through */                                              \
        case 1: room[0] = from[0]; return room;                                                    \
        default: return from;                                                                      \
        }                                                                                          \
    }

FOUR_LANES(four_weights, int8_t)
FOUR_LANES(four_elements, element)

/* The taps k and k + 1 of four channels to words, zero where the row has no such tap. */
static void pack_taps(const plan *p, const int8_t *row, int32_t k, int32_t left, uint32_t *to) {
    const int32_t width = p->a->window.kernel_width, channels = p->a->output.channels;
    int8_t room[LANES] = {0};
    uint32_t first = 0, second = 0;
    if (k >= 0 && k < width) {
        first = load_word(four_weights(row + k * channels, left, room));
    }
    if (k + 1 < width) {
        second = load_word(four_weights(row + (k + 1) * channels, left, room));
    }
    pack_rows(first, second, to);
}

/* A row of terms; to: even words or odd ones, `step` words apart. Pairs of taps begin at k. */
static void pack_terms(const plan *p, const int8_t *row, int32_t k, int32_t left, uint32_t *to) {
    const int32_t step = p->f.stride == 1 ? 2 * LANES : LANES;
    for (int32_t t = p->f.terms; t > 0; t--, k += 2, to += step) {
        pack_taps(p, row, k, left, to);
    }
}

/* The rows of weights of channels c to c + 3, and all but the last again. */
static void pack_filter(const plan *p, int32_t c, uint32_t *to) {
    const int32_t step = p->a->window.kernel_width * p->a->output.channels;
    const int32_t left = p->a->output.channels - c, words = weight_words(&p->f) * LANES;
    const int8_t *row = p->a->weights + c;
    const uint32_t *first = to;
    for (int32_t r = 0; r < p->f.rows; r++, row += step, to += words) {
        pack_terms(p, row, 0, left, to);
        if (p->f.stride == 1) {
            pack_terms(p, row, -1, left, to + LANES);
        }
    }
    for (int32_t n = (p->f.rows - 1) * words; n > 0; n -= LANES, to += LANES, first += LANES) {
        const uint32_t a = first[0], b = first[1], c2 = first[2], d = first[3];
        to[0] = a;
        to[1] = b;
        to[2] = c2;
        to[3] = d;
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
    for (int32_t c = first; c < last; c += LANES, to += p->weights) {
        pack_filter(p, plane_channel(p, c), to);
    }
}

/* Pair i of columns, of which one or both lie beyond the input, or of fewer than four channels. */
static void pack_any(const plan *p, const element *row, int32_t c, int32_t i, uint32_t *to) {
    const element z = (element)p->a->input_zero, zeros[LANES] = {z, z, z, z};
    const int32_t left = p->a->input.channels - c;
    element rooms[2][LANES] = {{0}};
    const element *at[] = {zeros, zeros};
    for (int32_t n = 0; n < 2; n++) {
        const int32_t x = 2 * i + n - p->a->window.pads.left;
        if (x >= 0 && x < p->a->input.width) {
            at[n] = four_elements(row + x * p->a->input.pixel_pitch + c, left, rooms[n]);
        }
    }
    pack_pixels(at[0], at[1], to + i * LANES);
}

static void fill(const plan *p, int32_t first, int32_t last, uint32_t *row) {
    const uint32_t zero = (uint16_t)p->a->input_zero * 0x10001u;
    uint32_t *to = row + first * LANES;
    for (int32_t n = last - first; n > 0; n--, to += LANES) {
        to[0] = to[1] = to[2] = to[3] = zero;
    }
}

/* Pairs that lie beside the input are the same in all rows. */
static void fill_sides(const plan *p, int32_t planes) {
    const int32_t left = p->a->window.pads.left;
    const int32_t beyond = (left + p->a->input.width + 1) / 2;
    uint32_t *row = p->planes;
    for (int32_t n = planes * p->f.rows; n > 0; n--, row += p->f.pitch) {
        fill(p, 0, least(left / 2, p->pairs), row);
        fill(p, beyond, p->pairs, row);
    }
}

static void pack_few(const plan *p, const element *row, int32_t c, uint32_t *to) {
    for (int32_t i = 0; i < p->pairs; i++) {
        pack_any(p, row, c, i, to);
    }
}

static void pack_plane(const plan *p, const element *row, int32_t c, uint32_t *to) {
    const int32_t left = p->a->window.pads.left, pitch = p->a->input.pixel_pitch;
    const dpl_share inner = p->inner;
    if ((left & 1) && inner.begin <= p->pairs) {
        pack_any(p, row, c, left / 2, to);
    }
    if (inner.begin < inner.end) {
        pack_inside(row + (2 * inner.begin - left) * pitch + c, pitch, inner.end - inner.begin,
                    to + inner.begin * LANES);
    }
    if (((left + p->a->input.width) & 1) && inner.end < p->pairs) {
        pack_any(p, row, c, inner.end, to);
    }
}

/* Row y of the input, counted from the top of the padding. */
static void pack_row(const plan *p, int32_t y, int32_t first, int32_t last) {
    const int32_t inside = y - p->a->window.pads.top;
    const int is_inside = inside >= 0 && inside < p->a->input.height;
    const element *row = is_inside ? row_of(&p->a->input, inside) : 0;
    uint32_t *to = p->planes + y % p->f.rows * p->f.pitch;
    for (int32_t c = first; c < last; c += LANES, to += p->plane) {
        if (!row) {
            fill(p, 0, p->pairs, to);
        } else if (p->a->input.channels < LANES) {
            pack_few(p, row, c, to);
        } else {
            pack_plane(p, row, plane_channel(p, c), to);
        }
    }
}

/* Rows of outputs by any rule. */
static void finish_rows(const plan *p, const slide_job *j, int32_t c) {
    const int32_t pitch = p->a->output.pixel_pitch, words = block_words(&p->f);
    for (int32_t i = 0; i < j->channels; i++) {
        element *out = (element *)j->out + i;
        int32_t at = 0, sums[OUTPUTS];
        for (int32_t left = p->a->output.width; left > 0; left -= OUTPUTS, at += words) {
            slide_sums(j, i, at, sums);
            for (int32_t n = 0; n < OUTPUTS && n < left; n++, out += pitch) {
                *out = (element)dpl_requantize(&p->a->requant, sums[n], c + i);
            }
        }
    }
}

static void output_row(const plan *p, int32_t y, int32_t first, int32_t last) {
    const dpl_requant *q = &p->a->requant;
    const tensor *output = &p->a->output;
    const int32_t oldest = y * p->a->window.stride_height % p->f.rows;
    const int32_t rotation = oldest ? p->f.rows - oldest : 0;
    slide_job j = {.f = &p->f, .x = p->planes, .each = q->channel_step, .zero = q->rounding[0]};
    j.w = p->taps + rotation * weight_words(&p->f) * LANES;
    j.whole = output->width / OUTPUTS * block_words(&p->f);
    j.left = output->width % OUTPUTS;
    j.pitch = output->pixel_pitch * (int32_t)sizeof(element);
    for (int32_t n = first; n < last; n += LANES, j.x += p->plane, j.w += p->weights) {
        const int32_t c = plane_channel(p, n);
        j.channels = least(LANES, output->channels - c);
        j.bias = p->a->bias + c;
        j.multiplier = q->multiplier + c * q->channel_step;
        j.out = row_of(output, y) + c;
        if (p->fast) {
            slide_high(&j);
        } else {
            finish_rows(p, &j, c);
        }
    }
}

static void group_of_channels(const plan *p, int32_t first, int32_t last) {
    const dpl_share share = dpl_core_share(p->a->output.height);
    const int32_t step = p->a->window.stride_height;
    int32_t packed = share.begin * step;
    pack_weights(p, first, last);
    fill_sides(p, p->group / LANES);
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

static void transpose_tensor(tensor *t) {
    t->width = swap(&t->height, t->width);
    t->pixel_pitch = swap(&t->row_pitch, t->pixel_pitch);
}

/* Rows for columns. The weights keep their order, as only one side of the kernel has several. */
static void transpose(args *t) {
    dpl_window *w = &t->window;
    transpose_tensor(&t->input);
    transpose_tensor(&t->output);
    w->kernel_width = swap(&w->kernel_height, w->kernel_width);
    w->stride_width = swap(&w->stride_height, w->stride_width);
    w->pads.left = swap(&w->pads.top, w->pads.left);
    w->pads.right = swap(&w->pads.bottom, w->pads.right);
}

/* A copy that may be transposed; of members, as gcc calls memcpy for the whole. */
static inline void copy_args(args *t, const args *a) {
    t->input = a->input;
    t->output = a->output;
    t->weights = a->weights;
    t->bias = a->bias;
    t->window = a->window;
    t->input_zero = a->input_zero;
    t->requant = a->requant;
    t->scratch = a->scratch;
}

static int is_column(const args *a) {
    const int32_t rings = a->input.ring_height | a->output.ring_height;
    const int one = a->window.kernel_width == 1 && a->output.width == 1;
    return one && rings == 0 && a->window.stride_height <= 2;
}

void KERNEL(const args *a) {
    args row;
    copy_args(&row, a);
    if (is_column(a)) {
        transpose(&row);
    }
    const plan p = plan_of(&row);
    for (int32_t c = 0; c < row.output.channels; c += p.group) {
        const int32_t last = c + p.group < row.output.channels ? c + p.group : row.output.channels;
        group_of_channels(&p, c, last);
    }
}
