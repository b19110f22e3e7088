#include "network.h"

#include "dpl_port.h"
#include "fetch.h"

#ifdef DPL_LATE_OUTPUTS
#include "dpl/tiles.h"
#endif

static bool has_run;

bool dpl_has_run(void) {
    return has_run;
}

bool dpl_input_size_right(void) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < DPL_NETWORK.input_count; i++) {
        sum += DPL_NETWORK.inputs[i].bytes;
    }
    return sum == DPL_INPUT_BYTES;
}

/* The harness is the sensor of an input that comes by rows. */
static void give_rows(void *context, const dpl_rows *rows) {
    (void)context;
    uint32_t from = (uint32_t)(rows->first_row * rows->row_bytes);
    for (int32_t i = 0; i < rows->input; i++) {
        from += DPL_NETWORK.inputs[i].bytes;
    }
    dpl_input_read(from, (uint8_t *)rows->into, (uint32_t)(rows->count * rows->row_bytes));
}

static void copy_input(void) {
    uint32_t from = 0;
    if (DPL_NETWORK.input_rows) {
        DPL_NETWORK.input_rows(give_rows, 0);
    }
    for (uint32_t i = 0; i < DPL_NETWORK.input_count; i++) {
        const dpl_io *input = &DPL_NETWORK.inputs[i];
        if (input->data) {
            dpl_input_read(from, (uint8_t *)input->data, input->bytes);
        }
        from += input->bytes;
    }
}

/* Where no step does, nothing is asked between two counters. */
static bool on_one_core(uint32_t index) {
#ifdef DPL_SINGLE_CORE_STEPS
    return DPL_NETWORK.single_core[index];
#else
    (void)index;
    return false;
#endif
}

/* In place, since what stands between two steps is waited for. */
static inline __attribute__((always_inline)) void run_step(uint32_t index) {
    const dpl_step *step = &DPL_NETWORK.steps[index];
    dpl_fetch_for(index);
    if (!step->run) {
        return; /* a Concat whose parts lie in their places */
    }
    if (on_one_core(index)) {
        step->run();
    } else {
        dpl_port_fork(step->run);
    }
}

void dpl_run(void) {
    copy_input();
    for (uint32_t i = 0; i < DPL_NETWORK.step_count; i++) {
        run_step(i);
    }
    has_run = true;
}

static void run_steps(dpl_step_done done) {
    copy_input();
    for (uint32_t i = 0; i < DPL_NETWORK.step_count; i++) {
        uint32_t before = dpl_port_counter();
        run_step(i);
        uint32_t after = dpl_port_counter();
        (void)dpl_port_microseconds();
        done(i, after - before);
    }
    has_run = true;
}

#ifdef DPL_COUNTED_STEPS

#define COUNTS_UNSEEN (1u << 28)

/* Transfers end while `done` takes its time, which is as long as the console is slow: steps that
 * wait for them would count less than in a run of their own. */
static struct {
    uint32_t counts[DPL_COUNTED_STEPS];
    dpl_step_done done;
} counted;

/* A step's count ends where the next one's begins, so that they sum up to the whole. The port's
 * clock looks at the counter, which wraps, often enough. */
static void count_steps(void) {
    copy_input();
    uint32_t before = dpl_port_counter(), seen = before;
    for (uint32_t i = 0; i < DPL_NETWORK.step_count; i++) {
        run_step(i);
        uint32_t now = dpl_port_counter();
        counted.counts[i] = now - before;
        before = now;
        if (now - seen >= COUNTS_UNSEEN) {
            (void)dpl_port_microseconds();
            seen = now;
        }
    }
}

/* `done` reads a step's output, which may be on its way. */
static void settle(void) {
#ifdef DPL_LATE_OUTPUTS
    dpl_settle_tiles();
#endif
}

static void tell(uint32_t index, uint32_t counts) {
    (void)counts;
    settle();
    counted.done(index, counted.counts[index]);
}

void dpl_run_counted(dpl_step_done done) {
    count_steps();
    counted.done = done;
    run_steps(tell);
}

#else

void dpl_run_counted(dpl_step_done done) {
    run_steps(done);
}

#endif
