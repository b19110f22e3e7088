/* Blocking of what runs kernels. Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_RUNTIME_BLOCKING_H
#define DPL_RUNTIME_BLOCKING_H

/* The arguments of a tile in L1, of which there are two: of the tile that is computed and of the
 * one that is fetched. */
#define DPL_TILE_ARGUMENT_BYTES 288

#endif
