/* Bounds of int8 outputs that ssat does not have: the convolutions on columns share them. */
#include "dpl/cortex_m/high_s8.h"

#include "dpl/cortex_m/bound_run.h"

/* Pixels whose channels follow one another are one run. A pixel that repeats the address before it
 * is none. */
void dpl_bound_pixels_s8__armv7em(const three_pixels *out, int32_t triples, int32_t channels,
                                  const dpl_requant *q) {
    const bounds b = bounds_of(q->low, q->high);
    int8_t *begin = out->at - channels, *end = begin;
    if (q->rule != DPL_Q32) {
        return;
    }
    for (int32_t i = 0; i < triples; i++) {
        if (out[i].at - channels == end && out[i].second == channels &&
            out[i].third == 2 * channels) {
            end += 3 * channels;
            continue;
        }
        const int32_t distance[COLUMNS] = {0, out[i].second, out[i].third};
        for (int32_t n = 0; n < COLUMNS; n++) {
            int8_t *const behind = out[i].at + distance[n];
            if (behind == end && n > 0) {
                continue;
            }
            if (behind - channels != end) {
                bound_run(&b, begin, end);
                begin = behind - channels;
            }
            end = behind;
        }
    }
    bound_run(&b, begin, end);
}
