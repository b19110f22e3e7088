/* Transpose: a body. A file has `args`, KERNEL, SIDE and `strip`, which transposes squares of
 * SIDE x SIDE elements.
 *
 * Axes that lie one behind the other on both sides are one, so that a channel shuffle has three and
 * NHWC to NCHW two. What is contiguous on both sides is copied in words; where the axes that are
 * contiguous on one side each have SIDE positions, squares are transposed in registers; otherwise
 * the longest axis is walked element by element. Of tensors too large for the memory beside the
 * caches that is in stretches whose lines stay in the data cache until all other axes have been
 * walked beside them; others would only be begun more often. */
#include "dpl/body/run.h"
#include "dpl/cores.h"
#include "dpl/cortex_m/simd.h"

/* Below so many bytes, or elements along squares, steps take less time. */
enum { AXES = 4, FEWEST_BYTES = 8, FEWEST_ALONG = 16 };
enum { LARGE_BYTES = 40960, CACHED_BYTES = 6144 }; /* of a tensor, and of a stretch of one */

/* Positions along an axis and how many elements they are apart in the input and in the output. */
typedef struct {
    int32_t count, from, to;
} axis;

/* Two axes that are walked together, `across` for squares only; the others are outside. */
typedef struct {
    void (*move)(const axis *along, const axis *across, const element *in, element *out);
    axis along, across;
} walk;

static void copied(const axis *along, const axis *across, const element *in, element *out) {
    (void)across;
    copy_run(out, in, along->count);
}

/* Two cycles an element; the buffer of byte stores takes 2.4. */
static void stepped(const axis *along, const axis *across, const element *in, element *out) {
    const int32_t from = along->from, to = along->to;
    int32_t count = along->count;
    (void)across;
    for (; count >= 4; count -= 4, in += 4 * from, out += 4 * to) {
        const element a = in[0], b = in[from], c = in[2 * from], d = in[3 * from];
        out[0] = a, out[to] = b, out[2 * to] = c, out[3 * to] = d;
    }
    for (; count > 0; count--, in += from, out += to) {
        *out = *in;
    }
}

/* The last squares lie over those before. */
static void squares(const axis *along, const axis *across, const element *in, element *out) {
    const int32_t whole = along->count / SIDE, last = along->count - SIDE;
    for (int32_t y = 0; y < across->count; y += SIDE) {
        const int32_t at = y <= across->count - SIDE ? y : across->count - SIDE;
        const element *from = in + at * across->from;
        strip(from, across->from, out + at, along->to, whole);
        if (whole * SIDE < along->count) {
            strip(from + last, across->from, out + at + last * along->to, along->to, 1);
        }
    }
}

/* The axes from the innermost of the output; returns how many there are. */
static int32_t axes_of(const args *a, axis axes[AXES]) {
    int32_t found = 0, to = 1;
    for (int32_t i = AXES - 1; i >= 0; to *= a->shape[i], i--) {
        axis *inner = &axes[found - 1];
        if (a->shape[i] == 1) {
            continue;
        }
        if (found > 0 && a->input_pitch[i] == inner->from * inner->count) {
            inner->count *= a->shape[i];
        } else {
            const axis one = {a->shape[i], a->input_pitch[i], to};
            axes[found++] = one;
        }
    }
    return found;
}

/* Removes axis `i`. */
static axis taken(axis axes[AXES], int32_t *count, int32_t i) {
    const axis one = axes[i];
    axes[i] = axes[--*count];
    return one;
}

static int32_t contiguous_in_input(const axis axes[AXES], int32_t count) {
    int32_t i = 0;
    while (i < count && axes[i].from != 1) {
        i++;
    }
    return i;
}

static int32_t longest(const axis axes[AXES], int32_t count) {
    int32_t best = 0;
    for (int32_t i = 1; i < count; i++) {
        best = axes[i].count > axes[best].count ? i : best;
    }
    return best;
}

/* Takes what is walked together out of the axes; there is at least one. */
static walk walk_of(axis axes[AXES], int32_t *count) {
    const int32_t next = contiguous_in_input(axes, *count);
    walk w = {stepped, {1, 0, 0}, {1, 0, 0}};
    if (next == 0 && axes[0].count * (int32_t)sizeof(element) >= FEWEST_BYTES) {
        w.move = copied;
        w.along = taken(axes, count, 0);
    } else if (next > 0 && axes[next].count >= FEWEST_ALONG && axes[0].count >= SIDE) {
        w.move = squares;
        w.along = taken(axes, count, next);
        w.across = taken(axes, count, 0);
    } else {
        w.along = taken(axes, count, longest(axes, *count));
    }
    return w;
}

/* All positions of the axes outside. */
static void walk_all(const walk *w, const axis *axes, int32_t count, const element *in,
                     element *out) {
    int32_t at[AXES] = {0, 0, 0, 0}, i = 0;
    for (;;) {
        w->move(&w->along, &w->across, in, out);
        for (i = 0; i < count && ++at[i] == axes[i].count; i++) {
            in -= (at[i] - 1) * axes[i].from, out -= (at[i] - 1) * axes[i].to;
            at[i] = 0;
        }
        if (i == count) {
            return;
        }
        in += axes[i].from, out += axes[i].to;
    }
}

/* Positions of a walk that are walked together with all of the axes outside. */
static int32_t stretch_of(const walk *w, const axis *axes, int32_t count) {
    int32_t beside = (int32_t)sizeof(element);
    for (int32_t i = 0; i < count; i++) {
        beside *= axes[i].count;
    }
    if (w->move != stepped || beside * w->along.count <= LARGE_BYTES) {
        return w->along.count;
    }
    const int32_t fit = CACHED_BYTES / beside / 4 * 4;
    return fit > FEWEST_ALONG ? fit : FEWEST_ALONG;
}

/* Squares need SIDE positions for every core, or one core has all. */
static dpl_share share_of(int32_t count) {
    const dpl_share all = {0, dpl_core_id() == 0 ? count : 0};
    return count < SIDE * DPL_CORE_COUNT ? all : dpl_core_share(count);
}

void KERNEL(const args *a) {
    axis axes[AXES];
    int32_t count = axes_of(a, axes);
    if (count == 0) {
        const axis one = {1, 1, 1};
        axes[count++] = one;
    }
    walk w = walk_of(axes, &count);
    const dpl_share mine = share_of(w.along.count);
    const int32_t most = stretch_of(&w, axes, count);
    for (int32_t i = mine.begin; i < mine.end; i += most) {
        w.along.count = mine.end - i < most ? mine.end - i : most;
        walk_all(&w, axes, count, a->input + i * w.along.from, a->output + i * w.along.to);
    }
}
