/* LayerNorm, int8, portable. */
#include "dpl/ref/norm.h"

#define KERNEL dpl_layer_norm_s8__ref

#include "dpl/body/layer_norm.h"
