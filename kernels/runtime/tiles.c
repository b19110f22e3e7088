/* The loop over the tiles of a step. Core 0 moves them, all cores compute; one barrier a tile.
 *
 * What core 0 does for the next tile keeps the others waiting at the end of this one, so it reads
 * nothing from far memory (20 cycles a word): the tiling is copied to its stack. */
#include "dpl/tiles.h"

#include "dpl/cores.h"

static dpl_turn *turn_of(const dpl_tiling *tiling, int32_t number) {
    return tiling->turns + (number & 1);
}

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

static void load_first(const dpl_tiling *tiling) {
    dpl_tile *t = &tiling->turns[0].tile;
    t->row = t->column = t->channel = 0;
    t->output_side = t->input_side = t->weights_side = 0;
    t->fresh_input = t->fresh_weights = 1;
    tiling->cut(t);
    dpl_dma_in(tiling->turns[0].args, tiling->args, tiling->args_bytes);
    dpl_dma_in(tiling->turns[1].args, tiling->args, tiling->args_bytes);
    tiling->load(t);
}

static void load_behind(const dpl_tiling *tiling, int32_t number) {
    const dpl_tile *before = &turn_of(tiling, number)->tile;
    dpl_turn *turn = turn_of(tiling, number + 1);
    dpl_tile *t = &turn->tile;
    t->row = before->row;
    t->column = before->column;
    t->channel = before->channel;
    step_on(tiling, t);
    compare(tiling, t, before);
    tiling->cut(t);
    tiling->load(t);
    tiling->set(t, turn->args);
}

/* What moves while tile `number` is computed. The next tile takes the turn of the last one, so that
 * is stored first. */
static uint32_t move_beside(const dpl_tiling *tiling, int32_t number, int32_t count) {
    uint32_t id = dpl_dma_open();
    if (number > 0) {
        tiling->store(&turn_of(tiling, number - 1)->tile);
    }
    if (number + 1 < count) {
        load_behind(tiling, number);
    }
    return id;
}

/* Core 0's part before, between and after the tiles; the last wait is for the last store. */
static void lead(const dpl_tiling *given, int32_t count) {
    const dpl_tiling tiling = *given;
    uint32_t moving = dpl_dma_open();
    load_first(&tiling);
    dpl_dma_wait(moving);
    tiling.set(&tiling.turns[0].tile, tiling.turns[0].args);
    for (int32_t number = 0; number < count; number++) {
        dpl_barrier();
        moving = move_beside(&tiling, number, count);
        tiling.compute(turn_of(&tiling, number)->args);
        dpl_dma_wait(moving);
    }
    dpl_barrier();
    moving = dpl_dma_open();
    tiling.store(&turn_of(&tiling, count - 1)->tile);
    dpl_dma_wait(moving);
}

static void follow(const dpl_tiling *tiling, int32_t count) {
    void (*const compute)(const void *args) = tiling->compute;
    const dpl_turn *const turns = tiling->turns;
    for (int32_t number = 0; number < count; number++) {
        dpl_barrier();
        compute(turns[number & 1].args);
    }
    dpl_barrier();
}

void dpl_run_tiles(const dpl_tiling *tiling) {
    const int32_t count = tiling->rows * tiling->columns * tiling->channels;
    if (dpl_core_id() == 0) {
        lead(tiling, count);
    } else {
        follow(tiling, count);
    }
}
