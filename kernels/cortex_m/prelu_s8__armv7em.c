/* PRelu, int8. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_prelu_s8__armv7em
typedef dpl_prelu_s8_args args;

#define BYTES "1"
#define LOAD "ldrsb"
#define STORE "strb"
#define FROM_ZERO "sub %[x], %[x], %[zero]\n sub %[y], %[y], %[zero]\n"
#define LIMIT "8"

#include "dpl/cortex_m/prelu.h"
