/* Conv2d, int8, 3x3 at stride 1, four input channels or more: Winograd's F(2x2, 3x3).
 *
 * A strip of tiles is transformed, then every pair of output channels meets all of it: weights come
 * from flash once a strip. Tiles go in threes along the rows and on into the next. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/winograd_input.h"
#include "dpl/cortex_m/winograd_output.h"
#include "dpl/cortex_m/winograd_products.h"

typedef struct {
    int32_t y, x; /* of the next tile's first output */
} tile_cursor;

static int32_t at_most(int32_t x, int32_t most) {
    return x < most ? x : most;
}

static void fill_pixel(uint32_t *to, int32_t value, int32_t channels) {
    for (int32_t i = 0; i < channels / 4; i++) {
        to[i] = (uint32_t)(uint8_t)value * 0x01010101u;
    }
}

static int32_t records_of(const dpl_conv2d_s8_args *a) {
    const int32_t tiles = (a->output.height + 1) / 2 * ((a->output.width + 1) / 2);
    const int32_t fit =
        at_most(DPL_WINOGRAD_STRIP_BYTES / 4 / record_words(filled_channels(a->input.channels)),
                DPL_MAX_STRIP_RECORDS);
    return at_most(fit > 1 ? fit : 1, (tiles + LANES - 1) / LANES);
}

static tile_out out_of(const dpl_tensor_s8 *t, int32_t y, int32_t x) {
    int8_t *const row = dpl_row_s8(t, y);
    tile_out out = {row + x * t->pixel_pitch, x + 1 < t->width ? t->pixel_pitch : 0, 0};
    if (y + 1 < t->height) {
        out.down = (int32_t)(dpl_row_s8(t, y + 1) - row);
    }
    return out;
}

/* Transforms up to `room` tiles and says how many; `out` is filled up to whole records. */
static int32_t make_strip(const dpl_conv2d_s8_args *a, const tile_source *s, tile_cursor *c,
                          int32_t room, uint32_t *records, tile_out *out) {
    int32_t made = 0;
    while (made < room && c->y < a->output.height) {
        const int32_t count = at_most(room - made, (a->output.width - c->x + 1) / 2);
        transform_tiles(s, c->y, c->x, count, records, made);
        for (int32_t i = 0; i < count; i++, c->x += 2) {
            out[made++] = out_of(&a->output, c->y, c->x);
        }
        if (c->x >= a->output.width) {
            c->x = 0;
            c->y += 2;
        }
    }
    for (int32_t i = made; i % LANES > 0; i++) {
        out[i] = out[made - 1];
    }
    return made;
}

static void run_strip(const dpl_conv2d_s8_args *a, uint32_t *records, const tile_out *out,
                      int32_t tiles) {
    const int32_t depth = filled_channels(a->input.channels), words = record_words(depth);
    const uint32_t *w = (const uint32_t *)(const void *)a->weights;
    for (int32_t channel = 0; channel < a->output.channels; channel += 2) {
        uint32_t *record = records;
        for (int32_t first = 0; first < tiles; first += LANES, record += words) {
            sum_record(w + HEAD_WORDS, record, depth);
            put_pair(record + words - SUM_WORDS, w, &a->requant, out + first,
                     at_most(LANES, tiles - first), channel, a->output.channels);
        }
        w += channel_words(depth);
    }
}

void dpl_conv2d_s8__armv7em_winograd(const dpl_conv2d_s8_args *a) {
    const int32_t depth = filled_channels(a->input.channels), most = records_of(a);
    uint32_t *const records = a->scratch, *const columns = records + most * record_words(depth);
    uint32_t *const outside = columns + 2 * SIDE * depth;
    const tile_source source = {&a->input, a->window.pads, (int8_t *)outside, columns};
    tile_out out[DPL_MAX_STRIP_RECORDS * LANES];
    tile_cursor c = {0, 0};
    fill_pixel(outside, a->input_zero, depth);
    while (a->output.width > 0 && c.y < a->output.height) {
        const int32_t tiles = make_strip(a, &source, &c, most * LANES, records, out);
        run_strip(a, records, out, tiles);
    }
}
