/* MaxPool over the whole plane, int16. */
#include "dpl/body/s16.h"
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_s16__armv7em_whole
typedef dpl_pool_s16_args args;

#define DIFFERENCE "ssub16"
#define TAKE(X, Y) "sel %[" X "], %[" X "], %[" Y "]\n"
#define BETTER(X, Y) ((X) > (Y))

#include "dpl/cortex_m/extreme_whole.h"
