/* The convolutions that a transposed one consists of, one after the other or together: a body.
 * Behind what says how many there are (`convolutions_of`) and which (`remainder_of`). */
#ifdef DPL_NEON_PLANES_JOINED_H
/* All remainders on the same planes, where these have room; returns whether they have. */
static int run_together(const args *a, int32_t count) {
    convolution all[MOST_JOINED];
    if (count < 2 || count > MOST_JOINED) {
        return 0;
    }
    for (int32_t i = 0; i < count; i++) {
        remainder_of(all + i, a, i);
    }
    if (!join(all, count, a->groups)) {
        return 0;
    }
    convolve_joined(all, count, a->groups, (const void *)a->weights);
    return 1;
}
#else
static inline int run_together(const args *a, int32_t count) {
    (void)a, (void)count;
    return 0;
}
#endif

void KERNEL(const args *a) {
    const int32_t count = convolutions_of(a);
    const int8_t *weights = (const void *)a->weights;
    int32_t most = 0;
    convolution v;
    if (run_together(a, count)) {
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        remainder_of(&v, a, i);
        const int32_t bytes = strip_bytes(&v, v.input.channels / a->groups);
        most = bytes > most ? bytes : most;
    }
    for (int32_t i = 0; i < count; i++) {
        remainder_of(&v, a, i);
        v.core_bytes = most;
        weights = convolve(&v, a->groups, weights);
    }
}
