/* Lists of fours of pixels (dpl/cortex_m/pixel_taps.h). Pixels of a row are four after another; the
 * last columns, fewer than four, go down four rows at a time, or each row's last four begin
 * earlier, whichever are fewer. */
#ifndef DPL_CORTEX_M_PIXEL_LISTS_H
#define DPL_CORTEX_M_PIXEL_LISTS_H

#include "dpl/cortex_m/pixel_copies.h"

/* A rectangle's fours: what all have in common, bytes from a pixel's output to the one beside it
 * and the one below, and where the next goes. */
typedef struct {
    source from;
    int32_t steps, across;
    int32_t out, out_right, out_down;
    four_pixels *to;
} four_list;

/* From tap t to the next. */
static inline int32_t step_of(const plan *p, const pixel_run *r, const four_pixels *four,
                              int32_t t) {
    if (p->row > 0) {
        return (t + 1) % p->row == 0 ? four->steps : four->across;
    }
    return ((const int32_t *)(r->steps + four->steps))[t];
}

static inline int32_t *put_steps(int32_t *to, int32_t step, int32_t count) {
    for (; count > 0; count--) {
        *to++ = step;
        __asm__("" : "+r"(to)); /* or a loop of zeros becomes a call of memset */
    }
    return to;
}

/* The list of steps of a rectangle: none follows the last tap, nor one that fills up a pair. */
static void list_steps(const plan *p, int32_t across, int32_t down, int32_t *to) {
    const int32_t width = p->a->window.kernel_width;
    int32_t *const last = to + p->taps - 1, *const end = to + step_words(p);
    while (to < last) {
        to = put_steps(to, across, width - 1);
        *to++ = down;
    }
    put_steps(last, 0, (int32_t)(end - last));
}

/* From tap to tap: nine in a row or a column are three rows that follow one another. */
static void plan_steps(const plan *p, int32_t row, int32_t part, four_list *l) {
    const dpl_window *w = &p->a->window;
    const int32_t across = w->dilation_width * p->a->input.channels * SIZE;
    const int32_t down = row - (w->kernel_width - 1) * across;
    l->across = w->kernel_width == 1 ? row : across;
    l->steps = w->kernel_height == 1 ? across : down;
    if (p->row == 0) {
        l->steps = 4 * part * step_words(p);
        list_steps(p, across, down, p->steps + part * step_words(p));
    }
}

/* A pixel, counted from the rectangle's first. */
typedef struct {
    int32_t y, x;
} place;

/* Four from `first` on, the second and third so far behind it, the fourth anywhere. */
static inline void put_four(four_list *l, place first, place apart, place fourth) {
    const source *f = &l->from;
    *l->to++ = (four_pixels){
        .at = f->at + first.y * f->down + first.x * f->right,
        .second = apart.y * f->down + apart.x * f->right,
        .fourth = (fourth.y - first.y) * f->down + (fourth.x - first.x) * f->right,
        .steps = l->steps,
        .across = l->across,
        .out = l->out + first.y * l->out_down + first.x * l->out_right,
        .out_second = apart.y * l->out_down + apart.x * l->out_right,
        .out_fourth = (fourth.y - first.y) * l->out_down + (fourth.x - first.x) * l->out_right};
}

/* A row of so many pixels: four after another, the last four begin earlier. Of fewer than four the
 * last is computed again, or of two the first. */
static void list_row(four_list *l, int32_t y, int32_t columns) {
    const int32_t last = columns < FOUR ? columns - 1 : FOUR - 1, over = columns % FOUR;
    const int32_t back = columns < FOUR ? 0 : (FOUR - over) % FOUR;
    put_four(l, (place){y, 0}, (place){0, columns > 2}, (place){y, last});
    for (int32_t n = (columns - 1) / FOUR; n > 0; n--, l->to++) {
        const int32_t pixels = n > 1 ? FOUR : FOUR - back;
        l->to[0] = l->to[-1];
        l->to->at += pixels * l->from.right;
        l->to->out += pixels * l->out_right;
    }
}

static inline void put_of_column(four_list *l, int32_t y, int32_t x, int32_t rows) {
    const int32_t count = rows < FOUR ? rows : FOUR;
    put_four(l, (place){y, x}, (place){count > 2, 0}, (place){y + count - 1, x});
}

/* Two columns of six rows: three down each time, and one of the last three. */
static void put_twelve(four_list *l, int32_t y, int32_t x) {
    const place down = {1, 0};
    put_four(l, (place){y, x}, down, (place){y + 3, x + 1});
    put_four(l, (place){y + 3, x}, down, (place){y + 4, x + 1});
    put_four(l, (place){y, x + 1}, down, (place){y + 5, x + 1});
}

/* Fewer than four rows and columns, from there on: row by row, or column by column. */
static void list_corner(four_list *l, int32_t y, int32_t rows, int32_t x, int32_t columns) {
    if (rows < columns) {
        for (int32_t end = y + rows; y < end; y++) {
            put_four(l, (place){y, x}, (place){0, columns > 2}, (place){y, x + columns - 1});
        }
        return;
    }
    for (int32_t end = x + columns; x < end; x++) {
        put_of_column(l, y, x, rows);
    }
}

/* Fewer than four columns, from x on. */
static void list_columns(four_list *l, int32_t x, int32_t columns, int32_t rows) {
    const int twelve = columns == 2 && rows % FOUR == 2 && rows > FOUR;
    const int32_t fours = rows / FOUR - twelve;
    int32_t y = 0;
    for (; y < fours * FOUR; y += FOUR) {
        for (int32_t i = 0; i < columns; i++) {
            put_of_column(l, y, x + i, FOUR);
        }
    }
    if (twelve) {
        put_twelve(l, y, x);
    } else {
        list_corner(l, y, rows - y, x, columns);
    }
}

/* How many fours these are. */
static inline int32_t fours_of_columns(int32_t columns, int32_t rows) {
    const int32_t over = rows % FOUR;
    if (columns == 2 && over == 2 && rows > FOUR) {
        return rows / FOUR * 2 + 1;
    }
    return rows / FOUR * columns + (over < columns ? over : columns);
}

static four_pixels *list_fours(const plan *p, const rect *of, const source *from, int32_t part,
                               four_pixels *to) {
    const tensor *output = &p->a->output;
    const int32_t rows = count_of(of->rows), columns = count_of(of->columns), left = columns % FOUR;
    const int by_columns = fours_of_columns(left, rows) < rows;
    const int32_t whole = by_columns ? columns - left : columns;
    four_list l = {.from = *from, .to = to};
    plan_steps(p, from->row, part, &l);
    l.out_right = output->pixel_pitch * SIZE;
    l.out_down = output->row_pitch * SIZE;
    l.out = of->rows.begin * l.out_down + of->columns.begin * l.out_right;
    for (int32_t y = 0; y < rows && whole > 0; y++) {
        list_row(&l, y, whole);
    }
    list_columns(&l, whole, columns - whole, rows);
    return l.to;
}

#endif
