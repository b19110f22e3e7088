/* Sections of the project's linker scripts. Without one (a hosted program, or network.c dropped
 * into another project) data goes where the compiler puts it. */
#ifndef DPL_PLACE_H
#define DPL_PLACE_H

#ifdef DPL_LINKER_SCRIPT
#define DPL_SECTION(name) __attribute__((section(name)))
#else
#define DPL_SECTION(name)
#endif

#endif
