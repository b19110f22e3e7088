/* Pools by strips: a body. A file has `folded`, an element of the strip, PADDING, what padded ones
 * are, `fold_rows`, which folds the taps of some rows into the strip, `finish_block`, which makes a
 * block's outputs of it, and `in_columns`: whether blocks of one row are made down the columns,
 * each row from the one above, `is_column`: whether all pixels are rows of one column, and
 * `is_alone`, whether the only output pixel is made by itself, by `make_alone`. */

/* The barrier keeps gcc from a call of memset, which a freestanding program may lack. */
static void fill_padding(folded *to, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        to[i] = PADDING;
        __asm__ volatile("" : : : "memory");
    }
}

/* The strip's columns outside of the input, and all of a row without taps; sums of windows need
 * none. */
static void pad_row(const pool_block *b, int32_t begin, int32_t end, folded *to) {
    if (begin > 0) {
        fill_padding(to, begin * b->channels);
    }
    if (end < b->wide) {
        fill_padding(to + end * b->channels, (b->wide - end) * b->channels);
    }
}

static void fill_strip(const args *a, pool_block *b, folded *strip) {
    for (int32_t r = 0; r < b->rows;) {
        alike_rows rows = alike_from(a, b, r);
        const int none = rows.taps.y.begin == rows.taps.y.end || b->begin == b->end;
        folded *to = strip + r * b->pitch;
        if (!none) {
            fold_rows(a, b, &rows, to);
        }
        const int32_t padded = none || b->added == b->taps ? rows.count : 0;
        for (int32_t i = 0; i < padded; i++) {
            pad_row(b, none ? b->wide : b->begin, none ? b->wide : b->end, to + i * b->pitch);
        }
        r += rows.count;
    }
}

/* The strip, its blocks, and the output rows of this core. */
typedef struct {
    pool_blocks blocks;
    dpl_share rows;
    dpl_tensor_s8 input, output;
} pool_work;

static void make_block(const args *a, const pool_work *p, int32_t y, int32_t x, int32_t channel) {
    pool_block b = pool_block_at(&p->blocks, &a->window, &p->input, &p->output, x, channel);
    folded *strip = a->scratch;
    b.y = y;
    b.rows = least_of(p->blocks.rows, p->rows.end - y);
    b.follows = p->blocks.rows == 1 && y > p->rows.begin && in_columns(a);
    fill_strip(a, &b, strip + b.origin);
    finish_block(a, &b, strip);
}

/* The blocks of a row of them, or, where blocks are in columns, one at a time. */
static void make_blocks(const args *a, const pool_work *p, int32_t y) {
    for (int32_t x = 0; x < p->output.width; x += p->blocks.columns) {
        for (int32_t c = 0; c < p->output.channels; c += p->blocks.channels) {
            make_block(a, p, y, x, c);
        }
    }
}

static void make_columns(const args *a, const pool_work *p) {
    for (int32_t x = 0; x < p->output.width; x += p->blocks.columns) {
        for (int32_t c = 0; c < p->output.channels; c += p->blocks.channels) {
            for (int32_t y = p->rows.begin; y < p->rows.end; y++) {
                make_block(a, p, y, x, c);
            }
        }
    }
}

static void make_pool(const args *a) {
    const dpl_tensor_s8 input = shape_of(&a->input), output = shape_of(&a->output);
    const pool_work p = {pool_blocks_of(&a->window, &output, DPL_POOL_STRIP),
                         dpl_core_share(a->output.height), input, output};
    if (p.blocks.rows == 1 && in_columns(a)) {
        make_columns(a, &p);
        return;
    }
    for (int32_t y = p.rows.begin; y < p.rows.end; y += p.blocks.rows) {
        make_blocks(a, &p, y);
    }
}

/* Pixels one below the other, of a window as narrow: its rows may be columns, where it slides by
 * one, or a pixel is short for a run. */
static int is_line(const args *a) {
    const dpl_window *w = &a->window;
    const int narrow = a->input.width == 1 && a->output.width == 1 && w->kernel_width == 1 &&
                       a->input.row_pitch == a->input.pixel_pitch;
    const int padded = w->pads.left != 0 || w->pads.right != 0;
    const int rings = a->input.ring_height != 0 || a->output.ring_height != 0;
    const int run = w->stride_height == 1 || a->input.channels < DPL_POOL_CHANNELS / 2;
    return narrow && run && !padded && !rings && a->output.height > 1;
}

static void lie_down(tensor *t) {
    t->width = t->height;
    t->height = 1;
    t->pixel_pitch = t->row_pitch;
}

/* Rows become columns, so that few of them are a long run. */
static void make_line(args *a) {
    dpl_window *w = &a->window;
    w->kernel_width = w->kernel_height;
    w->stride_width = w->stride_height;
    w->dilation_width = w->dilation_height;
    w->pads.left = w->pads.top;
    w->pads.right = w->pads.bottom;
    w->kernel_height = w->stride_height = w->dilation_height = 1;
    w->pads.top = w->pads.bottom = 0;
    lie_down(&a->input);
    lie_down(&a->output);
    make_pool(a);
}

static void make_column(args *a) {
    a->window.kernel_height = a->input.height *= a->input.width;
    a->window.kernel_width = a->input.width = a->window.dilation_height = 1;
    a->input.row_pitch = a->input.pixel_pitch;
    make_pool(a);
}

/* The barrier keeps gcc from a call of memcpy, which a freestanding program may lack. */
void KERNEL(const args *a) {
    const int line = is_line(a);
    args turned;
    if (is_alone(a)) {
        make_alone(a);
        return;
    }
    if (!line && !is_column(a)) {
        make_pool(a);
        return;
    }
    for (uint32_t i = 0; i < sizeof turned; i += 4) {
        store_word((int8_t *)&turned + i, load_word((const int8_t *)a + i));
        __asm__ volatile("" : : : "memory");
    }
    (line ? make_line : make_column)(&turned);
}
