/* DepthwiseConv2d 3x3 of an input that lies channel after channel: products of four where it lies,
 * when zero points have been written around it.
 *
 * It takes 3x3, stride 1 or 2, multiplier 1, rules i32 and shift. pixel_pitch is the distance from
 * a channel's plane to the next one's, row_pitch that of its rows, whose pixels are neighbours; no
 * ring. What lies between the rows, and the pads before the first row and behind the last one, is
 * the kernel's to write: row_pitch is at least the width and the larger of the pads left and right,
 * and planes are as far apart as their pads need.
 *
 * Cores share channels times rows. */
#include "dpl/depthwise_conv2d.h"

#include "dpl/cores.h"
#include "dpl/pulp/border.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/depthwise_run.h"

typedef dpl_depthwise_conv2d_s8_args args;

static void zero_borders(const args *a, const dpl_piece *p, int8_t *plane) {
    const dpl_pads *pads = &a->window.pads;
    dpl_borders b;
    b.plane = plane;
    b.planes = p->channels;
    b.pitch = a->input.pixel_pitch;
    b.row_pitch = a->input.row_pitch;
    b.above = pads->top * b.row_pitch + pads->left;
    b.below = pads->bottom * b.row_pitch + pads->right;
    b.width = a->input.width;
    b.rows = a->input.height - 1;
    b.zeros = dpl_bytes_of(a->input_zero);
    dpl_zero_borders(&b);
}

/* Some rows of one channel, or all of several. */
static void piece(const args *a, dpl_run_3x3 *run, dpl_piece p, dpl_depthwise_run *r) {
    int8_t *plane = a->input.data + p.channel * a->input.pixel_pitch;
    zero_borders(a, &p, plane);
    plane -= a->window.pads.top * r->step + a->window.pads.left;
    const int32_t end = p.y + p.rows;
    for (; p.y < end; p.y += p.rows) {
        p.rows = dpl_rows_in_a_run(&a->output, p.y, end - p.y);
        const int8_t *rows = plane + p.y * a->window.stride_height * r->step;
        dpl_run_piece(a, run, &p, rows, a->input.pixel_pitch, r);
    }
}

void dpl_depthwise_conv2d_s8__xpulpv2_planar(const dpl_depthwise_conv2d_s8_args *a) {
    dpl_run_3x3 *run = dpl_run_of(a);
    const int32_t height = a->output.height;
    const dpl_share share = dpl_core_share(a->output.channels * height);
    dpl_depthwise_run r;
    dpl_enter_runs(a, &r);
    r.step = a->input.row_pitch;
    dpl_piece p = {.channel = share.begin / height, .columns = a->output.width};
    p.y = share.begin - p.channel * height;
    for (int32_t left = share.end - share.begin; left > 0; left -= p.rows * p.channels) {
        const int32_t whole = p.y == 0 ? left / height : 0;
        p.channels = whole > 0 ? whole : 1;
        p.rows = whole > 0 ? height : dpl_least(left, height - p.y);
        piece(a, run, p, &r);
        p.channel += p.channels;
        p.y = 0;
    }
}
