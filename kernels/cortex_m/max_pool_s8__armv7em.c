/* MaxPool, int8: ssub8 and sel take the larger of four bytes. */
#include "dpl/body/s8.h"
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_s8__armv7em
typedef dpl_pool_s8_args args;

#define LINE_LOAD "ldrsb"
#define LINE_STORE "strb"
#define BYTES "1"
#define DIFFERENCE "ssub8"
#define TAKE_OF(D, X, Y) "sel %[" D "], %[" X "], %[" Y "]\n"
#define TAKE(X, Y) TAKE_OF(X, X, Y)
#define BETTER(X, Y) ((X) > (Y))
enum { PADDING = LOWEST };

#include "dpl/cortex_m/extreme_pool.h"
