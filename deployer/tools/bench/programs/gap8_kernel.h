#ifndef DPL_GAP8_KERNEL_H
#define DPL_GAP8_KERNEL_H

/* Every core calls it, with arguments of the kernel whose data lies in L1. */
void dpl_timed(const void *args);

#endif
