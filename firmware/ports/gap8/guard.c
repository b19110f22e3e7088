#include "gap8.h"

#define CANARY 0x5afe57acu

void dpl_guard(uint32_t *low_end) {
    for (int i = 0; i < DPL_CANARY_WORDS; i++) {
        low_end[i] = CANARY;
    }
}

bool dpl_guarded(const uint32_t *low_end) {
    for (int i = 0; i < DPL_CANARY_WORDS; i++) {
        if (((const volatile uint32_t *)low_end)[i] != CANARY) {
            return false;
        }
    }
    return true;
}
