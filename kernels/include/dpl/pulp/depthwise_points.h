/* Depthwise 1x1: each channel's elements times its weight. */
#ifndef DPL_PULP_DEPTHWISE_POINTS_H
#define DPL_PULP_DEPTHWISE_POINTS_H

#include <stdint.h>

/* Lines of pixels of groups of four channels; rules i32 and shift. The assembler
 * (depthwise_points.S) has these offsets, too. */
typedef struct {
    const int8_t *from;
    int8_t *out;
    int32_t pixel, out_pixel; /* from a pixel to the next */
    int32_t pixels, lines;    /* at least 1 */
    int32_t gap, out_gap;     /* from behind a line's last pixel to the next line */
    const int8_t *weights;    /* layout "depthwise" */
    int32_t groups;           /* at least 1 */
    uint32_t low, high;       /* in each byte */
} dpl_depthwise_points_job;

void dpl_depthwise_points(const dpl_depthwise_points_job *j);

#endif
