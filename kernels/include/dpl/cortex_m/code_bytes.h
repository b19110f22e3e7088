/* Loops that a computed jump enters count on the bytes of their instructions. An assembler that
 * would choose others is refused. */
#ifndef DPL_CORTEX_M_CODE_BYTES_H
#define DPL_CORTEX_M_CODE_BYTES_H

#define TEXT_OF_MACRO(NAME) #NAME
#define TEXT_OF(NAME) TEXT_OF_MACRO(NAME)

/* In the text of an asm statement: an error unless the code since label 1 has so many bytes. */
#define ENDS_AT(BYTES)                                                                             \
    "9:\n.if 9b - 1b - (" BYTES ")\n.error \"the loop has other bytes\"\n.endif\n"

#endif
