/* Zero points around planes, where they are in memory between their rows, before and behind them
 * (zero_borders.S). */
#ifndef DPL_PULP_BORDER_H
#define DPL_PULP_BORDER_H

#include <stdint.h>

/* The assembler has these offsets, too. */
typedef struct {
    int8_t *plane;  /* the first pixel of the first one */
    int32_t planes; /* at least 1 */
    int32_t pitch;  /* bytes from a plane to the next one */
    int32_t above;  /* bytes before the first pixel: the rows above and the pad left of it */
    int32_t below;  /* bytes behind the last pixel */
    int32_t width;
    int32_t row_pitch;
    int32_t rows;   /* less 1 */
    uint32_t zeros; /* the zero point in each byte */
} dpl_borders;

/* Between rows all bytes from the last pixel to the next row's first. */
void dpl_zero_borders(const dpl_borders *b);

#endif
