/* DepthwiseConv2d of any window, stride, dilation and multiplier, rules i32 and shift: each core
 * copies what some pixels' windows read of four channels, zero points around it, a word a pixel;
 * then products of two taps at a time (depthwise_pairs.S), the first one of an odd number by
 * itself.
 *
 * Four input channels meet the runs of weights of all their outputs. Less than four that are left
 * fill the words of each run with the inputs of its outputs; where a run has but one or two of
 * these, the words' other bytes are for other lines of the same outputs.
 *
 * Cores share fours of input channels times lines of the axis that is longer beside a window. */
#include "dpl/depthwise_conv2d.h"

#include "dpl/cores.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/copied_axis.h"
#include "dpl/pulp/depthwise_pairs.h"
#include "dpl/pulp/planes.h"

typedef dpl_depthwise_conv2d_s8_args args;

enum { LANES = DPL_GROUP_CHANNELS };

typedef struct {
    const args *a;
    dpl_copied_axis axes[2]; /* rows, columns */
    dpl_copied_axis *along;  /* whose lines cores share */
    dpl_copied_axis *beside; /* the other one */
    dpl_copied_axis *inner;  /* neighbours in the copy */
    int32_t multiplier;
    int32_t run_bytes;
    int32_t known[2]; /* extents of the pieces whose pixels are listed */
    uint32_t zeros;
    int8_t *copy;
    int32_t *pixels;
    dpl_gather gather; /* of channel 0 */
    int32_t inside;    /* whether anything is to be gathered */
    int32_t first_row; /* of that */
    dpl_depthwise_pairs_job job;
} layer;

_Static_assert(sizeof(layer) <= DPL_PAIRED_ROOM_BYTES, "room in scratch");

/* Outputs of a core in one copy: where they begin on each axis, and how many. */
typedef struct {
    int32_t at[2], count[2];
} piece;

/* A byte of the words of channels that are brought together one by one. */
typedef struct {
    int32_t channel; /* of the input */
    int32_t ahead;   /* lines, of those of the piece */
    int32_t out;     /* from the output of a pixel's channel 0 to its own */
} lane;

static inline int has_ring(const args *a) {
    return a->input.ring_height > 0 || a->output.ring_height > 0;
}

static void enter(const args *a, layer *l) {
    const dpl_window *w = &a->window;
    const dpl_tensor_s8 *in = &a->input, *out = &a->output;
    l->a = a;
    l->multiplier = in->channels == out->channels ? 1 : out->channels / in->channels;
    dpl_copied_axis *rows = &l->axes[0], *columns = &l->axes[1];
    *rows = (dpl_copied_axis){.inputs = in->height,
                              .in_pitch = in->row_pitch,
                              .outputs = out->height,
                              .out_pitch = out->row_pitch,
                              .stride = w->stride_height,
                              .dilation = w->dilation_height,
                              .taps = w->kernel_height,
                              .pad = w->pads.top};
    *columns = (dpl_copied_axis){.inputs = in->width,
                                 .in_pitch = in->pixel_pitch,
                                 .outputs = out->width,
                                 .out_pitch = out->pixel_pitch,
                                 .stride = w->stride_width,
                                 .dilation = w->dilation_width,
                                 .taps = w->kernel_width,
                                 .pad = w->pads.left};
    dpl_thin_out(rows);
    dpl_thin_out(columns);
    const int across =
        columns->outputs - columns->span > rows->outputs - rows->span && !has_ring(a);
    l->along = across ? columns : rows;
    l->beside = across ? rows : columns;
}

/* The largest of the least number of parts, alike, of at most so many. */
static int32_t even_part(int32_t count, int32_t most) {
    const int32_t parts = count <= most ? 1 : (count + most - 1) / most;
    return parts == 1 ? count : (count + parts - 1) / parts;
}

/* Of the longer side of a window about sixteen outputs by three, of those that a core has; rows of
 * a ring one by one. */
static void size_pieces(const args *a, layer *l, int32_t lines) {
    dpl_copied_axis *x = l->along, *y = l->beside;
    const int ring = has_ring(a);
    x->most = ring ? 1 : lines;
    y->most = y->outputs;
    if (!ring && y->span > x->span) {
        x = l->beside;
        y = l->along;
    }
    x->most = even_part(x->most, DPL_PAIRED_PIXELS / dpl_least(y->most, 3));
    y->most = even_part(y->most, DPL_PAIRED_PIXELS / x->most);
    int32_t wide = dpl_copied_span(x, x->most), tall = dpl_copied_span(y, y->most);
    while (4 * wide * tall > DPL_PAIRED_BYTES && x->most + y->most > 2) {
        dpl_copied_axis *larger = y->most == 1 || (wide > tall && x->most > 1) ? x : y;
        larger->most = (larger->most + 1) >> 1;
        wide = dpl_copied_span(x, x->most);
        tall = dpl_copied_span(y, y->most);
    }
    l->inner = wide < tall || ring ? y : x;
    x->to = l->inner == x ? 4 : 4 * tall;
    y->to = l->inner == y ? 4 : 4 * wide;
}

/* Bytes of the largest copy of this or any smaller tensor. */
static int32_t copy_bytes(const layer *l) {
    const dpl_copied_axis *y = &l->axes[0], *x = &l->axes[1];
    const int32_t one = 4 * y->span * x->span;
    const int32_t all = 4 * dpl_copied_span(y, y->outputs) * dpl_copied_span(x, x->outputs);
    const int32_t most = one > DPL_PAIRED_BYTES ? one : DPL_PAIRED_BYTES;
    return dpl_least(all, most);
}

/* Taps that fill up the pairs have weights of zero. */
static void list_taps(const layer *l, int32_t *to, int32_t count) {
    const dpl_copied_axis *rows = &l->axes[0], *columns = &l->axes[1];
    int32_t *end = to + count;
    for (int32_t y = 0; y < rows->taps; y++) {
        int32_t at = y * rows->dilation * rows->to;
        for (int32_t x = 0; x < columns->taps; x++, at += columns->dilation * columns->to) {
            *to++ = at;
        }
    }
    while (to < end) {
        *to++ = 0;
    }
}

static int32_t taps_of(const layer *l) {
    return l->axes[0].taps * l->axes[1].taps;
}

/* With a first tap of three or more that is one by itself. */
static int32_t pairs_of(const layer *l) {
    const int32_t pairs = (taps_of(l) + 1) >> 1;
    return pairs < 2 ? 2 : pairs;
}

/* Behind all cores' layers, of each the copy, then where pixels and outputs are, then taps; an odd
 * number of words, so that cores which do the same at the same time do not meet in a bank. */
static void enter_scratch(const args *a, layer *l) {
    const int32_t pairs = pairs_of(l), copy = copy_bytes(l);
    const int32_t bytes = (copy + 8 * (DPL_PAIRED_PIXELS + pairs)) | 4;
    int8_t *first = (int8_t *)a->scratch + DPL_CLUSTER_CORES * DPL_PAIRED_ROOM_BYTES;
    l->copy = first + dpl_core_id() * bytes;
    l->pixels = (int32_t *)(void *)(l->copy + copy);
    int32_t *taps = l->pixels + 2 * DPL_PAIRED_PIXELS;
    list_taps(l, taps, 2 * pairs);
    l->known[0] = l->known[1] = 0;
    l->zeros = dpl_bytes_of(a->input_zero);
    l->run_bytes = 16 * pairs + LANES * DPL_TABLE_BYTES;
    l->job.taps = taps;
    l->job.pairs = pairs - 1;
    l->job.even = (taps_of(l) & 1) == 0 || taps_of(l) == 1;
    l->job.pixels = l->pixels;
}

/* Line after line of the longer axis. Pixels that fill up the threes are the last one. */
static void list_pixels(layer *l, const piece *p) {
    const int longer = p->count[0] <= p->count[1];
    const dpl_copied_axis *x = &l->axes[longer], *y = &l->axes[1 - longer];
    const int32_t pixel = x->stride * x->to, line = y->stride * y->to, out_pixel = x->out_pitch;
    const int32_t *end = l->pixels;
    int32_t *to = l->pixels;
    int32_t first = (int32_t)(intptr_t)l->copy, out = 0;
    for (int32_t lines = p->count[1 - longer]; lines > 0; lines--, first += line) {
        int32_t from = first, out_now = out;
        for (end += p->count[longer]; to < end; to++) {
            to[0] = from;
            to[DPL_PAIRED_PIXELS] = out_now;
            from += pixel;
            out_now += out_pixel;
        }
        out += y->out_pitch;
    }
    end = l->pixels + (to - l->pixels + 2) / 3 * 3;
    for (; to < end; to++) {
        to[0] = to[-1];
        to[DPL_PAIRED_PIXELS] = to[DPL_PAIRED_PIXELS - 1];
    }
    l->job.pixels_end = end;
    l->known[0] = p->count[0];
    l->known[1] = p->count[1];
}

/* What a piece reads of the input, some lines ahead, and where it is in the copy. Returns whether
 * it reads anything else. */
static int place(layer *l, const piece *p, int32_t ahead) {
    const dpl_copied_axis *inner = l->inner, *line = inner == l->axes ? &l->axes[1] : l->axes;
    dpl_gather *g = &l->gather;
    int32_t at[2], count[2], outside = 0;
    g->from = l->a->input.data;
    g->to = l->copy;
    for (int i = 0; i < 2; i++) {
        const dpl_copied_axis *x = &l->axes[i];
        const int32_t line = p->at[i] + (x == l->along ? ahead : 0);
        const int32_t first = line * x->stride * x->apart - x->pad;
        const int32_t span = dpl_copied_span(x, p->count[i]);
        const int32_t left = first < 0 ? dpl_copied_before(x, -first) : 0;
        at[i] = first + left * x->apart;
        count[i] = dpl_least(span, dpl_copied_before(x, x->inputs - first)) - left;
        outside |= count[i] - span;
        g->to += left * x->to;
        g->from += at[i] * x->in_pitch;
    }
    l->inside = count[0] > 0 && count[1] > 0;
    l->first_row = at[0];
    g->step = inner->in_pitch * inner->apart;
    g->line = line->in_pitch * line->apart;
    g->to_line = line->to;
    g->to_step = 4;
    g->count = count[inner - l->axes];
    g->lines = count[line - l->axes];
    return outside != 0;
}

/* Rows of a ring, one after the other. */
__attribute__((noinline)) static void gather_ring(const layer *l, dpl_gather g,
                                                  void gather(const dpl_gather *)) {
    const dpl_tensor_s8 *input = &l->a->input;
    const int8_t *row = input->data + l->first_row * input->row_pitch;
    const int32_t column = (int32_t)(g.from - row);
    int32_t rows = g.lines, y = l->first_row;
    g.lines = 1;
    for (; rows > 0; rows--, y += l->axes[0].apart, g.to += g.to_line) {
        g.from = dpl_row_s8(input, y) + column;
        gather(&g);
    }
}

static inline void gather_from(const layer *l, void gather(const dpl_gather *)) {
    if (!l->inside) {
        return;
    }
    if (l->a->input.ring_height > 0) {
        gather_ring(l, l->gather, gather);
    } else {
        gather(&l->gather);
    }
}

/* Zero points where windows leave the input, and elsewhere. */
static void fill(const layer *l, const piece *p) {
    const int i = l->inner == l->axes ? 1 : 0;
    const int32_t bytes = dpl_copied_span(&l->axes[i], p->count[i]) * l->axes[i].to;
    dpl_fill_words(l->copy, l->zeros, bytes < 8 ? 2 : bytes >> 2);
}

static int8_t *first_output(layer *l, const piece *p) {
    if (p->count[0] != l->known[0] || p->count[1] != l->known[1]) {
        list_pixels(l, p);
    }
    return dpl_row_s8(&l->a->output, p->at[0]) + p->at[1] * l->axes[1].out_pitch;
}

/* A piece of groups of four input channels: a copy of each, a run for each output that they have.
 * What the first copy has around it serves all. */
static void whole_groups(layer *l, const piece *p, int32_t group, int32_t groups) {
    int8_t *out = first_output(l, p) + LANES * l->multiplier * group;
    if (place(l, p, 0)) {
        fill(l, p);
    }
    l->gather.from += LANES * group;
    l->job.weights = l->a->weights + group * l->job.runs * l->run_bytes;
    for (; groups > 0; groups--) {
        gather_from(l, dpl_gather_words);
        l->job.out = out;
        dpl_depthwise_pairs(&l->job);
        l->gather.from += LANES;
        l->job.weights += l->job.runs * l->run_bytes;
        out += LANES * l->job.runs;
    }
}

/* The words' bytes for a run of `count` outputs from `output` on. Returns how many of a core's
 * lines each of them takes. */
static int32_t share_lanes(const layer *l, int32_t output, int32_t count, int32_t lines, lane *to) {
    const int32_t parts = count > 2 || has_ring(l->a) ? 1 : LANES / count;
    const int32_t each = parts == 1 ? lines : (lines + parts - 1) >> (parts >> 1);
    int32_t ahead = 0;
    for (int32_t i = 0, k = 0; i < LANES; i++, to++) {
        to->channel = l->multiplier == 1 ? output + k : (output + k) / l->multiplier;
        to->ahead = ahead;
        to->out = output + k + ahead * l->along->out_pitch;
        k++;
        if (k == count) {
            k = count > 2 ? count - 1 : 0;
            ahead = dpl_least(ahead + each, lines - each);
        }
    }
    return each;
}

/* The words from those of the last four channels. */
static void shuffle_lanes(layer *l, const lane *lanes) {
    const int32_t first = l->a->input.channels - LANES;
    uint32_t mask = 0;
    for (int32_t i = LANES - 1; i >= 0; i--) {
        mask = mask << 8 | (uint32_t)(LANES + lanes[i].channel - first);
    }
    l->gather.from += first;
    l->gather.mask = mask;
    gather_from(l, dpl_gather_shuffled);
}

/* The words byte by byte. */
static void fill_lanes(layer *l, const piece *p, const lane *lanes) {
    for (int32_t i = 0; i < LANES; i++, lanes++) {
        if (i > 0 && lanes[0].ahead != lanes[-1].ahead) {
            place(l, p, lanes[0].ahead);
            l->gather.to += i;
        }
        l->gather.from += lanes[0].channel;
        gather_from(l, dpl_gather_bytes);
        l->gather.from -= lanes[0].channel;
        l->gather.to++;
    }
}

/* A piece of a run of less than four channels. */
static void some_channels(layer *l, const piece *p, const lane *lanes) {
    const int32_t last = lanes[LANES - 1].ahead;
    int8_t *out = first_output(l, p);
    const int leaves = last > 0 && place(l, p, last);
    if (place(l, p, 0) || leaves) {
        fill(l, p);
    }
    if (last == 0 && l->a->input.channels >= LANES) {
        shuffle_lanes(l, lanes);
    } else {
        fill_lanes(l, p, lanes);
    }
    l->job.out = out + lanes[0].out;
    dpl_depthwise_pairs(&l->job);
}

/* Lines of groups, or of a run of `lanes`. */
static void pieces(layer *l, int32_t line, int32_t lines, int32_t group, int32_t groups,
                   const lane *lanes) {
    const dpl_copied_axis *x = l->along, *y = l->beside;
    const int i = x == l->axes ? 0 : 1;
    piece p;
    for (const int32_t end = line + lines; line < end; line += x->most) {
        p.at[i] = line;
        p.count[i] = dpl_least(x->most, end - line);
        for (int32_t at = 0; at < y->outputs; at += y->most) {
            p.at[1 - i] = at;
            p.count[1 - i] = dpl_least(y->most, y->outputs - at);
            if (lanes) {
                some_channels(l, &p, lanes);
            } else {
                whole_groups(l, &p, group, groups);
            }
        }
    }
}

static void set_bounds(layer *l, int bytes) {
    const dpl_requant *q = &l->a->requant;
    const int bounded = q->low > INT8_MIN || q->high < INT8_MAX;
    l->job.ends = (bytes ? DPL_ENDS_BYTES : DPL_ENDS_WORDS) + bounded;
    l->job.low = bytes ? q->low : (int32_t)dpl_bytes_of(q->low);
    l->job.high = bytes ? q->high : (int32_t)dpl_bytes_of(q->high);
}

/* The last channels, less than four. Apart, so that others stay together in the cache. */
__attribute__((noinline)) static void last_channels(layer *l, int32_t group, int32_t line,
                                                    int32_t lines) {
    const int32_t end = l->a->output.channels;
    lane lanes[LANES];
    l->job.weights = l->a->weights + group * l->multiplier * l->run_bytes;
    l->job.runs = 1;
    set_bounds(l, 1);
    for (int32_t output = LANES * group * l->multiplier; output < end; output += LANES) {
        const int32_t each = share_lanes(l, output, dpl_least(LANES, end - output), lines, lanes);
        for (int32_t i = 0; i < LANES - 1; i++) {
            l->job.steps[i] = lanes[i + 1].out - lanes[i].out;
        }
        pieces(l, line, each, 0, 0, lanes);
        l->job.weights += l->run_bytes;
    }
}

/* Lines of groups, all lines where these are several. */
static void band(layer *l, int32_t group, int32_t groups, int32_t line, int32_t lines) {
    const int32_t whole = l->a->input.channels / LANES - group;
    if (whole > 0) {
        l->job.runs = l->multiplier;
        set_bounds(l, l->multiplier > 1);
        for (int32_t i = 0; i < LANES - 1; i++) {
            l->job.steps[i] = l->multiplier;
        }
        pieces(l, line, lines, group, dpl_least(groups, whole), 0);
    }
    if (whole < groups) {
        last_channels(l, group + whole, line, lines);
    }
}

void dpl_depthwise_conv2d_s8__xpulpv2_pairs(const dpl_depthwise_conv2d_s8_args *a) {
    int8_t *room = (int8_t *)a->scratch + dpl_core_id() * DPL_PAIRED_ROOM_BYTES;
    layer *l = (layer *)(void *)room;
    enter(a, l);
    const int32_t groups = (a->input.channels + LANES - 1) / LANES, lines = l->along->outputs;
    const int32_t idle = -groups & (DPL_CLUSTER_CORES - 1);
    const int even = idle <= groups >> 3;
    const dpl_share share = dpl_core_share(even ? groups : groups * lines);
    const int32_t most = (groups * lines + DPL_CLUSTER_CORES - 1) / DPL_CLUSTER_CORES;
    size_pieces(a, l, even ? lines : dpl_least(lines, most));
    enter_scratch(a, l);
    if (even) {
        band(l, share.begin, share.end - share.begin, 0, lines);
        return;
    }
    int32_t group = share.begin / lines, line = share.begin - group * lines;
    for (int32_t left = share.end - share.begin, count; left > 0; left -= count, line = 0) {
        const int32_t whole = line > 0 || left < lines ? 0 : left / lines;
        count = whole > 0 ? whole * lines : dpl_least(left, lines - line);
        band(l, group, whole > 0 ? whole : 1, line, whole > 0 ? lines : count);
        group += whole > 0 ? whole : 1;
    }
}
