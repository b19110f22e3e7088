/* DepthwiseConv2d of any window, four pixels of a channel after another
 * (dpl/cortex_m/pixel_taps.h): elements lie at any address, so that strides share no columns and
 * channels fill no words at no cost. The body of a kernel of int8 or int16; its file names `args`
 * and `KERNEL`.
 *
 * Tensors are whole. A band of output rows goes through all channels before the next does. Windows
 * that reach beyond the input are read in a copy with zero points: where most do, all of the band,
 * else those at its sides, beside others that are read where they lie. */
#include "dpl/cores.h"
#include "dpl/cortex_m/bound_rows.h"
#include "dpl/cortex_m/pixel_copies.h"
#include "dpl/cortex_m/pixel_lists.h"

/* Whether the loops end at zero, as ReLUs of int16 do. */
static inline int ends_positive(const dpl_requant *q) {
    return BITS == 16 && q->low == 0 && q->high == HIGHEST;
}

#if !defined(__ARM_FEATURE_DSP)
static pixel_loop loop_of(const args *a, int32_t row) {
    (void)a, (void)row;
    return 0;
}
#else
static pixel_loop loop_of(const args *a, int32_t row) {
    if (a->requant.rule != DPL_Q32) {
        return 0;
    }
#if BITS == 16
    if (ends_positive(&a->requant)) {
        return row == 3   ? nine_positive_pixels
               : row == 4 ? positive_rows_of_4
               : row == 5 ? positive_rows_of_5
                          : positive_pixels;
    }
#endif
    return row == 3 ? nine_pixels : row == 4 ? rows_of_4 : row == 5 ? rows_of_5 : some_pixels;
}
#endif

static void sums_of(const plan *p, const pixel_run *r, const four_pixels *four, int32_t *sums) {
    const int16_t *w = (const int16_t *)(const void *)r->w;
    const char *at = first_of(p, r, four);
    const int32_t apart[FOUR] = {0, four->second, 2 * four->second, four->fourth};
    for (int32_t t = 0; t < p->taps; t++) {
        for (int32_t i = 0; i < FOUR; i++) {
            sums[i] += *(const element *)(const void *)(at + apart[i]) * *w;
        }
        w += p->row == 5 && t % 5 == 4 ? 2 : 1;
        at += step_of(p, r, four, t);
    }
}

/* The same in C, by any rule. */
static void run_in_c(const plan *p, const pixel_run *r, int32_t channel) {
    for (const four_pixels *four = r->list; four->across != 0; four++) {
        int32_t sums[FOUR] = {r->w[-1], r->w[-1], r->w[-1], r->w[-1]};
        const int32_t apart[FOUR] = {0, four->out_second, 2 * four->out_second, four->out_fourth};
        char *out = (char *)r->out + four->out;
        sums_of(p, r, four, sums);
        for (int32_t i = 0; i < FOUR; i++) {
            *(element *)(void *)(out + apart[i]) =
                (element)dpl_requantize(&p->a->requant, sums[i], channel);
        }
    }
}

/* The listed pixels of the outputs of one input channel, or where each has one, of all. */
static void run_outputs(const plan *p, pixel_run *r, int32_t channel) {
    if (p->loop) {
        p->loop(r);
        return;
    }
    pixel_run one = *r;
    for (int32_t n = r->count; n > 0; n--, channel++) {
        run_in_c(p, &one, channel);
        one.x += r->x_step / SIZE;
        one.w += r->record / 4;
        one.out++;
    }
}

static void run_channels(const plan *p) {
    const int32_t channels = p->a->input.channels, multiplier = p->a->output.channels / channels;
    const int32_t words = 2 + weights_of(p) / 2, calls = multiplier == 1 ? 1 : channels;
    const int32_t rows = p->row > 0 ? p->taps / p->row - 1 : 0;
    const intptr_t before = rows * 2 * (p->row + p->row % 2);
    pixel_run r = {.list = p->list,
                   .w = (const int32_t *)(const void *)p->a->weights + 1,
                   .x = p->a->input.data,
                   .out = p->a->output.data,
                   .steps = p->row > 0 ? before : (intptr_t)p->steps,
                   .zero = p->zero,
                   .count = multiplier == 1 ? channels : multiplier,
                   .x_step = multiplier == 1 ? SIZE : 0,
                   .record = 4 * words};
    for (int32_t c = 0; c < calls; c++, r.x++, r.out += multiplier, r.w += multiplier * words) {
        run_outputs(p, &r, c * multiplier);
    }
}

/* A band's list as it grows, and copies. */
typedef struct {
    copies copies;
    int32_t part;
    four_pixels *to;
} band_list;

/* Outputs of these rows and columns, whose windows are read in a copy, or where they lie. */
static void add_part(const plan *p, rect of, int copied, band_list *b) {
    if (of.rows.begin < of.rows.end && of.columns.begin < of.columns.end) {
        const source from = copied ? copy_windows(p, &of, &b->copies) : windows_in_place(p, &of);
        b->to = list_fours(p, &of, &from, b->part++, b->to);
    }
}

static inline dpl_share within(dpl_share of, dpl_share all) {
    const int32_t first = of.begin > all.begin ? of.begin : all.begin;
    const int32_t begin = first < all.end ? first : all.end;
    const int32_t end = of.end < all.end ? of.end : all.end;
    return (dpl_share){begin, end > begin ? end : begin};
}

/* The fours of a band: of its windows inside, and of those around them. */
static void list_band(const plan *p, dpl_share rows) {
    const dpl_share columns = {0, p->a->output.width}, inside = within(p->inside.rows, rows);
    const dpl_share left = {0, p->inside.columns.begin};
    const dpl_share right = {p->inside.columns.end, columns.end};
    band_list b = {{p->copies}, 0, p->list};
    if (p->all_copied) {
        add_part(p, (rect){rows, columns}, 1, &b);
        b.to->across = 0;
        return;
    }
    add_part(p, (rect){{rows.begin, inside.begin}, columns}, 1, &b);
    add_part(p, (rect){inside, left}, 1, &b);
    add_part(p, (rect){inside, p->inside.columns}, 0, &b);
    add_part(p, (rect){inside, right}, 1, &b);
    add_part(p, (rect){{inside.end, rows.end}, columns}, 1, &b);
    b.to->across = 0;
}

void KERNEL(const args *a) {
    const dpl_share share = dpl_core_share(a->output.height);
    plan p;
    plan_pixels(&p, a);
    p.zero = ends_positive(&a->requant) ? a->requant.rounding[0] : addend_below(&a->requant);
    p.loop = loop_of(a, p.row);
    for (int32_t y = share.begin; y < share.end; y += p.band) {
        const int32_t end = y + p.band < share.end ? y + p.band : share.end;
        list_band(&p, (dpl_share){y, end});
        run_channels(&p);
    }
    if (p.loop && !ends_positive(&a->requant)) {
        bound_rows(&a->output, &a->requant);
    }
}
