/* The files of the family, as parts of this port. */
#include "gap8.h"

#include "../riscv/memories.c"
#include "../riscv/memory.c"
