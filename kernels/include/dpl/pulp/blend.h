/* Weighted means of four pixels, four channels at a time (blend_words.S). */
#ifndef DPL_PULP_BLEND_H
#define DPL_PULP_BLEND_H

#include <stdint.h>

/* The assembler has these offsets, too. */
typedef struct {
    const int8_t *from[4];
    int8_t *out;
    int32_t pitch;           /* bytes from an output to the next */
    const uint32_t *weights; /* of each output: a byte for each pixel, and one word more is read */
    int32_t outputs;         /* of these four pixels, at least 1 */
    int32_t words;           /* of channels, at least 1 */
    int32_t half, shift;     /* an output is (sum + half) >> shift */
} dpl_blend;

void dpl_blend_words(const dpl_blend *b);

#endif
