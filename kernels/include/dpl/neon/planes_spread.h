/* Outputs of a group that are spread over several pixels of the tensor, one by one. Included behind
 * the definition of a piece, planes_run.h. */
#ifndef DPL_NEON_PLANES_SPREAD_H
#define DPL_NEON_PLANES_SPREAD_H

#if ELEMENT_BYTES == 1
#define WITHIN(V, BOUNDS) bytes_of(V, V, BOUNDS)
#else
#define WITHIN(V, BOUNDS) limited(V, BOUNDS)
#endif

/* Eight positions of `channels`, a constant, the last one first. Addresses of the next channel are
 * there three cycles before they are used. */
INLINED void store_spread(const int16x8_t *outputs, const plane_piece *p, int channels,
                          const int32_t *at) {
    int8_t *to[DPL_PLANE_PIXELS];
    list_stores(p->out + p->spread[0], at, p->step, to);
    UNROLLED for (int c = 0; c < channels; c++) {
        const __typeof__(WITHIN(outputs[c], p->limits.within)) all =
            WITHIN(outputs[c], p->limits.within);
        const int64_t next = c + 1 < channels ? p->spread[c + 1] - p->spread[c] : 0;
        OF_EIGHT(STORE_1_OF, all, to, 0)
        UNROLLED for (int i = 0; i < DPL_PLANE_PIXELS; i++) {
            to[i] += next;
        }
    }
}

/* Eight channels of each. */
static __attribute__((noinline)) void store_lanes_spread(const group_elements *made,
                                                         const plane_piece *p, const int32_t *at) {
    int8_t *to[DPL_PLANE_PIXELS];
    list_stores(p->out, at, p->step, to);
    for (int i = DPL_PLANE_PIXELS - 1; i >= 0; i--) {
        const group_elements v = made[i];
        GROUP_LANE(to[i] + p->spread[0], v, 0);
        GROUP_LANE(to[i] + p->spread[1], v, 1);
        GROUP_LANE(to[i] + p->spread[2], v, 2);
        GROUP_LANE(to[i] + p->spread[3], v, 3);
        GROUP_LANE(to[i] + p->spread[4], v, 4);
        GROUP_LANE(to[i] + p->spread[5], v, 5);
        GROUP_LANE(to[i] + p->spread[6], v, 6);
        GROUP_LANE(to[i] + p->spread[7], v, 7);
    }
}

#endif
