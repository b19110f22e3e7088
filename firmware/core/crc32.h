#ifndef DPL_CRC32_H
#define DPL_CRC32_H

#include <stdint.h>

/* CRC-32 of zlib (reflected 0x04C11DB7, inverted at both ends). */
uint32_t dpl_crc32(const void *bytes, uint32_t count);

#endif
