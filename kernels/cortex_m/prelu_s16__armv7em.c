/* PRelu, int16: two elements of a word at a time where each is a halfword's product. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"

typedef dpl_prelu_s16_args args;

#define BYTES "2"
#define LOAD "ldrsh"
#define STORE "strh"
#define FROM_ZERO ""
#define LIMIT "16"

#include "dpl/cortex_m/prelu.h"
#include "dpl/cortex_m/prelu_words.h"

void dpl_prelu_s16__armv7em(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    if (!by_words(a, part)) {
        by_pairs(a, part);
    }
}
