/* Concat, float, portable: each part is copied. A row without gaps is one run, otherwise each pixel
 * is. */
#include "dpl/body/f32.h"
#include "dpl/body/run.h"
#include "dpl/concat.h"
#include "dpl/cores.h"

/* This core's share of a part. */
static void fill_part(const dpl_concat_part_f32 *p) {
    const dpl_part part = dpl_core_part(p->output.height, p->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    const int contiguous = p->input.pixel_pitch == count && p->output.pixel_pitch == count;
    const int32_t length = contiguous ? p->output.width * count : count;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        copy_each(row_of(&p->output, y) + first, p->output.pixel_pitch,
                  row_of(&p->input, y) + first, p->input.pixel_pitch, length,
                  contiguous ? 1 : p->output.width);
    }
}

void dpl_concat_f32__fp32(const dpl_concat_f32_args *a) {
    for (int32_t i = 0; i < a->count; i++) {
        fill_part(&a->parts[i]);
    }
}
