/* DepthwiseConv2d of any window, two taps of a channel a product (dpl/cortex_m/slide.h). The body
 * of a kernel of int8 or int16; its file names `args` and `KERNEL` and says how elements are packed
 * and saturated.
 *
 * Rows are computed as columns where that fills blocks of outputs better. */
#include "dpl/cores.h"
#include "dpl/cortex_m/bound_rows.h"
#include "dpl/cortex_m/depthwise_rows.h"
#include "dpl/cortex_m/depthwise_taps.h"
#include "dpl/cortex_m/depthwise_view.h"

/* Elements from an output to the next of its phase. */
static inline int32_t pitch_of(const plan *p) {
    return p->a->output.pixel_pitch * (p->sliding ? p->lines : 1);
}

/* Bytes of an output in the room. */
static inline int32_t room_step(const plan *p) {
    return p->fast ? (int32_t)sizeof(element) : (int32_t)sizeof(int32_t);
}

/* The blocks of a band of so many `rows`: those that are stored straight, then those that are not.
 * Of a row some are whole, others have fewer outputs. What these write beyond their row is written
 * again by the next one, which makes them `spill`, except in the last row. `first`: where the
 * offsets of outputs begin. */
typedef struct {
    block *straight, *others;
    int32_t whole_of_row, others_of_row;
    int32_t rows, listed; /* of the band, and those that are listed */
    int spill;
    element *first;
} blocks;

/* Outputs of a row whose windows are in one line of words. */
typedef struct {
    int32_t x, out, count; /* bytes to the first output's words and to the output */
} run_of_row;

/* Bytes from a row of words to that which the windows of the band's row y begin with. */
static int32_t words_of(const plan *p, int32_t y) {
    const int32_t step = y * p->step, dilation = p->a->window.dilation_height;
    const int32_t row = p->rest ? step % dilation * p->rest + step / dilation : step;
    return 4 * row * p->row;
}

/* Appends whole blocks. The last one begins earlier rather than with fewer outputs where its
 * windows begin with a word. */
static block *list_whole(const plan *p, run_of_row run, block *to) {
    const int32_t step = (int32_t)sizeof(element) * pitch_of(p), over = run.count % OUTPUTS;
    const int32_t words = 4 * block_words(&p->f);
    for (int32_t n = run.count / OUTPUTS; n > 0; n--, to++) {
        *to = (block){run.x, run.out, OUTPUTS};
        run.x += words;
        run.out += OUTPUTS * step;
    }
    if (over > 0 && shifts_last(p, run.count)) {
        const int32_t back = OUTPUTS - over;
        *to++ = (block){run.x - words * back / OUTPUTS, run.out - back * step, OUTPUTS};
    }
    return to;
}

static block *list_other(const plan *p, run_of_row run, block *to) {
    const int32_t over = run.count % OUTPUTS, before = run.count / OUTPUTS;
    if (over > 0 && !shifts_last(p, run.count)) {
        const int32_t out = before * OUTPUTS * (int32_t)sizeof(element) * pitch_of(p);
        *to++ = (block){run.x + before * 4 * block_words(&p->f), run.out + out, over};
    }
    return to;
}

/* Lists the blocks of the band's rows; the block behind the last is one whose words may be read. */
static void list_rows(const plan *p, dpl_share rows, blocks *b) {
    block *straight = b->straight, *others = b->others;
    for (int32_t y = rows.begin; y < rows.end; y++) {
        const char *const row = (const char *)row_of(&p->a->output, y);
        run_of_row run = {words_of(p, y - rows.begin), (int32_t)(row - (char *)b->first), 0};
        for (int32_t n = 0; n < phases_of(p); n++) {
            run.count = outputs_of_phase(p, n);
            straight = list_whole(p, run, straight);
            if (b->spill && y + 1 < rows.end) {
                straight = list_other(p, run, straight);
            } else {
                others = list_other(p, run, others);
            }
            run.x += 4 * p->line;
            run.out += (int32_t)sizeof(element) * p->a->output.pixel_pitch;
        }
    }
    *straight = *others = (block){0, 0, 0};
}

/* Blocks of so many rows that are stored straight, and the others. */
static inline int32_t straight_blocks(const blocks *b, int32_t rows) {
    return rows * b->whole_of_row + (b->spill ? (rows - 1) * b->others_of_row : 0);
}

static inline int32_t other_blocks(const blocks *b, int32_t rows) {
    return (b->spill ? 1 : rows) * b->others_of_row;
}

/* Whether four outputs that begin in a row end in the next one at the latest, and where these are
 * stored straight in the order of rows. */
static int spills(const plan *p) {
    const tensor *output = &p->a->output;
    const int32_t phases = phases_of(p), follow = output->width * output->pixel_pitch;
    return p->fast && output->ring_height == 0 && output->row_pitch == follow &&
           output->width >= OUTPUTS * phases;
}

static blocks blocks_of_row(const plan *p) {
    blocks b = {p->list, 0, 0, 0, 0, 0, spills(p), 0};
    for (int32_t n = 0; n < phases_of(p); n++) {
        const int32_t outputs = outputs_of_phase(p, n), over = outputs % OUTPUTS > 0;
        const int32_t shifts = shifts_last(p, outputs);
        b.whole_of_row += outputs / OUTPUTS + (over && shifts);
        b.others_of_row += over && !shifts;
    }
    return b;
}

/* The list of one band serves others of no more rows, unless rows wrap in a ring or the last row
 * has a place of its own. */
static void list_band(const plan *p, dpl_share rows, blocks *b) {
    const int32_t ring = p->a->output.ring_height, count = rows.end - rows.begin;
    const int apart = b->spill && b->others_of_row > 0;
    const int is_listed = ring == 0 && (apart ? b->listed == count : b->listed >= count);
    b->first = ring > 0 ? p->a->output.data : row_of(&p->a->output, rows.begin);
    b->rows = count;
    if (!is_listed) {
        b->listed = count;
        b->others = b->straight + straight_blocks(b, count) + 1;
        list_rows(p, rows, b);
    }
}

/* Outputs of a block from the room to where they belong: as they are, or of sums. */
static void put_block(const plan *p, const element *elements, int32_t count, element *out) {
    const int32_t pitch = pitch_of(p);
    for (; count > 0; count--, elements++, out += pitch) {
        *out = *elements;
    }
}

static void put_sums(const plan *p, const int32_t *sums, int32_t count, int32_t channel,
                     element *out) {
    const int32_t pitch = pitch_of(p);
    for (; count > 0; count--, sums++, out += pitch) {
        *out = (element)dpl_requantize(&p->a->requant, *sums, channel);
    }
}

/* Those of all blocks of a channel. */
static void put_outputs(const plan *p, const block *list, int32_t count, int32_t channel,
                        element *first) {
    const element *elements = (const element *)p->room;
    const int32_t *sums = p->room;
    for (; count > 0; count--, list++, elements += OUTPUTS, sums += OUTPUTS) {
        element *out = (element *)(void *)((char *)first + list->out);
        if (p->fast) {
            put_block(p, elements, list->count, out);
        } else {
            put_sums(p, sums, list->count, channel, out);
        }
    }
}

/* A channel's numbers; words of weights of a four follow one another. */
static inline void begin_channel(const plan *p, int32_t begin, int32_t channel, slide_run *r) {
    const dpl_requant *q = &p->a->requant;
    r->w = channel & (LANES - 1) ? r->w + 1 : p->taps + taps_of(p, begin, channel);
    r->bias = p->a->bias[channel];
    r->multiplier = q->multiplier[channel * q->channel_step];
}

/* Blocks of all output channels of a group, straight or by way of the room. */
static __attribute__((noinline)) void run_blocks(const plan *p, const block *list, int32_t count,
                                                 dpl_share channels, element *first, int roomed) {
    const filter f = p->f;
    const int32_t begin = channels.begin * p->multiplier;
    const int32_t end = channels.end * p->multiplier, multiplier = p->multiplier;
    const block *const own = roomed ? p->room_list : list;
    slide_run r;
    r.zero = p->zero;
    r.pitch = roomed ? room_step(p) : pitch_of(p) * (int32_t)sizeof(element);
    r.out = roomed ? (char *)p->room : (char *)(first + begin);
    r.x = (const char *)p->planes;
    r.w = 0;
    r.end = own + count;
    for (int32_t channel = begin, left = multiplier, lanes = LANES; channel < end; channel++) {
        begin_channel(p, begin, channel, &r);
        r.list = own;
        if (sizeof(element) > 1 && p->fast && p->positive) {
            run_positive(&f, &r);
        } else if (p->fast) {
            run_high(&f, &r);
        } else {
            run_sums(&f, &r);
        }
        if (roomed) {
            put_outputs(p, list, count, channel, first + channel);
        } else {
            r.out += sizeof(element);
        }
        if (--left == 0) {
            left = multiplier;
            r.x += sizeof(uint32_t);
            if (--lanes == 0) {
                lanes = LANES;
                r.x += sizeof(uint32_t) * (uint32_t)(p->plane - LANES);
            }
        }
    }
}

/* Blocks by way of the room: those with fewer outputs, and all by other rules. */
static void run_by_room(const plan *p, const block *list, int32_t count, dpl_share channels,
                        element *first) {
    for (; count > 0; count -= DPL_RING_ROOM_BLOCKS, list += DPL_RING_ROOM_BLOCKS) {
        const int32_t n = least(count, DPL_RING_ROOM_BLOCKS);
        for (int32_t i = 0; i <= n; i++) {
            p->room_list[i].x = list[least(i, n - 1)].x;
            p->room_list[i].out = i * OUTPUTS * room_step(p);
        }
        run_blocks(p, list, n, channels, first, 1);
    }
}

static void run_band(const plan *p, const blocks *b, dpl_share channels) {
    const int32_t straight = straight_blocks(b, b->rows);
    if (straight > 0 && p->fast) {
        run_blocks(p, b->straight, straight, channels, b->first, 0);
    } else {
        run_by_room(p, b->straight, straight, channels, b->first);
    }
    run_by_room(p, b->others, other_blocks(b, b->rows), channels, b->first);
}

/* Four words. */
static inline void move_four(uint32_t **to, const uint32_t **from) {
    uint32_t a, b, c, d;
#if defined(__ARM_FEATURE_DSP)
    __asm__ volatile(
        "ldrd %[a], %[b], [%[from]], #8\n ldrd %[c], %[d], [%[from]], #8\n"
        "strd %[a], %[b], [%[to]], #8\n strd %[c], %[d], [%[to]], #8\n"
        : [from] "+r"(*from), [to] "+r"(*to), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
        :
        : "memory");
#else
    a = (*from)[0], b = (*from)[1], c = (*from)[2], d = (*from)[3];
    (*to)[0] = a, (*to)[1] = b, (*to)[2] = c, (*to)[3] = d;
    *from += LANES;
    *to += LANES;
#endif
}

/* Moves so many rows of each plane, or of those of a remainder, to their beginning. */
static void move_rows(const plan *p, uint32_t *plane, int32_t from, int32_t rows) {
    const int32_t away = from * p->row, words = rows * p->row;
    for (int32_t n = p->planes_of_group; n > 0; n--, plane += p->plane) {
        uint32_t *to = plane;
        const uint32_t *old = plane + away, *const end = old + words;
        while (old < end) {
            move_four(&to, &old);
        }
    }
}

/* Rows of the input that the next band reads, too, where it begins as many rows later as this one
 * has. */
static int32_t kept_rows(const plan *p) {
    const dpl_window *w = &p->a->window;
    const int32_t span = (w->kernel_height - 1) * w->dilation_height + 1;
    return most(0, span - (p->rest ? w->stride_height : p->step));
}

/* Moves them to where they begin. */
static void keep_rows(const plan *p) {
    const int32_t dilation = p->a->window.dilation_height, away = p->band * p->step / dilation;
    if (p->rest == 0) {
        move_rows(p, p->planes, p->band * p->step, kept_rows(p));
        return;
    }
    for (int32_t n = 0; n < dilation; n++) {
        move_rows(p, p->planes + n * p->rest * p->row, away, most(0, p->rest - away));
    }
}

static void group_of_channels(const plan *p, dpl_share channels, blocks *b) {
    const dpl_share share = dpl_core_share(p->a->output.height);
    const int32_t kept = kept_rows(p);
    pack_weights(p, channels.begin * p->multiplier, channels.end * p->multiplier);
    for (int32_t y = share.begin; y < share.end; y += p->band) {
        const dpl_share rows = {y, least(y + p->band, share.end)};
        const int32_t there = y > share.begin ? kept : 0;
        if (there > 0) {
            keep_rows(p);
        }
        pack_band(p, rows, there, channels);
        list_band(p, rows, b);
        run_band(p, b, channels);
    }
}

void KERNEL(const args *a) {
    args own;
    copy_args(&own, a);
    const int turned = turns(a);
    if (turned) {
        turn(&own);
    }
    thin(&own);
    plan p;
    plan_call(&p, &own, turned);
    const int32_t count = LANES * p.planes_of_group, channels = own.input.channels;
    blocks b = blocks_of_row(&p);
    for (int32_t c = 0; c < channels; c += count) {
        group_of_channels(&p, (dpl_share){c, least(c + count, channels)}, &b);
    }
    if (p.fast && !p.positive) {
        bound_rows(&a->output, &a->requant);
    }
}
