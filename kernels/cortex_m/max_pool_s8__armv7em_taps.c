/* MaxPool by the taps of each output, int8. */
#include "dpl/body/s8.h"
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_s8__armv7em_taps
typedef dpl_pool_s8_args args;

#define LINE_LOAD "ldrsb"
#define LINE_STORE "strb"
#define BYTES "1"
#define DIFFERENCE "ssub8"
#define TAKE(X, Y) "sel %[" X "], %[" X "], %[" Y "]\n"
#define BETTER(X, Y) ((X) > (Y))
#define HALVES 0
enum { PADDING = LOWEST };

#include "dpl/cortex_m/extreme_taps.h"
