/* The network under test and the input it is run on.
 *
 * The build names the network (-DDPL_NETWORK=<cname>_net) and gives the bytes of all its inputs
 * together (-DDPL_INPUT_BYTES=N). Where weights are fetched while it runs it gives the number of
 * steps (-DDPL_PREFETCH_STEPS=N); where these, or outputs (-DDPL_LATE_OUTPUTS), are on their way
 * between two steps, the number of steps to keep counts of (-DDPL_COUNTED_STEPS=N). The harness
 * keeps its own copy of the inputs, one after the other in graph order, because a run may overwrite
 * those in the arena. */
#ifndef DPL_NETWORK_H
#define DPL_NETWORK_H

#include <stdbool.h>

#include "dpl_net.h"

extern const dpl_network DPL_NETWORK;

void dpl_input_clear(void); /* before the first command: a run without a load has zeros */
void dpl_input_write(uint32_t offset, const uint8_t *bytes, uint32_t count);
void dpl_input_read(uint32_t offset, uint8_t *into, uint32_t count);

bool dpl_input_size_right(void); /* DPL_INPUT_BYTES against the network: the build's own check */

typedef void (*dpl_step_done)(uint32_t index, uint32_t counts);

/* Copies the input in and runs every step. */
void dpl_run(void);

/* The same, with the counter read around each step; done is called outside of the counted part.
 * Where something moves from one step to the next they are run twice: counted without a pause
 * between them, then with done after each. */
void dpl_run_counted(dpl_step_done done);

bool dpl_has_run(void); /* the outputs in the arena are those of a run */

#endif
