/* The loop over the tiles of a step. A core beside those that compute leads: while they work on one
 * tile it moves the next and sets its arguments. They find no code between two tiles but a wait, so
 * that their instruction cache keeps the kernel. */
#include "dpl/tiles.h"

#include "dpl/cores.h"
#include "dpl_lead.h"

static const dpl_tiling *led; /* what the cores follow */

/* Counts `index` up to `count`; 1 when it begins anew. */
static int32_t carries(int32_t *index, int32_t count) {
    *index = *index + 1 < count ? *index + 1 : 0;
    return *index == 0;
}

static int32_t next_place(const dpl_tiling *tiling, dpl_tile *t) {
    return carries(&t->column, tiling->columns) && carries(&t->row, tiling->rows);
}

static void step_on(const dpl_tiling *tiling, dpl_tile *t) {
    if (tiling->channels_inner) {
        if (carries(&t->channel, tiling->channels)) {
            next_place(tiling, t);
        }
    } else if (next_place(tiling, t)) {
        carries(&t->channel, tiling->channels);
    }
}

/* What tile t needs that `before`, which is computed meanwhile, has not. */
static void compare(const dpl_tiling *tiling, dpl_tile *t, const dpl_tile *before) {
    int32_t moved = t->row != before->row || t->column != before->column;
    t->fresh_weights = t->channel != before->channel;
    t->fresh_input = moved || (tiling->sliced && t->fresh_weights);
    t->output_side = before->output_side ^ 1;
    t->input_side = before->input_side ^ t->fresh_input;
    t->weights_side = before->weights_side ^ t->fresh_weights;
}

static void load_args(const dpl_tiling *tiling, int32_t number) {
    dpl_dma_in(tiling->turns[number].args, tiling->args, tiling->args_bytes);
}

static void load_first(const dpl_tiling *tiling, dpl_tile *t) {
    t->row = t->column = t->channel = 0;
    t->output_side = t->input_side = t->weights_side = 0;
    t->fresh_input = t->fresh_weights = 1;
    load_args(tiling, 0);
    if (tiling->count > 1) {
        load_args(tiling, 1);
        tiling->cut(t);
    }
    tiling->load(t);
    tiling->turns[0].done = 0;
}

static void load_behind(const dpl_tiling *tiling, const dpl_tile *before, dpl_tile *t,
                        dpl_turn *turn) {
    t->row = before->row;
    t->column = before->column;
    t->channel = before->channel;
    step_on(tiling, t);
    compare(tiling, t, before);
    tiling->cut(t);
    tiling->load(t);
    tiling->set(t, turn->args);
    turn->done = 0;
}

/* What moves while tile `number` is computed. The next tile takes the place of the last one, so
 * that is stored first. */
static void move_beside(const dpl_tiling *tiling, dpl_tile tiles[2], int32_t number) {
    dpl_tile *now = tiles + (number & 1), *other = tiles + (~number & 1);
    uint32_t moving = dpl_dma_open();
    if (number > 0) {
        tiling->store(other);
    }
    if (number + 1 < tiling->count) {
        load_behind(tiling, now, other, tiling->turns + (~number & 1));
    }
    dpl_dma_wait(moving);
}

static void store_last(const dpl_tiling *tiling, const dpl_tile *t) {
    uint32_t moving = dpl_dma_open();
    tiling->store(t);
    dpl_dma_wait(moving);
}

/* What every core does. */
static void follow(void) {
    const dpl_tiling *tiling = led;
    void (*const compute)(const void *args) = tiling->compute;
    dpl_turn *const turns = tiling->turns;
    for (int32_t number = 0, count = tiling->count; number < count; number++) {
        dpl_turn *turn = turns + (number & 1);
        dpl_follow(number & 1);
        compute(turn->args);
        dpl_barrier();
        if (dpl_core_id() == 0) {
            turn->done = 1;
        }
    }
}

/* A tile is called before the one in front of it is done: the cores go on at once. */
static void lead(const dpl_tiling *tiling, dpl_tile tiles[2]) {
    for (int32_t number = 0; number < tiling->count; number++) {
        move_beside(tiling, tiles, number);
        if (number + 1 < tiling->count) {
            dpl_lead_call(~number & 1);
        }
        dpl_lead_wait(&tiling->turns[number & 1].done);
    }
}

void dpl_run_tiles(const dpl_tiling *tiling) {
    dpl_tile tiles[2]; /* the one that is computed and the one that is moved */
    led = tiling;
    uint32_t moving = dpl_dma_open();
    load_first(tiling, tiles);
    dpl_lead_begin(follow);
    dpl_dma_wait(moving);
    dpl_lead_call(0);
    lead(tiling, tiles);
    store_last(tiling, tiles + (tiling->count - 1) % 2);
    dpl_lead_end();
}
