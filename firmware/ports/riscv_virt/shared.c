/* The files of the family, as parts of this port. */
#include "riscv_virt.h"

#include "../riscv/memories.c"
#include "../riscv/memory.c"
