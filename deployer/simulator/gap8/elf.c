/* Loading a 32-bit little-endian RISC-V executable: the memories it was planned for, and the
 * functions it names. */
#include "parts.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint8_t *bytes;
    size_t size;
} file;

static _Noreturn void refuse(const char *path, const char *why) {
    fprintf(stderr, "gap8_sim: %s: %s\n", path, why);
    exit(EXIT_FAULT);
}

static file read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f)
        refuse(path, "cannot be read");
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    file out = {malloc((size_t)size + 1), (size_t)size};
    if (!out.bytes || fread(out.bytes, 1, out.size, f) != out.size)
        refuse(path, "cannot be read");
    fclose(f);
    return out;
}

/* A part of the file, checked against its end. */
static const void *part(const file *f, const char *path, uint64_t offset, uint64_t size) {
    if (offset + size > f->size)
        refuse(path, "is cut short");
    return f->bytes + offset;
}

static const Elf32_Ehdr *header(const file *f, const char *path) {
    const Elf32_Ehdr *h = part(f, path, 0, sizeof *h);
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS32 ||
        h->e_machine != EM_RISCV)
        refuse(path, "is no 32-bit RISC-V executable");
    return h;
}

static void load_segment(machine *m, const file *f, const char *path, const Elf32_Phdr *p) {
    if (p->p_type != PT_LOAD || p->p_filesz == 0)
        return;
    uint8_t *to = plain_memory(m, p->p_paddr, p->p_filesz);
    if (!to)
        refuse(path, "has a segment outside L1, L2 and the memory of the fabric controller");
    memcpy(to, part(f, path, p->p_offset, p->p_filesz), p->p_filesz);
}

static int by_address(const void *a, const void *b) {
    const function *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* A function, or a label of assembly that is global. */
static bool names_code(const Elf32_Sym *s) {
    int type = ELF32_ST_TYPE(s->st_info);
    bool global = ELF32_ST_BIND(s->st_info) == STB_GLOBAL;
    bool inside = s->st_value >= L2_BASE && s->st_value < L2_BASE + LARGEST_L2;
    return inside && s->st_shndx < SHN_LORESERVE && s->st_shndx != SHN_UNDEF &&
           (type == STT_FUNC || (type == STT_NOTYPE && global));
}

static bool executable(const Elf32_Shdr *sections, const Elf32_Sym *s) {
    return names_code(s) && sections[s->st_shndx].sh_flags & SHF_EXECINSTR;
}

/* The symbols of a file and their names. */
typedef struct {
    const Elf32_Sym *first;
    uint32_t count;
    const char *names;
} symbols;

static symbols read_symbols(const file *f, const char *path, const Elf32_Ehdr *h) {
    const Elf32_Shdr *sections = part(f, path, h->e_shoff, h->e_shnum * sizeof *sections);
    for (int s = 0; s < h->e_shnum; s++) {
        if (sections[s].sh_type != SHT_SYMTAB)
            continue;
        const Elf32_Shdr *names = &sections[sections[s].sh_link];
        return (symbols){part(f, path, sections[s].sh_offset, sections[s].sh_size),
                         sections[s].sh_size / (uint32_t)sizeof(Elf32_Sym),
                         part(f, path, names->sh_offset, names->sh_size)};
    }
    return (symbols){0};
}

/* Where the linker put the end of a memory: its size is what the image was planned for. */
static uint32_t size_of(const symbols *s, const char *path, const char *end, uint32_t base,
                        uint32_t usual, uint32_t largest) {
    for (uint32_t i = 0; i < s->count; i++) {
        if (strcmp(s->names + s->first[i].st_name, end))
            continue;
        uint32_t size = s->first[i].st_value - base;
        if (size > largest)
            refuse(path, "has a larger L1 or L2 than is modelled");
        return size > usual ? size : usual;
    }
    return usual;
}

static void load_functions(machine *m, const file *f, const char *path, const Elf32_Ehdr *h,
                           const symbols *s) {
    const Elf32_Shdr *sections = part(f, path, h->e_shoff, h->e_shnum * sizeof *sections);
    function_profile *p = &m->profile;
    p->functions = calloc(s->count + 1, sizeof *p->functions);
    for (uint32_t i = 0; i < s->count; i++)
        if (executable(sections, &s->first[i]))
            p->functions[p->count++] = (function){s->names + s->first[i].st_name,
                                                  s->first[i].st_value, s->first[i].st_size};
    if (p->count)
        qsort(p->functions, p->count, sizeof *p->functions, by_address);
}

uint32_t load_program(machine *m, const char *path) {
    file f = read_file(path);
    const Elf32_Ehdr *h = header(&f, path);
    symbols s = read_symbols(&f, path, h);
    uint32_t l1 = size_of(&s, path, "dpl_l1_end", L1_BASE, L1_SIZE, LARGEST_L1);
    uint32_t l2 = size_of(&s, path, "dpl_l2_end", L2_BASE, L2_SIZE, LARGEST_L2);
    if (!take_memories(m, l1, l2))
        refuse(path, "has memories that this machine cannot hold");
    const Elf32_Phdr *segments = part(&f, path, h->e_phoff, h->e_phnum * sizeof *segments);
    for (int i = 0; i < h->e_phnum; i++)
        load_segment(m, &f, path, &segments[i]);
    load_functions(m, &f, path, h, &s);
    return h->e_entry;
}
