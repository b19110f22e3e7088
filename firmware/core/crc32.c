#include "crc32.h"

/* Remainders of the 16 nibbles: 64 bytes of table, two look-ups a byte. */
static const uint32_t NIBBLE[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t dpl_crc32_on(uint32_t crc, const void *bytes, uint32_t count) {
    const uint8_t *p = bytes;
    crc = ~crc;
    for (uint32_t i = 0; i < count; i++) {
        crc ^= p[i];
        crc = NIBBLE[crc & 15] ^ (crc >> 4);
        crc = NIBBLE[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}

uint32_t dpl_crc32(const void *bytes, uint32_t count) {
    return dpl_crc32_on(0, bytes, count);
}
