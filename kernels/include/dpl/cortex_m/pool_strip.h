/* Pools by strips: a body. A file has `folded`, an element of the strip, PADDING, what padded ones
 * are, `fold_rows`, which folds the taps of some rows into the strip, and `finish_block`, which
 * makes a block's outputs of it. */

/* The barrier keeps gcc from a call of memset, which a freestanding program may lack. */
static void fill_padding(folded *to, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        to[i] = PADDING;
        __asm__ volatile("" : : : "memory");
    }
}

/* The strip's columns outside of the input, and all of a row without taps. */
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
        for (int32_t i = 0; i < rows.count; i++) {
            pad_row(b, none ? b->wide : b->begin, none ? b->wide : b->end, to + i * b->pitch);
        }
        r += rows.count;
    }
}

void KERNEL(const args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    const dpl_tensor_s8 input = shape_of(&a->input), output = shape_of(&a->output);
    const pool_blocks blocks = pool_blocks_of(&a->window, &output, DPL_POOL_STRIP);
    for (int32_t y = rows.begin; y < rows.end; y += blocks.rows) {
        for (int32_t x = 0; x < output.width; x += blocks.columns) {
            for (int32_t c = 0; c < output.channels; c += blocks.channels) {
                pool_block b = pool_block_at(&blocks, &a->window, &input, &output, x, c);
                b.y = y;
                b.rows = least_of(blocks.rows, rows.end - y);
                folded *strip = a->scratch;
                fill_strip(a, &b, strip + b.origin);
                finish_block(a, &b, strip);
            }
        }
    }
}
