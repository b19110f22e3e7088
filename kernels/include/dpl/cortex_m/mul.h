/* Mul and Maximum: a body. `run` of the file computes count neighbours; the output may take an
 * input's place. */
#include "dpl/cores.h"

/* A pixel of few channels is repeated, so that runs do not end with each. */
enum { FEW_CHANNELS = 64, ENOUGH = 128, MOST_REPEATED = 4 * FEW_CHANNELS };

/* Whether pixels of `count` channels follow one another in the rows of a tensor of the output's
 * shape. */
static int contiguous(const args *a, int32_t count, int broadcast) {
    return (broadcast || a->right.pixel_pitch == count) && a->left.pixel_pitch == count &&
           a->output.pixel_pitch == count;
}

/* How many rows are one run where pixels are contiguous. */
static int32_t rows_at_once(const args *a, int32_t row, int broadcast, int32_t rows) {
    const int right = broadcast || DPL_ROWS_FOLLOW(&a->right, row);
    return right && DPL_ROWS_FOLLOW(&a->left, row) && DPL_ROWS_FOLLOW(&a->output, row) ? rows : 1;
}

static void by_pixels(const args *a, dpl_part part, int broadcast) {
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const element *left = row_of(&a->left, y) + first;
        const element *right = row_of(&a->right, broadcast ? 0 : y) + first;
        element *out = row_of(&a->output, y) + first;
        for (int32_t x = 0; x < a->output.width; x++) {
            run(a, left, right, out, count);
            left += a->left.pixel_pitch;
            right += broadcast ? 0 : a->right.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}

/* `count` elements by a pixel, about ENOUGH at a time: a multiple of four, so that words stay
 * aligned. */
static void by_few(const args *a, int32_t channels, const element *left, element *out,
                   int32_t count) {
    element pixel[MOST_REPEATED];
    const int32_t fours = ENOUGH / (4 * channels), period = (fours ? fours : 1) * 4 * channels;
    const element *right = row_of(&a->right, 0);
    for (int32_t i = 0; i < 4 * channels; i++) {
        pixel[i] = i < channels ? right[i] : pixel[i - channels];
    }
    for (int32_t i = 4 * channels; i < period; i += 4 / (int32_t)sizeof(element)) {
        store_word(pixel + i, load_word(pixel + i - 4 * channels));
    }
    for (int32_t i = 0; i < count; i += period) {
        run(a, left + i, pixel, out + i, count - i < period ? count - i : period);
    }
}

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t count = part.channels.end - part.channels.begin;
    const int broadcast = a->right.height == 1 && a->right.width == 1;
    if (!contiguous(a, count, broadcast) || (broadcast && count > FEW_CHANNELS)) {
        by_pixels(a, part, broadcast);
        return;
    }
    const int32_t row = a->output.width * count;
    const int32_t rows = rows_at_once(a, row, broadcast, part.rows.end - part.rows.begin);
    for (int32_t y = part.rows.begin; y < part.rows.end; y += rows) {
        const element *left = row_of(&a->left, y);
        element *out = row_of(&a->output, y);
        if (broadcast) {
            by_few(a, count, left, out, rows * row);
        } else {
            run(a, left, row_of(&a->right, y), out, rows * row);
        }
    }
}
