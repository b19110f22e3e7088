/* The build says what `db` brings: nothing, for the network's own integers, or a real number each
 * element of an int8 input. Then DPL_DB_ELEMENT is its bytes, 1 of a pixel or 4 of a float, low
 * byte first, and the network's value is that times DPL_DB_SCALE plus DPL_DB_OFFSET. */
#ifndef DPL_DB_INPUT_H
#define DPL_DB_INPUT_H

#include <stdint.h>

#ifndef DPL_DB_ELEMENT
#define DPL_DB_ELEMENT 1
#endif

#define DPL_DB_BYTES (DPL_DB_ELEMENT * DPL_INPUT_BYTES)

/* `bytes` are those from `at` on. */
void dpl_db_write(uint32_t at, const uint8_t *bytes, uint32_t count);

#endif
