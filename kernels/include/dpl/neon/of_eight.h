/* Elements of eight pixels to where each lies, by STORE_1 of the including header. */
#ifndef DPL_NEON_OF_EIGHT_H
#define DPL_NEON_OF_EIGHT_H

#define STORE_1_OF(V, TO, FROM, I) STORE_1((TO)[I], V, (FROM) + (I));
/* Of eight pixels the last one first. */
#define OF_EIGHT(STORE, V, TO, FROM)                                                               \
    STORE(V, TO, FROM, 7)                                                                          \
    STORE(V, TO, FROM, 6)                                                                          \
    STORE(V, TO, FROM, 5)                                                                          \
    STORE(V, TO, FROM, 4)                                                                          \
    STORE(V, TO, FROM, 3) STORE(V, TO, FROM, 2) STORE(V, TO, FROM, 1) STORE(V, TO, FROM, 0)

#endif
