/* Depthwise windows by two taps at a time of four channels, where pixels lie in words. */
#ifndef DPL_PULP_DEPTHWISE_PAIRS_H
#define DPL_PULP_DEPTHWISE_PAIRS_H

#include <stdint.h>

#include "dpl/pulp/blocking.h"
#include "dpl/pulp/gather.h"

/* A pixel's four outputs are neighbours, a word, without bounds of their own or with them; or they
 * are bytes, without or with. */
enum { DPL_ENDS_WORDS, DPL_ENDS_BOUNDED_WORDS, DPL_ENDS_BYTES, DPL_ENDS_BOUNDED_BYTES };

/* Outputs of three pixels by four channels at a time. The assembler (depthwise_pairs.S) has these
 * offsets, too. */
typedef struct {
    const int8_t *weights; /* layout "depthwise_pairs" */
    const int32_t *taps;   /* from a window's first pixel to each tap's, bytes; of all pairs */
    int32_t pairs;         /* less the first, or beside the first tap: at least 1 */
    /* Where each pixel's window begins; DPL_PAIRED_PIXELS words behind that, from out to its
     * output. A multiple of three. */
    const int32_t *pixels, *pixels_end;
    int8_t *out;
    int32_t ends;      /* how outputs are bounded and stored */
    int32_t steps[3];  /* of bytes: from each of the four channels' outputs to the next one's */
    int32_t low, high; /* of words in each byte */
    int32_t runs;      /* of weights, at least 1; outputs of each are a byte further */
    int32_t even;      /* 0: the first tap is one by itself */
} dpl_depthwise_pairs_job;

void dpl_depthwise_pairs(const dpl_depthwise_pairs_job *j);

#endif
