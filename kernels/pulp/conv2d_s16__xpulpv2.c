/* Conv2d, int16: four pixels by four channels, two values at a time, read where they lie: a table
 * has a run of each window for each of its kernel rows, or for each tap where a side cuts rows, or
 * where taps do not follow one another.
 *
 * Cores share blocks times pieces, the weights of four channels. */
#include "dpl/conv2d.h"

#include "dpl/cores.h"
#include "dpl/pulp/four_by_four.h"

typedef dpl_conv2d_s16_args args;

/* A core's part. No initializer: clearing so much takes longer than the rest of the set-up. */
typedef struct {
    dpl_four_by_four block;
    const int16_t *zeros;
    int32_t whole;           /* whether a run is a kernel row */
    int32_t inputs, outputs; /* channels of a group */
    int32_t pieces, piece_bytes;
    int32_t blocks;
} job;

static int is_padded(const dpl_pads *pads) {
    return (pads->top | pads->left | pads->bottom | pads->right) != 0;
}

/* Whether the taps of kernel rows follow one another, in the weights as in the input. */
static int has_whole_rows(const args *a) {
    const dpl_window *w = &a->window;
    const int follow = w->dilation_width == 1 && a->input.pixel_pitch == a->input.channels;
    const int cut = (w->pads.left | w->pads.right) != 0;
    return w->kernel_width == 1 || (follow && !cut && a->groups == 1 && !(a->input.channels & 1));
}

/* Zero points for all cores, then each core's table. */
static void set_scratch(const args *a, job *j) {
    const int32_t values = (a->window.kernel_width * j->inputs + 1) & ~1;
    int16_t *const zeros = a->scratch;
    int8_t *table = a->scratch;
    if (is_padded(&a->window.pads)) {
        dpl_fill_words((int8_t *)zeros, 0, values >> 1);
        table += 2 * values;
    }
    j->zeros = zeros;
    table += dpl_core_id() * FOUR * (j->block.count + 1) * (int32_t)sizeof(int8_t *);
    j->block.table = (const int8_t **)(void *)table;
}

static void set_job(const args *a, job *j) {
    const int32_t taps = a->window.kernel_height * a->window.kernel_width;
    dpl_four_by_four *const f = &j->block;
    j->inputs = a->input.channels / a->groups;
    j->outputs = a->output.channels / a->groups;
    j->whole = has_whole_rows(a);
    j->pieces = (j->outputs + FOUR - 1) >> 2;
    j->piece_bytes = 4 * FOUR * taps * ((j->inputs + 1) >> 1) + FOUR_TABLES;
    j->blocks = (a->output.height * a->output.width + FOUR - 1) >> 2;
    f->count = j->whole ? a->window.kernel_height : taps;
    f->words = ((j->whole ? a->window.kernel_width : 1) * j->inputs + 1) >> 1;
    f->low = (uint32_t)a->requant.low;
    f->high = (uint32_t)a->requant.high;
    f->bounded = a->requant.low > INT16_MIN || a->requant.high < INT16_MAX ? BLOCK_BOUNDED : 0;
    if (!dpl_four_by_four_rule(&a->requant)) {
        f->bounded |= BLOCK_HIGH;
    }
    set_scratch(a, j);
}

/* The taps of a kernel row whose first is in column x. */
static const int8_t **point_taps(const args *a, const job *j, const int16_t *row, int32_t x,
                                 const int8_t **entry) {
    for (int32_t k = a->window.kernel_width; k > 0; k--, entry += FOUR) {
        const int inside = row && (uint32_t)x < (uint32_t)a->input.width;
        *entry = (const int8_t *)(inside ? row + x * a->input.pixel_pitch : j->zeros);
        x += a->window.dilation_width;
    }
    return entry;
}

/* The window of a pixel and where its outputs go, from the first channels of a group on. */
static void point_window(const args *a, job *j, int32_t group, int32_t pixel, int32_t i) {
    const dpl_window *w = &a->window;
    const int32_t row = pixel / a->output.width, column = pixel - row * a->output.width;
    const int32_t x = column * w->stride_width - w->pads.left;
    const int8_t **entry = j->block.table + i;
    int32_t y = row * w->stride_height - w->pads.top;
    int16_t *out = dpl_row_s16(&a->output, row) + column * a->output.pixel_pitch;
    for (int32_t k = w->kernel_height; k > 0; k--, y += w->dilation_height) {
        const int16_t *from = 0;
        if ((uint32_t)y < (uint32_t)a->input.height) {
            from = dpl_row_s16(&a->input, y) + group * j->inputs;
        }
        if (j->whole && w->kernel_width > 1) {
            *entry = (const int8_t *)(from ? from + x * a->input.pixel_pitch : j->zeros);
            entry += FOUR;
        } else {
            entry = point_taps(a, j, from, x, entry);
        }
    }
    j->block.outs[i] = (int8_t *)(out + group * j->outputs);
}

/* Missing pixels of a last block are its last one again. */
static void point_block(const args *a, job *j, int32_t group, int32_t block) {
    const int32_t last = a->output.height * a->output.width - 1;
    for (int32_t i = 0; i < FOUR; i++) {
        const int32_t pixel = FOUR * block + i;
        point_window(a, j, group, pixel < last ? pixel : last, i);
    }
}

static void select_pieces(const args *a, job *j, int32_t group, int32_t begin, int32_t end) {
    const int8_t *weights = a->weights + group * j->pieces * j->piece_bytes;
    j->block.weights = weights + begin * j->piece_bytes;
    j->block.weights_end = weights + end * j->piece_bytes;
}

/* A last piece of one to three channels: outputs beside the tensor, of which some are copied. */
static __attribute__((noinline)) void rest(dpl_four_by_four *f, int32_t count) {
    int32_t words[FOUR][FOUR / 2];
    int16_t *outs[FOUR];
    for (int32_t i = 0; i < FOUR; i++) {
        outs[i] = (int16_t *)(void *)f->outs[i];
        f->outs[i] = (int8_t *)words[i];
    }
    dpl_four_by_four_s16(f);
    for (int32_t i = 0; i < FOUR; i++) {
        const int16_t *made = (const int16_t *)(const void *)words[i];
        for (int32_t c = 0; c < count; c++) {
            outs[i][c] = made[c];
        }
    }
}

/* A piece by a rule that the assembler does not know. */
static __attribute__((noinline)) void any_rule(const args *a, job *j, int32_t first,
                                               int32_t count) {
    int32_t sums[FOUR * FOUR];
    dpl_four_by_four_s16_sums(&j->block, sums);
    for (int32_t i = 0; i < FOUR; i++) {
        int16_t *out = (int16_t *)(void *)j->block.outs[i];
        for (int32_t c = 0; c < count; c++) {
            const int32_t sum = sums[FOUR * c + i] + a->bias[first + c];
            out[c] = (int16_t)dpl_requantize(&a->requant, sum, first + c);
        }
        j->block.outs[i] += 2 * FOUR;
    }
}

static void run_pieces(const args *a, job *j, int32_t group, dpl_share pieces, int known) {
    const int32_t all = j->outputs >> 2, whole = pieces.end < all ? pieces.end : all;
    for (int32_t i = 0; i < FOUR; i++) {
        j->block.outs[i] += 2 * FOUR * pieces.begin;
    }
    for (int32_t p = pieces.begin; !known && p < pieces.end; p++) {
        const int32_t left = j->outputs - FOUR * p;
        select_pieces(a, j, group, p, p + 1);
        any_rule(a, j, group * j->outputs + FOUR * p, left < FOUR ? left : FOUR);
    }
    if (known && pieces.begin < whole) {
        select_pieces(a, j, group, pieces.begin, whole);
        dpl_four_by_four_s16(&j->block);
    }
    if (known && whole < pieces.end) {
        select_pieces(a, j, group, whole, pieces.end);
        rest(&j->block, j->outputs & 3);
    }
}

/* Items (group * blocks + block) * pieces + piece. */
void dpl_conv2d_s16__xpulpv2(const dpl_conv2d_s16_args *a) {
    job j;
    set_job(a, &j);
    const int8_t *tables = a->weights + j.piece_bytes - FOUR_TABLES;
    const int known = dpl_four_by_four_rule(&a->requant) || dpl_high_word_rule(&a->requant, tables);
    const dpl_share items = dpl_core_share(a->groups * j.blocks * j.pieces);
    int32_t at = items.begin;
    while (at < items.end) {
        const int32_t place = at / j.pieces, group = place / j.blocks;
        dpl_share pieces = {at - place * j.pieces, j.pieces};
        if (items.end - at < pieces.end - pieces.begin) {
            pieces.end = pieces.begin + items.end - at;
        }
        point_block(a, &j, group, place - group * j.blocks);
        run_pieces(a, &j, group, pieces, known);
        at += pieces.end - pieces.begin;
    }
}
