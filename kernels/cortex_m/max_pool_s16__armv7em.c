/* MaxPool, int16: ssub16 and sel take the larger of two halfwords. */
#include "dpl/body/s16.h"
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_s16__armv7em
typedef dpl_pool_s16_args args;

#define LINE_LOAD "ldrsh"
#define LINE_STORE "strh"
#define BYTES "2"
#define DIFFERENCE "ssub16"
#define TAKE_OF(D, X, Y) "sel %[" D "], %[" X "], %[" Y "]\n"
#define TAKE(X, Y) TAKE_OF(X, X, Y)
#define BETTER(X, Y) ((X) > (Y))
enum { PADDING = LOWEST };

#include "dpl/cortex_m/extreme_pool.h"
