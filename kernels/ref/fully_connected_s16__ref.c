/* FullyConnected, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/fully_connected.h"

#define KERNEL dpl_fully_connected_s16__ref
typedef dpl_fully_connected_s16_args args;

#include "dpl/body/fully_connected.h"
