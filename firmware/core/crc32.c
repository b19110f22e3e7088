#include "crc32.h"

#include "dpl_crc32.h"

uint32_t dpl_crc32_on(uint32_t crc, const void *bytes, uint32_t count) {
    return dpl_crc32_of(crc, bytes, count);
}

uint32_t dpl_crc32(const void *bytes, uint32_t count) {
    return dpl_crc32_of(0, bytes, count);
}
