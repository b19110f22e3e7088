/* A program for the machine at hand or for QEMU's user mode: the blob is a file. */
#include <stdio.h>
#include <stdlib.h>

#include "port.h"

void put_text(const char *text) {
    fputs(text, stdout);
}

static void *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        return NULL;
    }
    long size = ftell(file);
    void *bytes = size > 0 ? malloc((size_t)size) : NULL;
    rewind(file);
    if (bytes != NULL && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        return NULL;
    }
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    void *blob = argc == 2 ? read_file(argv[1]) : NULL;
    if (blob == NULL) {
        fputs("usage: driver BLOB\n", stderr);
        return 2;
    }
    int failed = run_cases(blob) != 0;
    free(blob);
    return failed;
}
