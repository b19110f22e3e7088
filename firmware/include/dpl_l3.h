/* The memory behind L2 (HyperRAM), for boards that have one. The fabric controller requests and
 * polls; transfers are done in the order requested, while it waits for a step of the cluster too.
 */
#ifndef DPL_L3_H
#define DPL_L3_H

#include <stdbool.h>
#include <stdint.h>

/* Where weights that are fetched begin: in the HyperFlash, behind the boot loader's first MB, as
 * the HyperBus addresses it, or, sent to a board that has none there, in the HyperRAM, which is
 * empty at power-up and whose last bytes are the inputs'. */
#define DPL_L3_WEIGHTS 0x01100000u
#define DPL_L3_SENT 0u
#define DPL_L3_SENT_BYTES 0x00700000u

/* Queued; returns what dpl_l3_done() takes. Addresses and bytes are multiples of 4, `l3` counts
 * from the start of the memory. Waits while the queue is full. */
uint32_t dpl_l3_read(void *l2, uint32_t l3, uint32_t bytes);
uint32_t dpl_l3_write(uint32_t l3, const void *l2, uint32_t bytes);

void dpl_l3_poll(void); /* starts what can be started */
/* In a loop that asks for something else more often: every so many times. */
static inline void dpl_l3_poll_seldom(uint32_t time) {
    if (time % 8 == 0) {
        dpl_l3_poll();
    }
}

bool dpl_l3_done(uint32_t transfer); /* on any core: it and all before are done */
void dpl_l3_wait(uint32_t transfer); /* polls until then */

#endif
