/* Runs of two inputs, the second of which may be one pixel for all: a row of pixels of few channels
 * then takes PIXELS_OF_RUN of them at a time, by as many copies of that pixel. */
#include "dpl/cores.h"
#include "dpl/neon/run.h"

enum { PIXELS_OF_RUN = 8, FEW_CHANNELS = 32 };

typedef struct {
    int32_t first, count, width;
} row_part;

/* A row without gaps is one run, otherwise each pixel is. */
static void run_row(const args *a, const row_part *p, int32_t y) {
    const element *left = row_of(&a->left, y) + p->first;
    const element *right = row_of(&a->right, y) + p->first;
    element *out = row_of(&a->output, y) + p->first;
    const int whole = a->left.pixel_pitch == p->count && a->right.pixel_pitch == p->count &&
                      a->output.pixel_pitch == p->count;
    if (whole) {
        run_of(a, left, right, out, p->width * p->count);
        return;
    }
    for (int32_t x = 0; x < p->width; x++) {
        run_of(a, left, right, out, p->count);
        left += a->left.pixel_pitch;
        right += a->right.pixel_pitch;
        out += a->output.pixel_pitch;
    }
}

/* `right` serves runs of `pixels` of them. */
static void run_row_by(const args *a, const row_part *p, int32_t y, const element *right,
                       int32_t pixels) {
    const element *left = row_of(&a->left, y) + p->first;
    element *out = row_of(&a->output, y) + p->first;
    for (int32_t x = 0; x < p->width; x += pixels) {
        const int32_t rest = p->width - x;
        run_of(a, left, right, out, (rest < pixels ? rest : pixels) * p->count);
        left += pixels * a->left.pixel_pitch;
        out += pixels * a->output.pixel_pitch;
    }
}

static void run_rows_by_pixel(const args *a, const row_part *p, dpl_share rows) {
    element copies[PIXELS_OF_RUN * FEW_CHANNELS];
    const element *right = row_of(&a->right, 0) + p->first;
    const int whole = a->left.pixel_pitch == p->count && a->output.pixel_pitch == p->count;
    int32_t pixels = 1;
    if (whole && p->count <= FEW_CHANNELS) {
        for (int32_t i = 0; i < PIXELS_OF_RUN; i++) {
            copy_run(copies + i * p->count, right, p->count);
        }
        right = copies;
        pixels = PIXELS_OF_RUN;
    }
    for (int32_t y = rows.begin; y < rows.end; y++) {
        run_row_by(a, p, y, right, pixels);
    }
}

#define FOLLOWS(T, P) ((T).pixel_pitch == (P).count && DPL_ROWS_FOLLOW(&(T), (P).width * (P).count))

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int by_pixel = a->right.height == 1 && a->right.width == 1;
    row_part p = {part.channels.begin, part.channels.end - part.channels.begin, a->output.width};
    dpl_share rows = part.rows;
    if (FOLLOWS(a->left, p) && FOLLOWS(a->output, p) && (by_pixel || FOLLOWS(a->right, p)) &&
        rows.begin < rows.end) {
        p.width *= rows.end - rows.begin; /* all of them are one */
        rows.end = rows.begin + 1;
    }
    if (by_pixel) {
        run_rows_by_pixel(a, &p, rows);
        return;
    }
    for (int32_t y = rows.begin; y < rows.end; y++) {
        run_row(a, &p, y);
    }
}
