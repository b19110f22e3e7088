/* dpl/cortex_m/bound_rows.h for one type: the body of a file that names KERNEL. */
#include "dpl/cortex_m/bound_rows.h"
#include "dpl/cortex_m/bound_run.h"

/* Rows without gaps are one run, and so are pixels of a row. */
void KERNEL(const tensor *output, const dpl_requant *q) {
    const bounds b = bounds_of(q->low, q->high);
    const int32_t row = output->width * output->channels;
    const int dense = output->pixel_pitch == output->channels;
    const int whole = dense && DPL_ROWS_FOLLOW(output, row);
    const int32_t runs = whole ? 1 : output->height, pixels = dense ? 1 : output->width;
    const int32_t length = whole ? output->height * row : dense ? row : output->channels;
    for (int32_t y = 0; y < runs; y++) {
        element *at = row_of(output, y);
        for (int32_t x = 0; x < pixels; x++, at += output->pixel_pitch) {
            bound_run(&b, at, at + length);
        }
    }
}
