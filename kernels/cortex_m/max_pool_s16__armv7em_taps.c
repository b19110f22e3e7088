/* MaxPool by the taps of each output, int16. */
#include "dpl/body/s16.h"
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_s16__armv7em_taps
typedef dpl_pool_s16_args args;

#define LINE_LOAD "ldrsh"
#define LINE_STORE "strh"
#define BYTES "2"
#define DIFFERENCE "ssub16"
#define TAKE(X, Y) "sel %[" X "], %[" X "], %[" Y "]\n"
#define BETTER(X, Y) ((X) > (Y))
#define HALVES 1
enum { PADDING = LOWEST };

#include "dpl/cortex_m/extreme_taps.h"
