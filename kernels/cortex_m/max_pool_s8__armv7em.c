/* MaxPool, int8: ssub8 and sel take the larger of four bytes. */
#include "dpl/body/s8.h"
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_s8__armv7em
typedef dpl_pool_s8_args args;

#define DIFFERENCE "ssub8"
#define TAKE(X, Y) "sel %[" X "], %[" X "], %[" Y "]\n"
#define BETTER(X, Y) ((X) > (Y))
enum { PADDING = LOWEST };

#include "dpl/cortex_m/extreme_pool.h"
