/* FullyConnected, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/fully_connected.h"

#define KERNEL dpl_fully_connected_s8__ref
typedef dpl_fully_connected_s8_args args;

#include "dpl/body/fully_connected.h"
