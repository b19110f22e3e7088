/* Bytes of the memory behind the arena's, anywhere: that memory moves words. */
#ifndef DPL_OUTER_H
#define DPL_OUTER_H

#include <stdint.h>

/* `at` counts from the start of that memory. All return when the bytes are there. NULL for
 * `bytes`: zeros. */
void dpl_outer_write(uint32_t at, const uint8_t *bytes, uint32_t count);

/* Of bytes in the arena's memory, which its engine reads itself: those on a stack it may not. */
void dpl_outer_write_arena(uint32_t at, const uint8_t *bytes, uint32_t count);

void dpl_outer_read(uint32_t at, uint8_t *into, uint32_t count);

#endif
