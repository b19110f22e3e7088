/* Offloading a step to the cores that share it, from a core outside of them, for ports that have
 * one: it prepares what they do next while they work. */
#ifndef DPL_OFFLOAD_H
#define DPL_OFFLOAD_H

#include <stdint.h>

/* Every core runs fn(args), when all are through with the call before. Of two calls that have not
 * been waited for the second may be made while the first one runs; a third may not. */
void dpl_offload_call(void (*fn)(const void *args), const void *args);

/* Until the cores are through with that call or the DMA with the group: whether the group is done.
 */
int dpl_offload_moved(uint32_t group);

/* Until the cores are through with the oldest call that has not been waited for. */
void dpl_offload_wait(void);

#endif
