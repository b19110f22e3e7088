/* MaxPool of little work, or of columns of taps, int16. */
#include "dpl/body/s16.h"
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_s16__armv7em_small
typedef dpl_pool_s16_args args;

#define DIFFERENCE "ssub16"
#define TAKE(X, Y) "sel %[" X "], %[" X "], %[" Y "]\n"
#define BETTER(X, Y) ((X) > (Y))
enum { PADDING = LOWEST };
#define COLUMN_BYTES 2

#include "dpl/cortex_m/extreme_small.h"
