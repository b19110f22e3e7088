/* A QEMU TCG plugin: what a guest executes inside marked regions, block by block.
 *
 * A region begins when the guest executes one of the addresses in `regions` and ends at `end`, or
 * where the next one begins. For every region entered it writes to `out`
 *
 *     R <number> <instructions> <loads> <stores> <mispredicted> <data misses> <fetch misses>
 *     B <address> <instructions> <bytes> <executions> <mispredicted>   a line per translated block
 *     I <address> <same bank> <unaligned>                  a line per instruction that has either
 *     O <missed> <streamed> <streamed, missed>             where there is a second cache
 *
 * `same bank` counts the loads of an even or odd word right behind a load of one of the same kind,
 * in the instruction before; `unaligned` those of an address that is no multiple of their size, or
 * with `granule` that cross a multiple of so many bytes.
 *
 * Instruction, load and store counts are exact. The branch predictor (a two-bit counter for each
 * block) and the caches (set-associative, allocating on reads and writes) are models. They replace
 * pseudo-randomly, the same way in every run, or with `replace=0` what was least recently used.
 * Addresses from `tight` up to `tight_end`, or `tight_code` up to `tight_code_end`, never go
 * through a cache.
 *
 * QEMU does nothing for PLD and tells no registers, so one counts only right behind a load from the
 * same register plus a constant, which tells its address. The line it prefetches is there
 * `prefetch` instructions later, or as many after the one prefetched before it; 0: PLD does
 * nothing.
 *
 * With `osize` and `oways` a second cache stands behind those of data and code. `missed` are its
 * misses but for lines that were asked for ahead: those that a prefetcher like that of a Cortex-A53
 * finds [Arm DDI 0500, 6.6.2: two streams, a fixed distance of at most four lines, after two
 * linefills of it]. These are `streamed` where the second cache has them, else `streamed, missed`.
 *
 * With `turns` the first so many regions are turns of as many cores on the one that QEMU has: from
 * such a region on, the first caches and the prefetcher are those of that core.
 *
 * Arguments: regions=FILE (a hexadecimal address a line; its number is the line's), end=ADDRESS,
 * out=FILE, dsize=, dways=, isize=, iways=, line= (bytes), tight=, tight_end=, tight_code=,
 * tight_code_end=, prefetch=, replace=, granule=, osize=, oways=, turns=.
 *
 * The declarations are this file's own statement of what it uses of version 1 of the interface: no
 * header of QEMU is needed, and distributions package none. */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t plugin_id;
typedef struct qemu_plugin_tb plugin_tb;
typedef struct qemu_plugin_insn plugin_insn;
typedef void (*on_translation)(plugin_id, plugin_tb *);
typedef void (*on_execution)(unsigned, void *);
typedef void (*on_access)(unsigned, uint32_t, uint64_t, void *);
typedef void (*on_end)(plugin_id, void *);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, on_translation);
void qemu_plugin_register_vcpu_tb_exec_cb(plugin_tb *, on_execution, int, void *);
void qemu_plugin_register_vcpu_mem_cb(plugin_insn *, on_access, int, int, void *);
void qemu_plugin_register_atexit_cb(plugin_id, on_end, void *);
size_t qemu_plugin_tb_n_insns(const plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const plugin_tb *);
plugin_insn *qemu_plugin_tb_get_insn(const plugin_tb *, size_t);
size_t qemu_plugin_insn_size(const plugin_insn *);
const void *qemu_plugin_insn_data(const plugin_insn *);
uint64_t qemu_plugin_insn_vaddr(const plugin_insn *);
bool qemu_plugin_mem_is_store(uint32_t);
unsigned qemu_plugin_mem_size_shift(uint32_t);

#define EXPORTED __attribute__((visibility("default")))
enum { NO_REGISTERS = 0, READS_AND_WRITES = 3, BUCKETS = 4096, TAKEN = 2, SURELY_TAKEN = 3 };
enum { BANK_BIT = 4 }; /* of an address: even or odd word */
enum { STREAMS = 2, FARTHEST_LINES = 4, MOST_TURNS = 8 };

EXPORTED int qemu_plugin_version = 1;

typedef struct block {
    uint64_t address;
    uint32_t instructions, bytes;
    uint64_t count, mispredicted;
    int region;          /* entered here, -1 if none; END_OF_REGION */
    unsigned prediction; /* 0 to 3 */
    struct block *next, *next_in_bucket;
} block;

enum { NO_REGION = -1, END_OF_REGION = -2 };

/* An instruction of a translated block. */
typedef struct access {
    uint64_t address;
    int32_t preload; /* bytes from what it loads to what a PLD right behind it prefetches */
    uint64_t same_bank, unaligned;
    const struct access *before; /* in the block */
    struct access *next;
} access;

typedef struct {
    uint64_t size, ways, line, sets;
    uint64_t *tags, *ages;
    uint64_t *ready; /* of a prefetched line: when it is there, in instructions */
    uint64_t clock, last, random;
} cache;

/* Lines at a fixed distance one after the other: the last, the distance (0 where there is only one
 * so far), when it was seen. */
typedef struct {
    int64_t line, distance;
    uint64_t age;
} stream;

static block *buckets[BUCKETS];
static block *blocks;
static block *before; /* the block executed last */
static access *accesses;
static const access *loaded; /* the instruction that loaded last, and from where */
static uint64_t loaded_from;
static int current = NO_REGION;
static uint64_t *begins;
static size_t begin_count;
static uint64_t end_address, tight, tight_end, tight_code, tight_code_end;
static FILE *out;
static uint64_t instructions, loads, stores, mispredicted, data_misses, fetch_misses;
static uint64_t replace_randomly = 1;
static uint64_t executed, filled, prefetch; /* instructions: so far, until the last line is there */
static cache data = {.size = 16384, .ways = 4, .line = 32},
             code = {.size = 16384, .ways = 2, .line = 32}, outer;
static stream streams[STREAMS];
static uint64_t granule, outer_missed, streamed, streamed_missed, seen, turns;

/* What a core has for itself, while another one has its turn. */
static struct {
    cache data, code;
    stream streams[STREAMS];
} parked[MOST_TURNS];
static size_t own; /* the core whose turn it is */

static void *allocated(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "profiler: out of memory\n");
        exit(1);
    }
    return memory;
}

static void cache_start(cache *c) {
    c->sets = c->size / (c->ways * c->line);
    c->tags = allocated(c->sets * c->ways, sizeof *c->tags);
    c->ages = allocated(c->sets * c->ways, sizeof *c->ages);
    c->ready = allocated(c->sets * c->ways, sizeof *c->ready);
    c->random = 1;
}

/* A way to replace: xorshift [Marsaglia 2003], the same sequence in every run. */
static uint64_t random_way(cache *c) {
    c->random ^= c->random << 13;
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return c->random % c->ways;
}

/* Whether the line of the address was there; it is afterwards, in way `last`. Age 0 marks an empty
 * way. */
static bool cache_hit(cache *c, uint64_t address) {
    uint64_t line = address / c->line;
    uint64_t first = line % c->sets * c->ways, oldest = first;
    c->clock++;
    for (uint64_t way = first; way < first + c->ways; way++) {
        if (c->ages[way] && c->tags[way] == line) {
            c->ages[way] = c->clock;
            c->last = way;
            return true;
        }
        if (c->ages[way] < c->ages[oldest]) {
            oldest = way;
        }
    }
    if (replace_randomly && c->ages[oldest]) {
        oldest = first + random_way(c);
    }
    c->tags[oldest] = line;
    c->ages[oldest] = c->clock;
    c->ready[oldest] = 0;
    c->last = oldest;
    return false;
}

/* Whether the line was asked for ahead: it follows two at the same distance. Else it may begin a
 * stream, in place of the one that was seen the longest ago. */
static bool is_streamed(int64_t line) {
    stream *old = streams;
    seen++;
    for (stream *s = streams; s < streams + STREAMS; s++) {
        int64_t distance = line - s->line;
        if (s->age && distance && llabs(distance) <= FARTHEST_LINES) {
            bool follows = distance == s->distance;
            *s = (stream){line, distance, seen};
            return follows;
        }
        old = s->age < old->age ? s : old;
    }
    *old = (stream){line, 0, seen};
    return false;
}

/* A line that the first caches lack, from the second cache or from behind it. */
static void fetch_outer(uint64_t address, bool ahead) {
    if (!outer.size) {
        return;
    }
    bool hit = cache_hit(&outer, address);
    if (ahead) {
        streamed += hit;
        streamed_missed += !hit;
    } else {
        outer_missed += !hit;
    }
}

static int region_at(uint64_t address) {
    if (address == end_address) {
        return END_OF_REGION;
    }
    for (size_t i = 0; i < begin_count; i++) {
        if (begins[i] == address) {
            return (int)i;
        }
    }
    return NO_REGION;
}

/* The record of a block, the same one when it is translated again. */
static block *block_of(uint64_t address, uint32_t count, uint32_t bytes) {
    block **bucket = &buckets[((address >> 1) ^ (address >> 13) ^ count) % BUCKETS];
    for (block *b = *bucket; b; b = b->next_in_bucket) {
        if (b->address == address && b->instructions == count && b->bytes == bytes) {
            return b;
        }
    }
    block *b = allocated(1, sizeof *b);
    *b = (block){address, count, bytes, 0, 0, region_at(address), TAKEN, blocks, *bucket};
    blocks = *bucket = b;
    return b;
}

static void give_turn(size_t to) {
    parked[own].data = data;
    parked[own].code = code;
    memcpy(parked[own].streams, streams, sizeof streams);
    data = parked[to].data;
    code = parked[to].code;
    memcpy(streams, parked[to].streams, sizeof streams);
    own = to;
}

static void region_begin(int number) {
    if ((uint64_t)number < turns) {
        give_turn((size_t)number);
    }
    for (block *b = blocks; b; b = b->next) {
        b->count = b->mispredicted = 0;
    }
    for (access *a = accesses; a; a = a->next) {
        a->same_bank = a->unaligned = 0;
    }
    loaded = NULL;
    instructions = loads = stores = mispredicted = data_misses = fetch_misses = 0;
    outer_missed = streamed = streamed_missed = 0;
    before = NULL;
    current = number;
}

static void region_end(void) {
    if (current < 0) {
        return;
    }
    fprintf(out, "R %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
            current, instructions, loads, stores, mispredicted, data_misses, fetch_misses);
    for (const block *b = blocks; b; b = b->next) {
        if (b->count) {
            fprintf(out, "B %" PRIx64 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 "\n",
                    b->address, b->instructions, b->bytes, b->count, b->mispredicted);
        }
    }
    for (const access *a = accesses; a; a = a->next) {
        if (a->same_bank || a->unaligned) {
            fprintf(out, "I %" PRIx64 " %" PRIu64 " %" PRIu64 "\n", a->address, a->same_bank,
                    a->unaligned);
        }
    }
    if (outer.size) {
        fprintf(out, "O %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", outer_missed, streamed,
                streamed_missed);
    }
    fflush(out); /* the emulator may be killed once the last one has ended */
    current = NO_REGION;
}

/* How the block before ended, against what its counter had said. */
static void predict(const block *now) {
    bool taken = now->address != before->address + before->bytes;
    bool wrong = taken != (before->prediction >= TAKEN);
    mispredicted += wrong;
    before->mispredicted += wrong;
    if (taken && before->prediction < SURELY_TAKEN) {
        before->prediction++;
    } else if (!taken && before->prediction > 0) {
        before->prediction--;
    }
}

/* Constants among code are loaded as data. */
static bool is_tight(uint64_t address) {
    return (address >= tight && address < tight_end) ||
           (address >= tight_code && address < tight_code_end);
}

static void fetch(const block *b) {
    uint64_t end = b->address + b->bytes;
    if (is_tight(b->address)) {
        return;
    }
    for (uint64_t at = b->address / code.line * code.line; at < end; at += code.line) {
        if (!cache_hit(&code, at)) {
            fetch_misses++;
            fetch_outer(at, false);
        }
    }
}

static void on_block(unsigned cpu, void *user) {
    block *b = user;
    (void)cpu;
    if (b->region != NO_REGION) {
        region_end();
        if (b->region >= 0) {
            region_begin(b->region);
        }
    }
    if (current < 0) {
        return;
    }
    if (before) {
        predict(b);
    }
    b->count++;
    instructions += b->instructions;
    executed += b->instructions;
    fetch(b);
    before = b;
}

/* A prefetched line that is not there yet is waited for as one that was not prefetched. */
static bool data_hit(uint64_t address) {
    bool hit = cache_hit(&data, address) && data.ready[data.last] <= executed;
    data.ready[data.last] = 0;
    return hit;
}

/* Lines come one after the other. */
static void prefetch_line(uint64_t address) {
    if (!is_tight(address) && !cache_hit(&data, address)) {
        filled = (filled > executed ? filled : executed) + prefetch;
        data.ready[data.last] = filled;
    }
}

/* Whether it crosses a multiple of the granule, or is no multiple of its own size. */
static bool is_unaligned(uint32_t info, uint64_t address) {
    uint64_t size = UINT64_C(1) << qemu_plugin_mem_size_shift(info);
    if (!granule) {
        return address % size != 0;
    }
    return address % granule + (size < granule ? size : granule) > granule;
}

static void on_load(uint32_t info, uint64_t address, access *now) {
    loads++;
    now->unaligned += is_unaligned(info, address);
    now->same_bank += now->before && now->before == loaded && !((address ^ loaded_from) & BANK_BIT);
    loaded = now;
    loaded_from = address;
}

static void on_memory(unsigned cpu, uint32_t info, uint64_t address, void *user) {
    access *now = user;
    (void)cpu;
    if (current < 0) {
        return;
    }
    if (qemu_plugin_mem_is_store(info)) {
        stores++;
    } else {
        on_load(info, address, now);
    }
    if (!is_tight(address) && !data_hit(address)) {
        data_misses++;
        fetch_outer(address, outer.size && is_streamed((int64_t)(address / data.line)));
    }
    if (now->preload && prefetch) {
        prefetch_line(address + (uint64_t)(int64_t)now->preload);
    }
}

/* A Thumb instruction that takes its address from register `base` and a constant. */
typedef struct {
    enum { NEITHER, LOAD, PRELOAD } kind;
    uint32_t base;
    int32_t offset;
} addressed;

/* LDR (immediate) without write-back, and PLD (immediate) [ARMv7-M ARM, A7.7.43 and A7.7.94]. */
static addressed decode(const plugin_insn *instruction) {
    uint16_t half[2] = {0, 0};
    size_t size = qemu_plugin_insn_size(instruction);
    memcpy(half, qemu_plugin_insn_data(instruction), size < 4 ? 2 : 4);
    uint32_t base = half[0] & 15, far = half[1] & 0xFFF;
    if (size == 2) {
        bool is_load = half[0] >> 11 == 0xD;
        return (addressed){is_load ? LOAD : NEITHER, half[0] >> 3 & 7, (half[0] >> 6 & 31) * 4};
    }
    if (half[0] >> 4 == 0xF8D) {
        return (addressed){LOAD, base, (int32_t)far};
    }
    if (half[0] >> 4 == 0xF85 && (half[1] & 0xF00) == 0xC00) {
        return (addressed){LOAD, base, -(int32_t)(half[1] & 0xFF)};
    }
    if (half[0] >> 4 == 0xF89 && half[1] >> 12 == 0xF) {
        return (addressed){PRELOAD, base, (int32_t)far};
    }
    return (addressed){NEITHER, 0, 0};
}

/* Bytes from what instruction `i` loads to what the PLD right behind it prefetches; 0: none. */
static int32_t preload_behind(plugin_tb *tb, size_t i) {
    if (i + 1 >= qemu_plugin_tb_n_insns(tb)) {
        return 0;
    }
    addressed load = decode(qemu_plugin_tb_get_insn(tb, i));
    addressed next = decode(qemu_plugin_tb_get_insn(tb, i + 1));
    bool pair = load.kind == LOAD && next.kind == PRELOAD && load.base == next.base;
    return pair ? next.offset - load.offset : 0;
}

static void on_translate(plugin_id id, plugin_tb *tb) {
    (void)id;
    size_t count = qemu_plugin_tb_n_insns(tb);
    uint32_t bytes = 0;
    access *earlier = NULL;
    for (size_t i = 0; i < count; i++) {
        plugin_insn *instruction = qemu_plugin_tb_get_insn(tb, i);
        bytes += (uint32_t)qemu_plugin_insn_size(instruction);
        access *now = allocated(1, sizeof *now);
        *now = (access){.address = qemu_plugin_insn_vaddr(instruction),
                        .preload = preload_behind(tb, i),
                        .before = earlier,
                        .next = accesses};
        accesses = earlier = now;
        qemu_plugin_register_vcpu_mem_cb(instruction, on_memory, NO_REGISTERS, READS_AND_WRITES,
                                         now);
    }
    block *b = block_of(qemu_plugin_tb_vaddr(tb), (uint32_t)count, bytes);
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, NO_REGISTERS, b);
}

static void on_exit(plugin_id id, void *user) {
    (void)id;
    (void)user;
    region_end();
    fclose(out);
}

/* Bit 0 of a Thumb function's address is no part of where it lies. */
static uint64_t address_in(const char *text, int base) {
    return strtoull(text, NULL, base) & ~UINT64_C(1);
}

static bool read_regions(const char *path) {
    FILE *file = fopen(path, "r");
    char line[64];
    if (!file) {
        return false;
    }
    while (fgets(line, sizeof line, file)) {
        begins = realloc(begins, (begin_count + 1) * sizeof *begins);
        if (!begins) {
            return false;
        }
        begins[begin_count++] = address_in(line, 16);
    }
    return !fclose(file);
}

static bool take(const char *key, const char *value) {
    const struct {
        const char *name;
        uint64_t *into;
    } sizes[] = {{"dsize", &data.size},
                 {"dways", &data.ways},
                 {"isize", &code.size},
                 {"iways", &code.ways},
                 {"line", &data.line},
                 {"tight", &tight},
                 {"tight_end", &tight_end},
                 {"prefetch", &prefetch},
                 {"tight_code", &tight_code},
                 {"tight_code_end", &tight_code_end},
                 {"replace", &replace_randomly},
                 {"granule", &granule},
                 {"osize", &outer.size},
                 {"oways", &outer.ways},
                 {"turns", &turns}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (!strcmp(key, sizes[i].name)) {
            *sizes[i].into = strtoull(value, NULL, 0);
            return true;
        }
    }
    if (!strcmp(key, "regions")) {
        return read_regions(value);
    }
    if (!strcmp(key, "end")) {
        end_address = address_in(value, 0);
        return true;
    }
    return !strcmp(key, "out") && (out = fopen(value, "w"));
}

EXPORTED int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
    (void)info;
    for (int i = 0; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (!value) {
            fprintf(stderr, "profiler: no value in %s\n", argv[i]);
            return 1;
        }
        *value++ = 0;
        if (!take(argv[i], value)) {
            fprintf(stderr, "profiler: cannot use %s=%s\n", argv[i], value);
            return 1;
        }
    }
    if (!out) {
        fprintf(stderr, "profiler: out=FILE is missing\n");
        return 1;
    }
    if (turns > MOST_TURNS) {
        fprintf(stderr, "profiler: turns of %d cores at most\n", MOST_TURNS);
        return 1;
    }
    code.line = outer.line = data.line;
    for (size_t core = 1; core < turns; core++) {
        parked[core].data = data;
        parked[core].code = code;
        cache_start(&parked[core].data);
        cache_start(&parked[core].code);
    }
    cache_start(&data);
    cache_start(&code);
    if (outer.size) {
        cache_start(&outer);
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    qemu_plugin_register_atexit_cb(id, on_exit, NULL);
    return 0;
}
