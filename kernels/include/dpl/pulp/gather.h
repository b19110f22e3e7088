/* Elements of lines of pixels brought together. */
#ifndef DPL_PULP_GATHER_H
#define DPL_PULP_GATHER_H

#include <stdint.h>

/* The assembler (gather_bytes.S) has these offsets, too. */
typedef struct {
    const int8_t *from;
    int32_t step; /* from a pixel of a line to the next */
    int32_t line; /* from a line to the next */
    int8_t *to;
    int32_t to_line;
    int32_t count, lines; /* at least 1 */
    int32_t to_step;
    uint32_t mask; /* of shuffled words: in each byte 4 and which byte of the pixel's it is */
} dpl_gather;

/* A word of each pixel, or a byte: 2 cycles, shuffled 3. Words are read from any address. */
void dpl_gather_words(const dpl_gather *g);
void dpl_gather_shuffled(const dpl_gather *g);
void dpl_gather_bytes(const dpl_gather *g);

#endif
