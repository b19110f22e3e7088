/* The loop over the tiles of a step. A core outside of those that compute offloads to them: while
 * they work on one tile it moves the next and sets its arguments. They find no code between two
 * tiles but a wait, so that their instruction cache keeps the kernel. */
#include "dpl/tiles.h"

#include "dpl/fetched.h"
#include "dpl/offload.h"

/* Counts `index` up to `count`; 1 when it begins anew. */
static int32_t carries(int32_t *index, int32_t count) {
    *index = *index + 1 < count ? *index + 1 : 0;
    return *index == 0;
}

/* The first of the inputs that outputs from begin on need, and the one behind the last. */
static void span(const dpl_axis *a, int32_t begin, int32_t count, int32_t *low, int32_t *high) {
    if (a->up) {
        int32_t more = begin + a->pad - a->taps + 1; /* of the first input; rounded up */
        *low = more > 0 ? (more + a->stride - 1) / a->stride : -(-more / a->stride);
        *high = (begin + count - 1 + a->pad) / a->stride + 1;
    } else {
        *low = begin * a->stride - a->pad;
        *high = *low + (count - 1) * a->stride + a->taps;
    }
}

static void cut_at(const dpl_axis *a, int32_t index, dpl_cut *cut) {
    int32_t begin = index * a->tile, low, high;
    int32_t count = dpl_least(a->tile, a->outputs - begin);
    span(a, begin, count, &low, &high);
    int32_t first = dpl_least(dpl_not_below_zero(low), a->inputs);
    int32_t end = dpl_least(high, a->inputs);
    cut->begin = begin;
    cut->count = count;
    cut->first = first;
    cut->inputs = end < first ? 0 : end - first;
    cut->before = dpl_not_below_zero(-low);
    cut->after = dpl_not_below_zero(high - a->inputs);
}

static void cut_tile(const dpl_tiling *tiling, dpl_tile *t) {
    if (tiling->rows > 1) {
        cut_at(&tiling->axes[0], t->row, &t->rows);
    }
    if (tiling->columns > 1) {
        cut_at(&tiling->axes[1], t->column, &t->columns);
    }
    if (tiling->channels > 1) {
        cut_at(&tiling->axes[2], t->channel, &t->channels);
    }
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
} prefetched;

static void enter(const dpl_tiling *tiling, dpl_tile *t) {
    t->row = t->column = t->channel = 0;
    t->output_side = t->input_side = t->weights_side = 0;
    if (tiling->count > 1) {
        cut_tile(tiling, t);
    }
}

static void load_args(const dpl_tiling *tiling) {
    dpl_dma_in(tiling->slots[0].args, tiling->args, tiling->args_bytes);
    if (tiling->count > 1) {
        dpl_dma_in(tiling->slots[1].args, tiling->args, tiling->args_bytes);
    }
}

/* Unless its weights are not in far memory yet. */
static void prefetch(const dpl_tiling *tiling) {
    prefetched.tiling = 0;
    if (tiling && (!tiling->fetch || dpl_is_fetched(tiling->fetch))) {
        prefetched.tiling = tiling;
        dpl_tile t;
        t.fresh_input = 0;
        t.fresh_weights = 1;
        prefetched.moving = dpl_dma_open();
        enter(tiling, &t);
        tiling->load(tiling, &t);
        load_args(tiling);
    }
}

/* In a group that is not waited for. */
static uint32_t load_first(const dpl_tiling *tiling, dpl_tile *t) {
    uint32_t moving = dpl_dma_open();
    enter(tiling, t);
    t->fresh_input = 1;
    t->fresh_weights = prefetched.tiling != tiling;
    tiling->load(tiling, t);
    if (t->fresh_weights) {
        load_args(tiling);
    }
    return moving;
}

static void wait_first(const dpl_tile *t, uint32_t moving) {
    if (!t->fresh_weights) {
        dpl_dma_wait(prefetched.moving);
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
    cut_tile(tiling, t);
}

/* The output of the step before, which the one that keeps it in L1 has not waited for. */
static struct {
    int32_t is;
    uint32_t moving;
} late;

void dpl_settle_tiles(void) {
    if (late.is) {
        dpl_dma_wait(late.moving);
        late.is = 0;
    }
}

/* What is stored may take the bytes of an output that is stored late, when it has no reader left.
 */
static uint32_t store(const dpl_tiling *tiling, const dpl_tile *t) {
    dpl_settle_tiles();
    uint32_t moving = dpl_dma_open();
    tiling->store(tiling, t);
    return moving;
}

static void end_store(const dpl_tiling *tiling, uint32_t moving) {
    if (tiling->late) {
        late.is = 1;
        late.moving = moving;
    } else {
        dpl_dma_wait(moving);
    }
}

static void call(const dpl_tiling *tiling, int32_t number) {
    dpl_offload_call(tiling->compute, tiling->slots[number & 1].args);
}

/* The tiling whose first tile has been called behind the last one of the step before. */
static const dpl_tiling *chained;

/* The cores go on with the next step without a wait, if what it needs is there before they are
 * done. */
static void chain(const dpl_tiling *tiling) {
    if (tiling->chained && prefetched.tiling && dpl_offload_moved(prefetched.moving)) {
        dpl_dma_wait(prefetched.moving);
        chained = tiling->next;
        call(chained, 0);
    }
}

/* The tile that is computed, the one behind it, which is moved, and the third. */
typedef struct {
    dpl_tile *now, *next, *third;
} trio;

/* Tile `number` is computed. The next one, on its way in the group `moving`, is called as soon as
 * it is there, since a call may wait behind another; commands for the third are given as soon as
 * `number` is done, since it takes its place: so the cores wait for nothing but transfers, and the
 * engine for nothing but cores. Returns the group of the third. */
static uint32_t move_on(const dpl_tiling *tiling, const trio *tiles, int32_t number,
                        uint32_t moving) {
    int32_t more = number + 2 < tiling->count;
    if (more) {
        prepare(tiling, tiles->third, tiles->next);
    }
    int early = dpl_offload_moved(moving);
    if (early) {
        dpl_dma_wait(moving);
        call(tiling, number + 1);
    }
    dpl_offload_wait();
    dpl_settle_tiles();
    uint32_t behind = dpl_dma_open();
    if (more) {
        tiling->load(tiling, tiles->third);
    }
    if (!early) {
        dpl_dma_wait(moving);
        call(tiling, number + 1);
    }
    tiling->store(tiling, tiles->now); /* perhaps over what the next tile has read by now */
    if (more) {
        tiling->set(tiles->third, tiling->slots[number & 1].args);
    }
    return behind;
}

/* The last tile is computed; what was stored before it is done when its own output is. */
static void end(const dpl_tiling *tiling, const dpl_tile *t, uint32_t moving) {
    prefetch(tiling->next);
    chain(tiling);
    dpl_offload_wait();
    uint32_t last = store(tiling, t);
    if (tiling->count > 1) {
        dpl_dma_wait(moving);
    }
    end_store(tiling, last);
}

static uint32_t load_second(const dpl_tiling *tiling, const trio *tiles) {
    prepare(tiling, tiles->next, tiles->now);
    uint32_t moving = dpl_dma_open();
    tiling->load(tiling, tiles->next);
    return moving;
}

/* The first tile is called, and the second is on its way in the group that is returned. Commands
 * for it take long where a tile is a box of short lines, so they come before the call only where
 * the engine is what cores wait for. */
static uint32_t start(const dpl_tiling *tiling, const trio *tiles) {
    uint32_t moving = 0;
    int ahead = 0;
    if (chained == tiling) {
        chained = 0;
        enter(tiling, tiles->now);
    } else {
        uint32_t first = load_first(tiling, tiles->now);
        ahead = tiling->early;
        if (ahead) {
            moving = load_second(tiling, tiles);
        }
        wait_first(tiles->now, first);
        call(tiling, 0);
    }
    if (tiling->count > 1) {
        moving = ahead ? moving : load_second(tiling, tiles);
        tiling->set(tiles->next, tiling->slots[1].args);
    }
    return moving;
}

/* Moves the output of the last tile beside what is fetched for the next step. */
static void end_serial(const dpl_tiling *tiling, const dpl_tile *t) {
    prefetch(tiling->next);
    dpl_offload_wait();
    end_store(tiling, store(tiling, t));
}

/* What is stored may take the bytes of what has been loaded by then. */
static void move_between(const dpl_tiling *tiling, const dpl_tile *t, const dpl_tile *before) {
    uint32_t moving = dpl_dma_open();
    tiling->load(tiling, t);
    dpl_dma_wait(moving);
    dpl_dma_wait(store(tiling, before));
}

static void run_serial(const dpl_tiling *tiling) {
    dpl_tile t, before;
    wait_first(&t, load_first(tiling, &t));
    call(tiling, 0);
    for (int32_t number = 1; number < tiling->count; number++) {
        before = t;
        prepare(tiling, &t, &before);
        tiling->set(&t, tiling->slots[number & 1].args);
        dpl_offload_wait();
        move_between(tiling, &t, &before);
        call(tiling, number);
    }
    end_serial(tiling, &t);
}

void dpl_run_tiles(const dpl_tiling *tiling) {
    if (tiling->serial) {
        run_serial(tiling);
        return;
    }
    dpl_tile t[3];
    trio tiles = {&t[0], &t[1], &t[2]};
    uint32_t moving = start(tiling, &tiles);
    for (int32_t number = 0; number + 1 < tiling->count; number++) {
        moving = move_on(tiling, &tiles, number, moving);
        tiles = (trio){tiles.next, tiles.third, tiles.now};
    }
    end(tiling, tiles.now, moving);
}
