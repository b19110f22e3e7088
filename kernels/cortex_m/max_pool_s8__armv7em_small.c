/* MaxPool of little work, or of columns of taps, int8. */
#include "dpl/body/s8.h"
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_s8__armv7em_small
typedef dpl_pool_s8_args args;

#define DIFFERENCE "ssub8"
#define TAKE(X, Y) "sel %[" X "], %[" X "], %[" Y "]\n"
#define BETTER(X, Y) ((X) > (Y))
enum { PADDING = LOWEST };
#define COLUMN_BYTES 1

#include "dpl/cortex_m/extreme_small.h"
