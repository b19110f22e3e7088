#include "gap8.h"

void dpl_clock_start(void) {}

const char *dpl_clock_fault(void) {
    return 0;
}
