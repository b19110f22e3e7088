/* CRC-32 of zlib (reflected 0x04C11DB7, inverted at both ends), by nibbles. */
#ifndef DPL_CRC32_H
#define DPL_CRC32_H

#include <stdint.h>

/* That of bytes behind others whose CRC-32 is crc; 0 is that of none. */
static inline uint32_t dpl_crc32_of(uint32_t crc, const void *bytes, uint32_t count) {
    /* remainders of the 16 nibbles: 64 bytes of table, two look-ups a byte */
    static const uint32_t nibble[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    const uint8_t *p = (const uint8_t *)bytes;
    crc = ~crc;
    for (uint32_t i = 0; i < count; i++) {
        crc ^= p[i];
        crc = nibble[crc & 15] ^ (crc >> 4);
        crc = nibble[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}

#endif
