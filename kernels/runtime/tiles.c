/* The loop over the tiles of a step. A core outside of those that compute offloads to them: while
 * they work on one tile it moves the next and sets its arguments. They find no code between two
 * tiles but a wait, so that their instruction cache keeps the kernel. */
#include "dpl/tiles.h"

#include "dpl/fetched.h"
#include "dpl/offload.h"
#if __has_include("dpl_near.h")
#include "dpl_near.h"
#endif

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

/* Each output of its own input. */
static int is_plain(const dpl_axis *a) {
    return a->taps == 1 && a->stride == 1 && a->pad == 0;
}

static void cut_at(const dpl_axis *a, int32_t index, dpl_cut *cut) {
    int32_t begin = index * a->tile, low, high;
    int32_t count = dpl_least(a->tile, a->outputs - begin);
    if (is_plain(a)) {
        *cut = (dpl_cut){begin, count, begin, count, 0, 0};
        return;
    }
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

/* What stays between steps. */
typedef struct {
    /* Steps whose arguments and first weights are on their way, in their order from `begin` on,
     * each in a group of its own; `last` is the latest. */
    struct {
        struct {
            const dpl_tiling *tiling;
            uint32_t moving;
        } of[DPL_PREFETCH_DISTANCE + 1];
        const dpl_tiling *last;
        int32_t begin, count;
    } ahead;
    /* The output of the step before, which the one that keeps it in L1 has not waited for. */
    struct {
        int32_t is;
        uint32_t moving;
    } late;
    const dpl_tiling *chained; /* its first tile is called behind the last one of the step before */
    uint32_t second;           /* and its second is on its way in this group */
} tiles_state;

#ifdef DPL_NEAR_TILES
_Static_assert(sizeof(tiles_state) <= DPL_NEAR_TILES_BYTES, "the port's room");
#define state (*(tiles_state *)DPL_NEAR_TILES)
#else
static tiles_state state;
#endif
#define ahead state.ahead
#define late_output state.late

_Static_assert((DPL_PREFETCH_DISTANCE & (DPL_PREFETCH_DISTANCE + 1)) == 0, "places are masked");

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

/* Behind the others. 0 where its weights are not in far memory yet. */
static int prefetch(const dpl_tiling *tiling) {
    if (tiling->fetch && !dpl_is_fetched(tiling->fetch)) {
        return 0;
    }
    int32_t place = (ahead.begin + ahead.count++) & DPL_PREFETCH_DISTANCE;
    dpl_tile t;
    t.fresh_input = 0;
    t.fresh_weights = 1;
    ahead.last = tiling;
    ahead.of[place].tiling = tiling;
    ahead.of[place].moving = dpl_dma_open();
    enter(tiling, &t);
    tiling->load(tiling, &t);
    load_args(tiling);
    return 1;
}

/* What fits beside the last tile of `tiling`, up to `most` steps of it. */
static void prefetch_behind(const dpl_tiling *tiling, int32_t most) {
    const dpl_tiling *next = ahead.count ? ahead.last->next : tiling->next;
    while (next && ahead.count < dpl_least(next->distance, most) && prefetch(next)) {
        next = next->next;
    }
}

static int is_prefetched(const dpl_tiling *tiling) {
    return ahead.count && ahead.of[ahead.begin].tiling == tiling;
}

/* The prefetched step begins: the group of what it has. */
static uint32_t take_prefetched(void) {
    uint32_t moving = ahead.of[ahead.begin].moving;
    ahead.begin = (ahead.begin + 1) & DPL_PREFETCH_DISTANCE;
    ahead.count--;
    return moving;
}

/* In a group that is not waited for. */
static uint32_t load_first(const dpl_tiling *tiling, dpl_tile *t) {
    uint32_t moving = dpl_dma_open();
    enter(tiling, t);
    t->fresh_input = 1;
    t->fresh_weights = !is_prefetched(tiling);
    tiling->load(tiling, t);
    if (t->fresh_weights) {
        load_args(tiling);
    }
    return moving;
}

/* While a step of one tile waits for the engine, what follows queues up behind, so that the engine
 * has no pause. Of several tiles the later ones may need those bytes. */
static void wait_first(const dpl_tiling *tiling, const dpl_tile *t, uint32_t moving) {
    if (!t->fresh_weights) {
        uint32_t own = take_prefetched();
        if (tiling->count == 1 && (tiling->early || dpl_dma_moving(own))) {
            prefetch_behind(tiling, 1);
        }
        dpl_dma_wait(own);
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

void dpl_settle_tiles(void) {
    if (late_output.is) {
        dpl_dma_wait(late_output.moving);
        late_output.is = 0;
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
        late_output.is = 1;
        late_output.moving = moving;
    } else {
        dpl_dma_wait(moving);
    }
}

static void call(const dpl_tiling *tiling, int32_t number) {
    dpl_offload_call(tiling->compute, tiling->slots[number & 1].args);
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
    } else {
        prefetch_behind(tiling, DPL_PREFETCH_DISTANCE);
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

/* The second tile of `tiling`, in the group that is returned. */
static uint32_t load_second(const dpl_tiling *tiling, dpl_tile *next, const dpl_tile *now) {
    prepare(tiling, next, now);
    uint32_t moving = dpl_dma_open();
    tiling->load(tiling, next);
    return moving;
}

static void move_ahead(const dpl_tiling *called, int32_t most) {
    if (called->count == 1) {
        prefetch_behind(called, most);
        return;
    }
    dpl_tile now, next;
    enter(called, &now);
    state.second = load_second(called, &next, &now);
}

/* The last tile is computed, and the next step needs nothing but what is prefetched and what this
 * one leaves: it is called as soon as that is there, since a call may wait behind another. Where
 * the engine is what both wait for, it first gets the commands behind. */
static void chain(const dpl_tiling *called) {
    uint32_t own = take_prefetched();
    int there = dpl_offload_moved(own);
    state.chained = called;
    if (there) {
        dpl_dma_wait(own);
        call(called, 0);
    }
    dpl_offload_wait();
    if (there) {
        move_ahead(called, DPL_PREFETCH_DISTANCE);
        return;
    }
    move_ahead(called, 1);
    dpl_dma_wait(own);
    call(called, 0);
    if (called->count == 1) {
        prefetch_behind(called, DPL_PREFETCH_DISTANCE);
    }
}

/* The last tile is computed. Returns the group of its output. */
static inline uint32_t end(const dpl_tiling *tiling, const dpl_tile *t) {
    prefetch_behind(tiling, DPL_PREFETCH_DISTANCE);
    if (tiling->chained && ahead.count) {
        chain(tiling->next);
    } else {
        dpl_offload_wait();
    }
    return store(tiling, t);
}

/* The first tile is called, and the second is on its way in the group that is returned. Commands
 * for it take long where a tile is a box of short lines, so they come before the call only where
 * the engine is what cores wait for. */
static uint32_t start(const dpl_tiling *tiling, const trio *tiles) {
    uint32_t moving = 0;
    int ahead_of_call = 0;
    if (state.chained == tiling) {
        state.chained = 0;
        enter(tiling, tiles->now);
        prepare(tiling, tiles->next, tiles->now);
        moving = state.second;
        ahead_of_call = 1;
    } else {
        uint32_t first = load_first(tiling, tiles->now);
        ahead_of_call = tiling->early;
        if (ahead_of_call) {
            moving = load_second(tiling, tiles->next, tiles->now);
        }
        wait_first(tiling, tiles->now, first);
        call(tiling, 0);
    }
    if (!ahead_of_call) {
        moving = load_second(tiling, tiles->next, tiles->now);
    }
    tiling->set(tiles->next, tiling->slots[1].args);
    return moving;
}

/* Moves the output of the last tile beside what is fetched for the next step. */
static void end_serial(const dpl_tiling *tiling, const dpl_tile *t) {
    prefetch_behind(tiling, DPL_PREFETCH_DISTANCE);
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

__attribute__((noinline)) static void run_serial(const dpl_tiling *tiling) {
    dpl_tile t, before;
    wait_first(tiling, &t, load_first(tiling, &t));
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

/* These three are apart, since a small step takes as long as the code and registers that it needs.
 */
__attribute__((noinline)) static void run_single(const dpl_tiling *tiling) {
    dpl_tile t;
    if (state.chained == tiling) {
        state.chained = 0;
        enter(tiling, &t);
    } else {
        wait_first(tiling, &t, load_first(tiling, &t));
        call(tiling, 0);
    }
    end_store(tiling, end(tiling, &t));
}

/* What was stored before the last tile is done when its own output is. */
__attribute__((noinline)) static void run_several(const dpl_tiling *tiling) {
    dpl_tile t[3];
    trio tiles = {&t[0], &t[1], &t[2]};
    uint32_t moving = start(tiling, &tiles);
    for (int32_t number = 0; number + 1 < tiling->count; number++) {
        moving = move_on(tiling, &tiles, number, moving);
        tiles = (trio){tiles.next, tiles.third, tiles.now};
    }
    uint32_t last = end(tiling, tiles.now);
    dpl_dma_wait(moving);
    end_store(tiling, last);
}

void dpl_run_tiles(const dpl_tiling *tiling) {
    if (tiling->serial) {
        run_serial(tiling);
    } else if (tiling->count == 1) {
        run_single(tiling);
    } else {
        run_several(tiling);
    }
}
