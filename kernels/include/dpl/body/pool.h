/* The function of a pool: `pixel` computes this core's channels of one output pixel. */
void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        dpl_taps taps = taps_of_row(&a->input, &a->window, y);
        element *out = row_of(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++, out += a->output.pixel_pitch) {
            taps_of_column(&taps, &a->input, &a->window, x);
            pixel(a, &taps, part.channels, out);
        }
    }
}
