/* The sources all Cortex-M ports share. */
#include "../cortex_m/cache.c"
#include "../cortex_m/fault.c"
#include "../cortex_m/memory.c"
#include "../cortex_m/mpu.c"
#include "../cortex_m/startup.c"
