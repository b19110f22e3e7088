#include "dpl_divide.h"

uint32_t dpl_divide(uint64_t *value, uint32_t by) {
    uint64_t quotient = *value;
    uint32_t rest = 0;
    if (quotient <= UINT32_MAX) { /* quick, since it is asked between steps that are counted */
        *value = (uint32_t)quotient / by;
        return (uint32_t)quotient % by;
    }
    for (int bit = 0; bit < 64; bit++) {
        rest = rest << 1 | (uint32_t)(quotient >> 63);
        quotient <<= 1;
        if (rest >= by) {
            rest -= by;
            quotient |= 1;
        }
    }
    *value = quotient;
    return rest;
}
