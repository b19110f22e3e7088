#include "gap8.h"

void dpl_guard(uint32_t *low_end) {
    for (int i = 0; i < DPL_CANARY_WORDS; i++) {
        low_end[i] = DPL_CANARY;
    }
}
