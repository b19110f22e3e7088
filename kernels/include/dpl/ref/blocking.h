/* Blocking of the portable kernels. Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_REF_BLOCKING_H
#define DPL_REF_BLOCKING_H

/* Output channels that a loop over values or taps computes at once. */
#define DPL_BLOCK_CHANNELS 4

#endif
