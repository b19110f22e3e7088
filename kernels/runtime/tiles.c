/* The loop over the tiles of a step. Core 0 moves them, all cores compute; one barrier a tile. */
#include "dpl/tiles.h"

#include "dpl/cores.h"

static dpl_tile *turn_of(const dpl_tiling *tiling, int32_t number) {
    return (dpl_tile *)(void *)(tiling->turns + (number & 1) * DPL_TILE_BYTES);
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
    t->output_side ^= 1;
    t->input_side ^= t->fresh_input;
    t->weights_side ^= t->fresh_weights;
}

static void load_first(const dpl_tiling *tiling) {
    dpl_tile t = {.fresh_input = 1, .fresh_weights = 1};
    tiling->cut(&t);
    *turn_of(tiling, 0) = t;
    tiling->load(&t);
}

static void load_behind(const dpl_tiling *tiling, int32_t number) {
    const dpl_tile *before = turn_of(tiling, number);
    dpl_tile t = *before;
    step_on(tiling, &t);
    compare(tiling, &t, before);
    tiling->cut(&t);
    *turn_of(tiling, number + 1) = t;
    tiling->load(&t);
}

/* What moves while tile `number` is computed. The next tile takes the turn of the last one, so that
 * is stored first. */
static uint32_t move_beside(const dpl_tiling *tiling, int32_t number, int32_t count) {
    uint32_t id = dpl_dma_open();
    if (number > 0) {
        tiling->store(turn_of(tiling, number - 1));
    }
    if (number + 1 < count) {
        load_behind(tiling, number);
    }
    return id;
}

static void store_last(const dpl_tiling *tiling, int32_t number) {
    uint32_t id = dpl_dma_open();
    tiling->store(turn_of(tiling, number));
    dpl_dma_wait(id);
}

void dpl_run_tiles(const dpl_tiling *tiling, void *args) {
    const int32_t count = tiling->rows * tiling->columns * tiling->channels;
    const int32_t leads = dpl_core_id() == 0;
    uint32_t moving = 0;
    if (leads) {
        moving = dpl_dma_open();
        load_first(tiling);
    }
    for (int32_t number = 0; number < count; number++) {
        if (leads) {
            dpl_dma_wait(moving);
        }
        dpl_barrier();
        if (leads) {
            moving = move_beside(tiling, number, count);
        }
        tiling->compute(turn_of(tiling, number), args);
    }
    if (leads) {
        dpl_dma_wait(moving);
    }
    dpl_barrier();
    if (leads) {
        store_last(tiling, count - 1);
    }
}
