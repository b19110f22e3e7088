/* Conv2d of one group, any window: four pixels by four channels, read where they lie.
 *
 * Cores share blocks times groups of channels, so that each has as many as any other but one. */
#include "dpl/conv2d.h"

#include "dpl/cores.h"
#include "dpl/pulp/blocks.h"

typedef dpl_conv2d_s8_args args;

/* Items begin to end - 1, item block * groups + group. */
typedef struct {
    dpl_windows windows;
    dpl_fours_layer layer;
    dpl_pixel pixel;
    dpl_fours fours;
    int32_t groups, pixels;
} job;

static dpl_fours_layer layer_of(const args *a) {
    int32_t filter = a->window.kernel_height * a->window.kernel_width * a->input.channels;
    dpl_fours_layer l = {a->weights, a->bias, &a->requant, a->output.channels,
                         FOUR * dpl_whole_words(filter) + FOUR_TABLES};
    return l;
}

static void start_at(const args *a, job *j, int32_t block) {
    dpl_pixel p = {.x = FOUR * block};
    if (j->windows.height > 1) {
        p.y = p.x / j->windows.width;
        p.x -= p.y * j->windows.width;
    }
    dpl_enter_row(a, &j->windows, &p);
    j->pixel = p;
}

/* What the next blocks have that no other form of windows has. */
static void set_runs(const args *a, job *j, int stepped) {
    const dpl_windows *w = &j->windows;
    dpl_fours *f = &j->fours;
    int copies = w->form == DPL_COPIES;
    int32_t high = a->window.kernel_height, wide = a->window.kernel_width;
    f->runs = copies ? w->table : w->runs;
    f->count = copies ? 1 : stepped ? high : high * wide;
    f->words = (copies ? w->column : stepped ? w->row : w->tap) >> 2;
    f->step = copies ? w->column : w->step;
}

static void stepped(const args *a, job *j, int32_t blocks, dpl_share groups) {
    dpl_fours *f = &j->fours;
    f->out = j->pixel.out;
    f->blocks = blocks;
    set_runs(a, j, 1);
    dpl_fours_of_steps(f, &j->layer, groups.begin, groups.end);
}

static void listed(const args *a, job *j, dpl_share groups) {
    set_runs(a, j, 0);
    dpl_fours_of_table(&j->fours, &j->layer, groups.begin, groups.end);
}

/* Copies of four windows in a row, which only some rules and sizes take a step apart. */
static void copied(const args *a, job *j, dpl_share groups) {
    dpl_copy_block(a, &j->windows);
    if (j->windows.column > FOUR && dpl_fours_rule(&a->requant)) {
        stepped(a, j, 1, groups);
        return;
    }
    for (int32_t i = 0; i < FOUR; i++) {
        j->fours.outs[i] = j->pixel.out + i * a->output.pixel_pitch;
    }
    listed(a, j, groups);
}

/* The groups of the next blocks, up to most; returns how many blocks they were. */
static int32_t next_blocks(const args *a, job *j, int32_t block, int32_t most, dpl_share groups) {
    dpl_settle(a, &j->windows, &j->pixel);
    int32_t blocks = dpl_stepped_blocks(a, &j->windows, &j->pixel, most);
    if (blocks == 0) {
        int32_t left = j->pixels - FOUR * block;
        dpl_table_block(a, &j->windows, &j->pixel, left < FOUR ? left : FOUR, j->fours.outs);
        listed(a, j, groups);
        return 1;
    }
    if (j->windows.form == DPL_COPIES) {
        copied(a, j, groups);
        blocks = 1;
    } else {
        stepped(a, j, blocks, groups);
    }
    dpl_move_on(a, &j->pixel, FOUR * blocks);
    return blocks;
}

static void run_items(const args *a, job *j, dpl_share items) {
    const int32_t all = j->groups;
    int32_t block = items.begin / all, item = items.begin;
    int32_t group = item - block * all;
    start_at(a, j, block);
    while (item < items.end) {
        int32_t more = items.end - item;
        int32_t end = more < all - group ? group + more : all;
        int whole = group == 0 && more >= 2 * all && (j->layer.channels & 3) == 0;
        dpl_share groups = {group, end};
        int32_t blocks = next_blocks(a, j, block, whole ? more / all : 1, groups);
        block += blocks;
        item += end - group + (blocks - 1) * all;
        group = 0;
    }
}

void dpl_conv2d_s8__xpulpv2(const dpl_conv2d_s8_args *a) {
    job j = {.layer = layer_of(a), .pixels = a->output.height * a->output.width};
    j.groups = (j.layer.channels + FOUR - 1) / FOUR;
    const dpl_share items = dpl_core_share((j.pixels + FOUR - 1) / FOUR * j.groups);
    if (items.begin < items.end) {
        j.windows = dpl_windows_of(a, dpl_core_id());
        j.fours.pitch = a->output.pixel_pitch;
        j.fours.table = j.windows.table;
        dpl_fours_bounds(&j.fours, &a->requant);
        run_items(a, &j, items);
    }
}
