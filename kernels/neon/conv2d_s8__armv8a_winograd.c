/* Conv2d, int8, 3x3 at stride 1: Winograd's F(2x2, 3x3).
 *
 * A strip of tiles is transformed, then every piece of eight output channels meets all of its
 * blocks: a piece's weights stay in the cache while it does. Cores share blocks, or pieces where
 * that spreads the work better by a tenth: each then transforms all tiles. */
#include "dpl/conv2d.h"
#include "dpl/cores.h"
#include "dpl/neon/winograd_input.h"
#include "dpl/neon/winograd_output.h"
#include "dpl/neon/winograd_products.h"

typedef struct {
    const dpl_conv2d_s8_args *args;
    int32_t steps, columns, strip; /* of a tile's channels; tiles of a row; tiles of a strip */
    dpl_share tiles, pieces;       /* of this core */
    int16_t *blocks;
    int32_t *sums;
} tiled;

static int32_t at_most(int32_t x, int32_t most) {
    return x < most ? x : most;
}

static int32_t in_parts(int32_t count, int32_t of) {
    return (count + of - 1) / of;
}

/* In whole blocks. */
static int32_t strip_of(int32_t steps, int32_t tiles) {
    const int32_t bytes = block_values(steps) / TILES * (int32_t)sizeof(int16_t);
    const int32_t fit =
        at_most(DPL_TRANSFORMED_STRIP_BYTES / bytes, DPL_TRANSFORMED_STRIP_TILES) / TILES;
    return at_most(fit > 1 ? fit : 1, in_parts(tiles, TILES)) * TILES;
}

static void share_work(tiled *t, int32_t tiles) {
    const int32_t blocks = in_parts(tiles, TILES), cores = DPL_CORE_COUNT;
    const int32_t pieces = in_parts(t->args->output.channels, CHANNELS);
    const dpl_share all_tiles = {0, tiles}, all_pieces = {0, pieces};
    t->tiles = all_tiles;
    t->pieces = all_pieces;
    if ((int64_t)9 * in_parts(blocks, cores) * pieces >
        (int64_t)10 * in_parts(pieces, cores) * blocks) {
        t->pieces = dpl_core_share(pieces);
        return;
    }
    t->tiles = dpl_core_share(blocks);
    t->tiles.begin *= TILES;
    t->tiles.end = at_most(t->tiles.end * TILES, tiles);
}

static tile_out out_of(const dpl_tensor_s8 *to, int32_t y, int32_t x) {
    int8_t *const row = dpl_row_s8(to, y);
    tile_out out = {row + x * to->pixel_pitch, x + 1 < to->width ? to->pixel_pitch : 0, 0};
    if (y + 1 < to->height) {
        out.down = (int32_t)(dpl_row_s8(to, y + 1) - row);
    }
    return out;
}

/* `count` tiles from `first` on. */
static void make_strip(const tiled *t, int32_t first, int32_t count, tile_out *out) {
    const dpl_conv2d_s8_args *a = t->args;
    int32_t y = first / t->columns, x = first % t->columns;
    for (int32_t made = 0; made < count; x = 0, y++) {
        const int32_t here = at_most(count - made, t->columns - x);
        transform_tiles(&a->input, a->input_zero, 2 * y - a->window.pads.top,
                        2 * x - a->window.pads.left, here, t->blocks, made);
        for (int32_t i = 0; i < here; i++) {
            out[made++] = out_of(&a->output, 2 * y, 2 * (x + i));
        }
    }
}

static void run_strip(const tiled *t, const tile_out *out, int32_t count) {
    const dpl_conv2d_s8_args *a = t->args;
    const int32_t bytes = piece_bytes(t->steps), block = block_values(t->steps);
    const int8_t *piece = a->weights + t->pieces.begin * bytes;
    for (int32_t j = t->pieces.begin; j < t->pieces.end; j++, piece += bytes) {
        const int16_t *weights = (const int16_t *)(const void *)piece, *values = t->blocks;
        const void *tables = weights + piece_values(t->steps);
        for (int32_t i = 0; i < count; i += TILES, values += block) {
            sum_block(values, weights, t->steps, t->sums);
            put_block(t->sums, tables, &a->requant, out + i, at_most(TILES, count - i),
                      j * CHANNELS, a->output.channels - j * CHANNELS);
        }
    }
}

void dpl_conv2d_s8__armv8a_winograd(const dpl_conv2d_s8_args *a) {
    const int32_t columns = (a->output.width + 1) / 2, rows = (a->output.height + 1) / 2;
    const int32_t steps = steps_of(a->input.channels), strip = strip_of(steps, rows * columns);
    const int32_t values = strip / TILES * block_values(steps);
    tiled t = {.args = a, .steps = steps, .columns = columns, .strip = strip};
    t.blocks = (int16_t *)a->scratch + dpl_core_id() * (values + 2 * POSITIONS * SUMS);
    t.sums = (int32_t *)(void *)(t.blocks + values);
    tile_out out[DPL_TRANSFORMED_STRIP_TILES];
    share_work(&t, rows * columns);
    for (int32_t first = t.tiles.begin; first < t.tiles.end; first += strip) {
        const int32_t count = at_most(strip, t.tiles.end - first);
        make_strip(&t, first, count, out);
        run_strip(&t, out, count);
    }
}
