/* The files of the family, as parts of this port. */
#include "../riscv/memory.c"
