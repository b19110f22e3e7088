/* The convolutions that a transposed one consists of, one after the other or together: a body.
 * Behind what says how many there are (`convolutions_of`) and which (`remainder_of`), and what is
 * left at the ends of rows (`run_ends`). */
#ifdef DPL_NEON_PLANES_JOINED_H
/* All remainders on the same planes, where these have room; returns whether they have. A core's
 * scratch has `most` bytes, or as many as are needed. */
static int run_together(const args *a, int32_t count, int32_t *most) {
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
    all->core_bytes = joined_bytes(all, count);
    *most = all->core_bytes = all->core_bytes > *most ? all->core_bytes : *most;
    convolve_joined(all, count, a->groups, (const void *)a->weights);
    return 1;
}
#else
static inline int run_together(const args *a, int32_t count, int32_t *most) {
    (void)a, (void)count, (void)most;
    return 0;
}
#endif

/* One after the other. */
static void run_apart(const args *a, int32_t count, int32_t *most) {
    const int8_t *weights = (const void *)a->weights;
    convolution v;
    for (int32_t i = 0; i < count; i++) {
        remainder_of(&v, a, i);
        const int32_t bytes = strip_bytes(&v, v.input.channels / a->groups);
        *most = bytes > *most ? bytes : *most;
    }
    for (int32_t i = 0; i < count; i++) {
        remainder_of(&v, a, i);
        v.core_bytes = *most;
        weights = convolve(&v, a->groups, weights);
    }
}

void KERNEL(const args *a) {
    const int32_t count = convolutions_of(a);
    int32_t most = bytes_of_ends(a);
    if (!run_together(a, count, &most)) {
        run_apart(a, count, &most);
    }
    run_ends(a, most);
}
