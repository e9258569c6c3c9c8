/* code.h - getting machine code out of what users have: assembly text, ELF files, raw bytes, hex.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_CODE_H
#define TACHO_CODE_H

#include <stdbool.h>
#include "decode.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tacho_input_kind {
    TACHO_INPUT_AUTO = 0, /**< by content: ELF magic, else assembly text */
    TACHO_INPUT_ASSEMBLY,
    TACHO_INPUT_ELF,
    TACHO_INPUT_RAW, /**< machine code, nothing else */
    TACHO_INPUT_HEX,
} tacho_input_kind;

/** Who reads assembly text. */
typedef enum tacho_assembler {
    TACHO_ASSEMBLER_AUTO = 0, /**< the library (tacho/assemble.h); what it refuses, the GNU assembler */
    TACHO_ASSEMBLER_OWN,      /**< the library alone */
    TACHO_ASSEMBLER_GNU,      /**< `as` */
} tacho_assembler;

/** How to read an input. Initialise with TACHO_CODE_OPTIONS_INIT. Strings are borrowed. */
typedef struct tacho_code_options {
    size_t size;
    tacho_input_kind kind;
    tacho_syntax syntax;
    const char
        *symbol; /**< ELF: this function; or where one begins, "0x...", as .eh_frame tells; NULL none */
    const char *section; /**< ELF: this section; NULL .text */
    bool has_range;
    uint64_t range_start,
        range_end; /**< ELF, raw, hex: addresses (ELF virtual addresses, else offsets), end excluded */
    bool ignore_markers;
    bool keep_source;   /**< assembly text: fill tacho_region.typed */
    const char *region; /**< of the regions between markers the one of this name, or else of this number (from
                             0, decimal); NULL all */
    bool any_section;   /**< where .text is empty and several other sections have code: take the first of them
                             and set several_blocks, instead of failing */
    tacho_assembler assembler;
} tacho_code_options;
#define TACHO_CODE_OPTIONS_INIT TACHO_OPTIONS_INIT(code, .kind = TACHO_INPUT_AUTO)
TACHO_OPTIONS(code);

/** One region of code to analyse. */
typedef struct tacho_region {
    char *name; /**< from the marker or the symbol; NULL if it has none */
    const uint8_t *bytes;
    size_t byte_count;
    uint64_t address; /**< virtual address or offset of the first byte */
    uint64_t line;    /**< 1-based line of the region's start in assembly text, 0 otherwise */
    /** Where the first byte lies in a block of 64 bytes, for tacho_predict_options: as `address` says, where
     *  sections that have no address yet begin at 0. */
    uint32_t alignment;
    uint32_t place_step; /**< 64: it lies there. Less: the linker may move it by multiples of this (assembly
                              text, object files). 0: machine code alone, whose place nobody knows */
    const tacho_typed *typed; /**< with keep_source: what was typed in this region's section, by address; NULL
                                   unknown */
    size_t typed_count;
} tacho_region;

typedef struct tacho_code {
    tacho_input_kind kind; /**< what the input turned out to be */
    tacho_region *regions;
    size_t region_count; /**< at least 1 */
    bool marked;         /**< markers chose the regions */
    bool several_blocks; /**< of an ELF file or assembly text without markers: what was chosen is no straight
                              block, nor a loop of one, but a function with branches, several functions ...;
                              tacho_loops finds what is executed often in it */
    char **warnings;     /**< sentences for people: the assembler's, unclosed regions */
    size_t warning_count;
    const char *
        assembler_note; /**< why the GNU assembler has read the text, and not the library; NULL: it has not */
} tacho_code;

/** Most bytes of an input that are read; most regions that markers may make. */
enum {
    TACHO_MAX_INPUT_BYTES = 256 << 20,
    TACHO_MAX_ASSEMBLY_BYTES = 64 << 20,
    TACHO_MAX_REGIONS = 100000
};

/** Reads `path` ("-": standard input).
 *  @return 0 and *out (free with tacho_code_free); TACHO_ERR_INPUT, TACHO_ERR_SYSTEM, TACHO_ERR_LIMIT ... */
TACHO_API int tacho_code_load(tacho_code **out, const char *path, const tacho_code_options *options,
                              tacho_error *err);
/** The same from memory; `name` is used in messages. */
TACHO_API int tacho_code_from_memory(tacho_code **out, const void *data, size_t size, const char *name,
                                     const tacho_code_options *options, tacho_error *err);
TACHO_API void tacho_code_free(tacho_code *code);

/** Converts hexadecimal text to bytes. Digits come in pairs; white space, commas, "0x" and "\x" may stand
 *  between pairs. `out` must hold length / 2 bytes and may be `text` itself.
 *  @return number of bytes, or TACHO_ERR_INPUT with err->offset the place in the text. */
TACHO_API long tacho_hex_decode(uint8_t *out, const char *text, size_t length, tacho_error *err);

#ifdef __cplusplus
}
#endif
#endif
