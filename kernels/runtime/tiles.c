/* The loop over the tiles of a step. A core beside those that compute leads: while they work on one
 * tile it moves the next and sets its arguments. They find no code between two tiles but a wait, so
 * that their instruction cache keeps the kernel. */
#include "dpl/tiles.h"

#include "dpl_lead.h"

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

/* The tiling whose arguments and first weights are on their way, in a group of their own. */
static struct {
    const dpl_tiling *tiling;
    uint32_t moving;
} ahead;

static void begin(const dpl_tiling *tiling, dpl_tile *t) {
    t->row = t->column = t->channel = 0;
    t->output_side = t->input_side = t->weights_side = 0;
    if (tiling->count > 1) {
        tiling->cut(t);
    }
}

static void load_args(const dpl_tiling *tiling) {
    dpl_dma_in(tiling->turns[0].args, tiling->args, tiling->args_bytes);
    if (tiling->count > 1) {
        dpl_dma_in(tiling->turns[1].args, tiling->args, tiling->args_bytes);
    }
}

static void load_ahead(const dpl_tiling *tiling) {
    ahead.tiling = tiling;
    if (tiling) {
        dpl_tile t;
        t.fresh_input = 0;
        t.fresh_weights = 1;
        ahead.moving = dpl_dma_open();
        begin(tiling, &t);
        tiling->load(tiling, &t);
        load_args(tiling);
    }
}

static void load_first(const dpl_tiling *tiling, dpl_tile *t) {
    uint32_t moving = dpl_dma_open();
    begin(tiling, t);
    t->fresh_input = 1;
    t->fresh_weights = ahead.tiling != tiling;
    tiling->load(tiling, t);
    if (t->fresh_weights) {
        load_args(tiling);
    } else {
        dpl_dma_wait(ahead.moving);
    }
    dpl_dma_wait(moving);
}

/* The tile after `before`, whose commands and arguments are not given yet. */
static void prepare(const dpl_tiling *tiling, dpl_tile *t, const dpl_tile *before) {
    t->row = before->row;
    t->column = before->column;
    t->channel = before->channel;
    step_on(tiling, t);
    compare(tiling, t, before);
    tiling->cut(t);
}

static void call(const dpl_tiling *tiling, int32_t number) {
    dpl_lead_call(tiling->compute, tiling->turns[number & 1].args);
}

/* Three tiles: before, which is stored, now, which is computed, and next, which is loaded. */
typedef struct {
    dpl_tile *before, *now, *next;
} trio;

/* What moves while tile `number` is computed. What follows is prepared while it moves, so that the
 * next load has nothing to wait for. */
static void move_beside(const dpl_tiling *tiling, const trio *tiles, int32_t number) {
    int32_t left = tiling->count - 1 - number;
    uint32_t moving = dpl_dma_open();
    if (left > 0) {
        tiling->load(tiling, tiles->next);
    }
    if (number > 0) {
        tiling->store(tiling, tiles->before);
    }
    if (left > 0) {
        tiling->set(tiles->next, tiling->turns[~number & 1].args);
    }
    if (left > 1) {
        prepare(tiling, tiles->before, tiles->next);
    }
    dpl_dma_wait(moving);
}

static void store_last(const dpl_tiling *tiling, const dpl_tile *t) {
    uint32_t moving = dpl_dma_open();
    tiling->store(tiling, t);
    dpl_dma_wait(moving);
}

/* A tile is called before the one in front of it is done: the cores go on at once. */
static void lead(const dpl_tiling *tiling, trio tiles) {
    call(tiling, 0);
    if (tiling->count > 1) {
        prepare(tiling, tiles.next, tiles.now);
    }
    for (int32_t number = 0; number < tiling->count; number++) {
        move_beside(tiling, &tiles, number);
        if (number + 1 < tiling->count) {
            call(tiling, number + 1);
        } else {
            load_ahead(tiling->next);
        }
        dpl_lead_wait();
        tiles = (trio){tiles.now, tiles.next, tiles.before};
    }
    store_last(tiling, tiles.before);
}

void dpl_run_tiles(const dpl_tiling *tiling) {
    dpl_tile tiles[3];
    load_first(tiling, &tiles[1]);
    lead(tiling, (trio){&tiles[0], &tiles[1], &tiles[2]});
}
