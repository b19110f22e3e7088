/* What a generated network exposes, to the harness and to a user's own program. */
#ifndef DPL_NET_H
#define DPL_NET_H

#include <stdint.h>

#include "dpl/rows.h"
#include "dpl_constants.h"

typedef struct {
    const char *name;
    int8_t
        *data; /* in the arena, contiguous: inputs are overwritten by a run, outputs valid until the
                * next; int16 elements (network.h says so) lie here too, aligned, low byte first */
    uint32_t bytes;
    float scale; /* real = scale * (q - zero_point) */
    int32_t zero_point;
} dpl_io;

/* A layer. Its output is output_runs runs of output_bytes, each output_pitch behind the one before:
 * one run, or, where it is a window of a larger tensor, its pixels or rows. */
typedef struct {
    const char *name;
    void (*run)(void); /* NULL: nothing to do, the output is where it should be already */
    const int8_t *output;
    uint32_t output_bytes;
    uint32_t output_runs;
    uint32_t output_pitch;
} dpl_step;

/* Weights in the memory behind the arena's, `bytes` from `from` on. Whoever runs the steps asks for
 * them before step `begin`, in the order of the table, and has them before `step`. */
typedef struct {
    int8_t *to;
    uint32_t from, bytes;
    uint16_t begin, step;
} dpl_fetch;

typedef struct {
    const char *name;
    const char *bundle_id; /* hash of the sources this image was built from */
    const dpl_io *inputs;
    const dpl_io *outputs;
    const dpl_step *steps;
    uint16_t input_count;
    uint16_t output_count;
    uint16_t step_count;
    uint32_t arena_bytes;
    const uint8_t *output_element_bytes; /* of each output; NULL: all are int8 */
    /* Says where rows come from, before the first run; NULL when every input is resident. An input
     * that is not has no data. */
    void (*input_rows)(dpl_row_source source, void *context);
    const uint8_t *single_core; /* 1: one core runs the step, not all; it may offload to the others
                                 * (dpl/offload.h); NULL: none */
    const dpl_fetch *fetches;   /* ascending in begin and in step */
    uint16_t fetch_count;
    const dpl_constants *constants; /* NULL: not told */
} dpl_network;

#endif
