/* Pairs of channels of int8 times triples of columns by the high-word rule: the convolutions share
 * the loop. */
#include "dpl/cortex_m/high_s8.h"

HIGH_TRIPLES(extern, dpl_high_triples_s8__armv7em, LONG_LOOP_FOURS, LIMIT_S8, "strb", "", "1")
