/* DepthwiseConv2d of any window and multiplier, pixel after pixel (dpl/cortex_m/channel_taps.h):
 * small planes and large strides. The body of a kernel of int8 or int16; its file names `args`,
 * `KERNEL`, BITS, STORE and SHARES.
 *
 * Four input channels have as many runs as the multiplier says: run j makes the outputs j of each.
 * Where it SHARES, four outputs are those of one channel or of two, whose elements are loaded once
 * for them, and a run has four of the outputs of each; the last run those that begin earlier, where
 * four do not divide them.
 * Where channels fill no words, elements are loaded by themselves, since a word that crosses a
 * boundary is loaded in 3 or 4 cycles more; of pixels that many windows have, input rows are copied
 * to a ring whose pixels fill words: their last four channels lie there again.
 * A single column is computed as a row, whose pixels share a list of taps. */
#include "dpl/cores.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/bound_rows.h"
#include "dpl/cortex_m/channel_taps.h"
#include "dpl/cortex_m/depthwise_turn.h"
#include "dpl/cortex_m/depthwise_windows.h"

enum { CACHED_WINDOWS = 4096 }; /* bytes */

typedef struct {
    const args *a;
    windows s;
    channel_loop loop;
    int32_t groups;     /* of input channels that have four outputs of a run */
    int32_t group;      /* words of weights of four outputs */
    int32_t multiplier; /* output channels of an input channel */
    int32_t chunk;      /* fours of channels that pixels are computed of at a time */
    int32_t pass;       /* runs that are, */
    dpl_share runs;     /* and those that are now */
    int32_t zero;       /* that scaled sums are added to */
    int32_t together;   /* pixels at the most before the next outputs of their channels */
    int32_t copied;     /* input rows before this one are in the ring, or never needed */
} plan;

static inline int fills_words(int32_t channels) {
    return channels * (int32_t)sizeof(element) % 4 == 0;
}

/* Input channels of four outputs. */
static inline int32_t lanes_of(const plan *p) {
    return SHARES ? (p->multiplier == 2 ? 2 : 1) : FOUR;
}

/* Outputs of a channel that lie in one run, and runs. */
static inline int32_t of_run(const plan *p) {
    return SHARES ? FOUR / lanes_of(p) : 1;
}

static inline int32_t runs_of(const plan *p) {
    return (p->multiplier + of_run(p) - 1) / of_run(p);
}

/* Whether taps of pixels that fill no words are taken from where they lie, element by element: few
 * enough windows have each pixel that copying costs more, by strides or by how many windows there
 * are. int8 is copied in fewer cycles than int16, other loops than that of nine taps save more by
 * words, and some 22 cycles begin a pixel, however few its channels. */
static int by_elements(const plan *p) {
    const dpl_window *w = &p->a->window;
    const tensor *input = &p->a->input, *output = &p->a->output;
    const int32_t apart = w->stride_height * w->stride_width, taps = p->s.taps * p->multiplier;
    const int32_t each = BITS == 16 || p->s.taps == NINE ? DPL_FEW_WINDOWS : DPL_FEW_WINDOWS / 2;
    const int32_t few = each + DPL_BEGUN_WINDOWS / p->groups;
    return taps <= few * apart ||
           taps * output->height * output->width <= few * input->height * input->width;
}

/* Otherwise from a ring of rows that do. */
static void plan_ring(plan *p) {
    const dpl_window *w = &p->a->window;
    p->s.ring = (w->kernel_height - 1) * w->dilation_height + 1;
    p->s.pitch = p->groups * FOUR;
    p->s.first = p->s.zeros + p->s.pitch;
}

/* Whether the loops end at zero, as ReLUs of int16 do. */
static inline int ends_positive(const dpl_requant *q) {
    return BITS == 16 && q->low == 0 && q->high == HIGHEST;
}

#if !defined(__ARM_FEATURE_DSP)
static channel_loop loop_of(const args *a, int32_t taps, int elements) {
    (void)a, (void)taps, (void)elements;
    return 0;
}
#elif SHARES
/* The loop that makes four outputs after another. */
static channel_loop loop_of(const args *a, int32_t taps, int elements) {
    const int two = a->output.channels == 2 * a->input.channels, nine = taps == NINE;
    (void)elements;
    if (a->requant.rule != DPL_Q32) {
        return 0;
    }
#if BITS == 16
    if (two && nine && fills_words(a->input.channels)) {
        return ends_positive(&a->requant) ? nine_positive_of_word : nine_of_word;
    }
    if (ends_positive(&a->requant)) {
        return two    ? (nine ? nine_positive_of_two : two_positive)
               : nine ? nine_positive_of_one
                      : one_positive;
    }
#endif
    return two ? (nine ? nine_of_two : some_of_two) : nine ? nine_of_one : some_of_one;
}
#else
/* The loop that makes four channels' outputs after another, by elements or words. */
static channel_loop loop_of(const args *a, int32_t taps, int elements) {
    const int nine = taps == NINE;
    if (a->requant.rule != DPL_Q32) {
        return 0;
    }
#if BITS == 16
    if (ends_positive(&a->requant)) {
        return elements ? (nine ? nine_positive_elements : positive_elements)
               : nine   ? nine_positive
                        : run_positive;
    }
#endif
    return elements ? (nine ? nine_elements : some_elements) : nine ? run_nine : run_some;
}
#endif

static int32_t most(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

/* The windows of several pixels are read again for each output of a channel: as many as are then
 * still in the cache beside weights. */
static int32_t pixels_together(const plan *p) {
    const int32_t channels = p->a->input.channels * (int32_t)sizeof(element);
    const int32_t bytes = p->a->window.kernel_height * p->a->window.kernel_width * channels;
    return p->multiplier <= of_run(p) ? INT32_MAX : most(1, CACHED_WINDOWS / bytes);
}

/* Of more weights than the cache holds, all pixels take some runs, and if those of one are too
 * many, some channels, before the next: long stretches of channels take least. */
static void plan_passes(plan *p) {
    const int32_t each = 4 * p->group, run = p->groups * each, runs = runs_of(p);
    const int whole = run * runs <= DPL_PASS_BYTES;
    p->pass = whole ? runs : most(1, DPL_PASS_BYTES / 2 / run);
    p->chunk = whole || run <= DPL_PASS_BYTES ? p->groups : most(1, DPL_PASS_BYTES / 2 / each);
}

static void plan_call(plan *p, const args *a) {
    p->a = a;
    p->multiplier = a->output.channels / a->input.channels;
    const int32_t lanes = lanes_of(p);
    p->groups = (a->input.channels + lanes - 1) / lanes;
    p->copied = 0;
    p->together = pixels_together(p);
    p->zero = ends_positive(&a->requant) ? a->requant.rounding[0] : addend_below(&a->requant);
    plan_windows(&p->s, a, p->groups * lanes);
    p->group = 2 * p->s.taps + 2 * FOUR;
    plan_passes(p);
    const int words = fills_words(a->input.channels), elements = !words && by_elements(p);
    p->loop = loop_of(a, p->s.taps, elements);
    p->s.steps = !SHARES && elements && p->loop;
    if (!SHARES && !words && !elements) {
        plan_ring(p);
    }
}

/* Words from any address to one of words. On the core each is made of the two that it lies in,
 * since a load across a boundary takes 3 or 4 cycles more: 4 cycles a word, 2 where it lies in one.
 * Few words are loaded as they lie. */
static inline void copy_words(const element *from, int32_t count, uint32_t *to) {
#if defined(__ARM_FEATURE_DSP)
    const uint32_t over = count >= FOUR ? (uint32_t)from & 3 : 0;
    const uint32_t down = BITS == 16 ? 16 : 8 * over, up = 32 - down;
    if (over > 0) {
        const uint32_t *words = (const uint32_t *)((uint32_t)from - over);
        uint32_t low = *words++;
        for (; count > 1; count -= 2, to += 2, words += 2) {
            const uint32_t middle = words[0], high = words[1];
            to[0] = low >> down | middle << up;
            to[1] = middle >> down | high << up;
            low = high;
        }
        if (count > 0) {
            to[0] = low >> down | words[0] << up;
        }
        return;
    }
#endif
    for (; count > 0; count--, from += 4 / (int32_t)sizeof(element)) {
        *to++ = load_word(from);
    }
}

static __attribute__((noinline)) void copy_row(const plan *p, int32_t y) {
    const tensor *input = &p->a->input;
    const int32_t size = sizeof(element), words = (p->s.pitch - FOUR) * size / 4;
    const element *from = row_of(input, y);
    uint32_t *to = (uint32_t *)(void *)(p->s.first + y % p->s.ring * input->width * p->s.pitch);
    for (int32_t x = input->width; x > 0; x--, from += input->pixel_pitch, to += words + size) {
        const element *last = from + input->channels - FOUR;
        copy_words(from, words, to);
        for (int32_t i = 0; i < size; i++) {
            to[words + i] = load_word(last + FOUR / size * i);
        }
    }
}

/* The rows that output row y reads. */
static void copy_rows(plan *p, int32_t y) {
    const dpl_window *w = &p->a->window;
    const int32_t begin = y * w->stride_height - w->pads.top, end = begin + p->s.ring;
    p->copied = p->copied > begin ? p->copied : begin;
    for (; p->copied < end && p->copied < p->a->input.height; p->copied++) {
        copy_row(p, p->copied);
    }
}

/* Four outputs in C, by any rule: from channel c of a pixel that taps are taken from. `channel`:
 * the first output's. */
static void four_in_c(const plan *p, const channel_run *r, int32_t c, int32_t channel) {
    int32_t sums[FOUR] = {r->w[0], r->w[1], r->w[2], r->w[3]};
    const int16_t *w = (const int16_t *)(r->w + FOUR);
    const int32_t lanes = lanes_of(p), apart = SHARES ? 1 : p->multiplier;
    char *out = r->out;
    for (int32_t t = 0; t < p->s.taps; t++, w += FOUR) {
        const element *x = tap_at(&p->s, r->at, r->list[t], c);
        for (int32_t i = 0; i < FOUR; i++) {
            sums[i] += x[i * lanes / FOUR] * w[LANE(i)];
        }
    }
    for (int32_t i = 0; i < FOUR; i++, out += r->step) {
        const int32_t of = channel + i * apart;
        *(element *)(void *)out = (element)dpl_requantize(&p->a->requant, sums[i], of);
    }
}

/* So many fours of channels in C, from channel c of a pixel that taps are taken from. */
static inline void fours_in_c(const plan *p, channel_run *r, int32_t count, int32_t c,
                              int32_t channel) {
    const int32_t lanes = lanes_of(p);
    for (; count > 0; count--, r->at += lanes, r->out += r->ahead, r->w += p->group) {
        four_in_c(p, r, c, channel);
        c += lanes;
        channel += lanes * p->multiplier;
    }
}

/* Fours of channels of pixels: from the first to behind the last that is whole, and whether the
 * last channels are four that begin earlier. */
typedef struct {
    int32_t first, end;
    int over;
} parts;

static parts parts_of(const plan *p, dpl_share fours) {
    const int32_t lanes = lanes_of(p), whole = least(fours.end, p->a->input.channels / lanes);
    return (parts){fours.begin * lanes, most(whole, fours.begin) * lanes, whole < fours.end};
}

/* Element from which on the last four are taken. */
static inline int32_t last_from(const plan *p, const parts *of) {
    return p->s.ring > 0 ? of->end : p->a->input.channels - lanes_of(p);
}

/* Outputs j of a pixel in C. */
static void pixel_in_c(const plan *p, channel_run *r, const element *at, element *out,
                       const parts *of, int32_t j) {
    const int32_t m = p->multiplier, lanes = lanes_of(p), last = p->a->input.channels - lanes;
    r->at = at + of->first;
    r->out = (char *)(out + of->first * m + j);
    fours_in_c(p, r, (of->end - of->first) / lanes, of->first, of->first * m + j);
    if (of->over) {
        const int32_t from = last_from(p, of);
        r->at = at + from;
        r->out = (char *)(out + last * m + j);
        fours_in_c(p, r, 1, from, last * m + j);
    }
}

/* The same and its stretches in a row of pixels: whole fours, then the last ones where these begin
 * earlier, then the next pixel. `pixel` is what follows a pixel, `over` its whole fours. */
typedef struct {
    parts of;
    stretch pixel, over;
} row_parts;

static void plan_stretches(const plan *p, row_parts *to) {
    const parts *of = &to->of;
    const int32_t size = sizeof(element), step = p->multiplier * size, lanes = lanes_of(p);
    const int32_t behind = lanes * size;
    const int32_t channels = p->a->input.channels, whole = of->end - of->first;
    const int32_t across = p->a->window.stride_width * p->s.pitch * size;
    const int32_t out = p->a->output.pixel_pitch * size;
    const int32_t weights = 4 * p->group * (whole / lanes + of->over);
    to->pixel =
        (stretch){across - whole * size, out - whole * step, -weights, whole * size, &to->pixel};
    if (!of->over) {
        return;
    }
    const int32_t from = last_from(p, of) - of->end, over = channels - lanes - of->end;
    if (whole == 0) { /* the last four alone */
        to->pixel = (stretch){across - behind, out - lanes * step, -weights, behind, &to->pixel};
        return;
    }
    to->over = (stretch){from * size, over * step, 0, behind, &to->pixel};
    to->pixel.at = across - (whole + from) * size - behind;
    to->pixel.out = out - (whole + over + lanes) * step;
    to->pixel.next = &to->over;
}

/* Outputs j of so many pixels that share a list. */
static void run_stretches(const plan *p, channel_run *r, const element *at, element *out,
                          const row_parts *row, int32_t j, int32_t pixels) {
    const parts *of = &row->of;
    const int32_t whole = of->end - of->first, m = p->multiplier;
    const int both = whole > 0 && of->over;
    const int32_t from = whole > 0 ? of->first : last_from(p, of);
    const int32_t to = whole > 0 ? of->first : p->a->input.channels - lanes_of(p);
    r->at = at + from;
    r->end = r->at + (whole > 0 ? whole : lanes_of(p));
    r->out = (char *)(out + to * m + j);
    r->count = both ? 2 * pixels : pixels;
    r->next = both ? &row->over : &row->pixel;
    p->loop(r);
}

/* All runs of a pixel in one call: behind a stretch comes that of the same channels' next outputs.
 */
static void run_outputs(const plan *p, channel_run *r, const element *at, element *out,
                        const row_parts *row) {
    const parts *of = &row->of;
    const int32_t size = sizeof(element), whole = of->end - of->first, m = p->multiplier;
    const int32_t skipped = p->groups - whole / lanes_of(p);
    stretch again = {-whole * size, (of_run(p) - whole * m) * size, 4 * skipped * p->group,
                     whole * size, 0};
    again.next = &again;
    r->at = at + of->first;
    r->end = r->at + whole;
    r->out = (char *)(out + of->first * m + p->runs.begin * of_run(p));
    r->count = p->runs.end - p->runs.begin;
    r->next = &again;
    p->loop(r);
}

/* Fours of channels of so many pixels that share a list, all outputs of each; without a loop of
 * assembly of one. */
static void run_pixels(const plan *p, channel_run *r, const element *at, element *out,
                       const row_parts *row, int32_t pixels) {
    const int32_t size = p->groups * p->group, begin = row->of.first / lanes_of(p) * p->group;
    const int32_t *w = (const int32_t *)(const void *)p->a->weights + begin + p->runs.begin * size;
    r->w = w;
    if (p->loop && pixels == 1 && !row->of.over && p->multiplier % of_run(p) == 0) {
        run_outputs(p, r, at, out, row);
        return;
    }
    for (int32_t j = p->runs.begin; j < p->runs.end; j++, w += size) {
        const int32_t first = least(j * of_run(p), p->multiplier - of_run(p));
        r->w = w;
        if (p->loop) {
            run_stretches(p, r, at, out, row, first, pixels);
        } else {
            pixel_in_c(p, r, at, out, &row->of, first);
        }
    }
}

/* Fours of channels of a row of pixels. */
static void run_row(plan *p, int32_t y, const row_parts *row) {
    const int32_t width = p->a->output.width, pitch = p->a->output.pixel_pitch;
    element *out = row_of(&p->a->output, y);
    const int all = find_rows(&p->s, y);
    channel_run r;
    r.taps = p->s.taps;
    r.zero = p->zero;
    r.step = (SHARES ? 1 : p->multiplier) * (int32_t)sizeof(element);
    r.ahead = lanes_of(p) * p->multiplier * (int32_t)sizeof(element);
    for (int32_t x = 0, pixels; x < width; x += pixels, out += pixels * pitch) {
        const element *at;
        r.list = list_of(&p->s, all, x, &at);
        pixels = p->loop && r.list == p->s.within ? least(width, p->s.beyond) - x : 1;
        pixels = least(pixels, p->together);
        run_pixels(p, &r, at, out, row, pixels);
    }
}

/* Rows of a chunk of channels, of as many runs as are computed at a time: of a ring row after row,
 * otherwise pass after pass. */
static void run_chunk(plan *p, dpl_share rows, const row_parts *row) {
    const int32_t runs = runs_of(p);
    for (int32_t first = 0; first < runs; first += p->pass) {
        p->runs = (dpl_share){first, least(first + p->pass, runs)};
        for (int32_t y = rows.begin; y < rows.end; y++) {
            run_row(p, y, row);
        }
    }
}

static void run_rows(plan *p, dpl_share rows) {
    for (int32_t c = 0; c < p->groups; c += p->chunk) {
        const dpl_share fours = {c, least(c + p->chunk, p->groups)};
        row_parts row;
        row.of = parts_of(p, fours);
        plan_stretches(p, &row);
        run_chunk(p, rows, &row);
    }
}

void KERNEL(const args *a) {
    args own;
    copy_args(&own, a);
    plan p;
    plan_call(&p, &own);
    if (p.s.ring == 0 && is_column(&own)) {
        turn(&own);
        plan_call(&p, &own);
    }
    const dpl_share share = dpl_core_share(own.output.height);
    const int32_t step = p.s.ring > 0 ? 1 : share.end - share.begin;
    for (int32_t y = share.begin; y < share.end; y += step) {
        if (p.s.ring > 0) {
            copy_rows(&p, y);
        }
        run_rows(&p, (dpl_share){y, y + step});
    }
    if (p.loop && !ends_positive(&own.requant)) {
        bound_rows(&a->output, &a->requant);
    }
}
