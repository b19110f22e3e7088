/* The largest of four runs, four channels at a time (max_words.S). */
#ifndef DPL_PULP_MAX_H
#define DPL_PULP_MAX_H

#include <stdint.h>

enum { DPL_MAX_TAPS = 4 };

/* The assembler has these offsets, too. */
typedef struct {
    const int8_t *taps[DPL_MAX_TAPS]; /* may be the output */
    int8_t *out;
    int32_t words;      /* at least 1 */
    uint32_t low, high; /* in each byte: what the output is cut to */
} dpl_max_run;

void dpl_max_words(const dpl_max_run *r);

#endif
