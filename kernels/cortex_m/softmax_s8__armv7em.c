/* Softmax, int8: the largest channel by words. */
#include "dpl/cortex_m/largest.h"

#define KERNEL dpl_softmax_s8__armv7em
#define largest_of_many largest_of_words
#define saturated saturate8

enum { FEWEST_OF_MANY = 4 };

#include "dpl/body/softmax.h"
