#ifndef CRC32_H
#define CRC32_H

#include <stdint.h>

/* CRC-32 of zlib (reflected 0x04C11DB7, inverted at both ends). */
uint32_t dpl_crc32(const void *bytes, uint32_t count);

/* That of bytes behind others whose CRC-32 is crc; 0 is that of none. */
uint32_t dpl_crc32_on(uint32_t crc, const void *bytes, uint32_t count);

#endif
