/* Conv2d: four pixels by four channels, read where they lie.
 *
 * Cores share blocks times groups of four channels, so that each has as many as any other but one.
 */
#include "dpl/conv2d.h"

#include "dpl/cores.h"
#include "dpl/pulp/blocks.h"
#include "dpl/pulp/conv2d_interior.h"
#include "dpl/pulp/groups.h"
#include "dpl/pulp/interior.h"

typedef dpl_conv2d_s8_args args;

/* A core's part. No initializer: clearing so much takes longer than the rest of the set-up. */
typedef struct {
    dpl_windows windows;
    dpl_four_by_four_layer layer;
    dpl_pixel pixel;
    dpl_four_by_four block;
    int32_t groups, pixels;
} job;

static void set_layer(const args *a, job *j) {
    j->layer.weights = a->weights;
    j->layer.bias = a->bias;
    j->layer.requant = &a->requant;
    j->layer.channels = a->output.channels;
    j->layer.group_bytes = FOUR * dpl_filter_bytes(a, a->input.channels) + FOUR_TABLES;
    j->pixels = a->output.height * a->output.width;
    j->groups = (a->output.channels + FOUR - 1) / FOUR;
}

static void set_block(const args *a, job *j) {
    dpl_four_by_four *f = &j->block;
    f->pitch = a->output.pixel_pitch;
    f->table = j->windows.table;
    f->zeros = j->windows.zeros;
    dpl_four_by_four_bounds(f, &a->requant);
}

static void start_at(const args *a, job *j, int32_t block) {
    dpl_pixel *p = &j->pixel;
    p->y = 0;
    p->x = FOUR * block;
    if (j->windows.height > 1) {
        p->y = p->x / j->windows.width;
        p->x -= p->y * j->windows.width;
    }
    dpl_enter_row(a, &j->windows, p);
}

/* Windows a step apart: kernel rows of the input, or copies. */
static void set_runs(const args *a, job *j) {
    const dpl_windows *w = &j->windows;
    dpl_four_by_four *f = &j->block;
    f->runs = w->runs;
    f->count = a->window.kernel_height;
    f->words = (w->row + 3) >> 2;
    f->step = w->step;
    f->copies = 0;
    if (w->form == DPL_COPIES) {
        w->table[0] = w->columns.to;
        f->runs = w->table;
        f->count = 1;
        f->words = w->columns.column >> 2;
        f->step = w->columns.column;
        f->copies = &w->columns;
    }
}

static void stepped(job *j, int32_t blocks, dpl_share groups) {
    j->block.out = j->pixel.out;
    j->block.blocks = blocks;
    dpl_four_by_four_of_steps(&j->block, &j->layer, groups.begin, groups.end);
}

/* Any other rule: sums, then one output after the other. */
static __attribute__((noinline)) void any_rule(dpl_four_by_four *f, const dpl_four_by_four_layer *l,
                                               int32_t first, int32_t count) {
    int32_t sums[FOUR * FOUR];
    dpl_four_by_four_sums(f, sums);
    for (int32_t i = 0; i < FOUR; i++) {
        for (int32_t c = 0; c < count; c++) {
            int32_t sum = sums[FOUR * c + i] + l->bias[first + c];
            f->outs[i][c] = (int8_t)dpl_requantize(l->requant, sum, first + c);
        }
        f->outs[i] += FOUR;
    }
}

/* Groups begin to end - 1 from the table, by any rule; outs are of the layer's first channel. */
static __attribute__((noinline)) void of_table(dpl_four_by_four *f, const dpl_four_by_four_layer *l,
                                               int32_t begin, int32_t end) {
    const int32_t all = l->channels / FOUR, whole = all < end ? all : end;
    for (int32_t i = 0; i < FOUR; i++) {
        f->outs[i] += FOUR * begin;
    }
    if (!dpl_four_by_four_rule(l->requant)) {
        for (int32_t g = begin; g < end; g++) {
            int32_t left = l->channels - FOUR * g;
            dpl_four_by_four_select(f, l, g, g + 1);
            any_rule(f, l, FOUR * g, left < FOUR ? left : FOUR);
        }
        return;
    }
    if (begin < whole) {
        dpl_four_by_four_select(f, l, begin, whole);
        dpl_four_by_four_table(f);
    }
    if (whole < end) {
        dpl_four_by_four_select(f, l, whole, end);
        dpl_four_by_four_rest(f, 0, l->channels - FOUR * whole);
    }
}

/* Groups of four windows that the table has. */
static void listed(job *j, dpl_share groups) {
    const dpl_windows *w = &j->windows;
    dpl_four_by_four *f = &j->block;
    const int32_t count = f->count, words = f->words;
    f->count = w->taps;
    f->words = (w->run + 3) >> 2;
    f->bounded |= BLOCK_LISTED;
    of_table(f, &j->layer, groups.begin, groups.end);
    f->bounded &= ~BLOCK_LISTED;
    f->count = count;
    f->words = words;
}

/* Makes a table of the next block, whose windows do not lie in a row or are nowhere a step apart.
 */
static __attribute__((noinline)) void list_any(const args *a, job *j, int32_t block) {
    int32_t left = j->pixels - FOUR * block;
    dpl_table_block(a, &j->windows, &j->pixel, left < FOUR ? left : FOUR, j->block.outs);
}

/* Of copies of windows of a row, which some rules and sizes do not take a step apart. */
static __attribute__((noinline)) void list_copies(const args *a, job *j) {
    dpl_copy_block(&j->windows);
    for (int32_t i = 0; i < FOUR; i++) {
        j->block.outs[i] = j->pixel.out;
        dpl_move_on(a, &j->pixel, 1);
    }
}

/* The groups of the next blocks: of one, or of as many as can be of those that have all their
 * groups within more items. Returns how many blocks they were. */
static int32_t next_blocks(const args *a, job *j, int32_t block, int32_t more, dpl_share groups) {
    dpl_settle(a, &j->windows, &j->pixel);
    int32_t blocks = dpl_stepped_blocks(a, &j->windows, &j->pixel);
    int takes_steps = j->block.words > 1 && dpl_four_by_four_rule(&a->requant);
    if (blocks == 0 || !takes_steps) {
        if (blocks == 0) {
            list_any(a, j, block);
        } else {
            list_copies(a, j);
        }
        listed(j, groups);
        return 1;
    }
    if (more < 2 * j->groups || groups.begin > 0 || (j->layer.channels & 3)) {
        blocks = 1;
    } else if (blocks * j->groups > more) {
        blocks = more / j->groups;
    }
    stepped(j, blocks, groups);
    dpl_move_on(a, &j->pixel, FOUR * blocks);
    return blocks;
}

/* Items begin to end - 1, item block * groups + group; at least one. */
static void run_items(const args *a, job *j, dpl_share items) {
    const int32_t all = j->groups;
    int32_t block = items.begin == 0 ? 0 : items.begin / all;
    int32_t more = items.end - items.begin, group = items.begin - block * all;
    start_at(a, j, block);
    while (more > 0) {
        dpl_share groups = {group, more < all - group ? group + more : all};
        int32_t blocks = next_blocks(a, j, block, more, groups);
        block += blocks;
        more -= groups.end - group + (blocks - 1) * all;
        group = 0;
    }
}

/* Windows that sides cut, rings, rules that the assembler does not know; one group. */
static __attribute__((noinline)) void any(const args *a) {
    job j;
    set_layer(a, &j);
    const dpl_share items = dpl_core_share((j.pixels + FOUR - 1) / FOUR * j.groups);
    if (items.begin < items.end) {
        dpl_windows_init(&j.windows, a, dpl_core_id());
        set_block(a, &j);
        set_runs(a, &j);
        run_items(a, &j, items);
    }
}

/* Group after group; their arguments lie in scratch. */
static __attribute__((noinline)) void any_groups(const args *a) {
    int8_t *const scratch = a->scratch;
    args *const g = (args *)(void *)(scratch + dpl_core_id() * DPL_CALL_ROOM_BYTES);
    *g = *a;
    g->scratch = scratch + DPL_CORE_COUNT * DPL_CALL_ROOM_BYTES;
    const int32_t quads = (a->output.channels / a->groups + FOUR - 1) / FOUR;
    g->input.channels /= a->groups;
    g->output.channels /= a->groups;
    for (int32_t i = 0; i < a->groups; i++) {
        any(g);
        g->input.data += g->input.channels;
        g->output.data += g->output.channels;
        g->weights += quads * (FOUR * dpl_filter_bytes(g, g->input.channels) + FOUR_TABLES);
        g->bias += g->output.channels;
        dpl_requant_from(&g->requant, g->output.channels);
    }
}

void dpl_conv2d_s8__xpulpv2(const dpl_conv2d_s8_args *a) {
    if (dpl_is_interior(a)) {
        dpl_conv2d_s8_interior__xpulpv2(a, 0);
    } else if (a->groups == 1) {
        any(a);
    } else {
        any_groups(a);
    }
}
