/* source.c - INPUT and the options that say what of it is meant; --init. */
#include <unistd.h>

#include "app/cli/source.h"
#include "app/report/layout.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/suggest.h"
#include "binary/input/compile.h"

/* A 64-bit general register at the start of `text`; *end is what follows. @return its number, -1: none */
static int general_register(const char *text, const char **end)
{
    size_t n = strcspn(text, "=+-");
    for (uint8_t r = 0; r < 16; r++) {
        const char *name = tacho_reg_name((tacho_reg){TACHO_REG_R64, r});
        if (strlen(name) == n && tacho_str_same_n(name, text, n)) {
            *end = text + n;
            return r;
        }
    }
    return -1;
}

static bool unknown_register(const char *name)
{
    tacho_suggest s = {.wanted = name};
    for (uint8_t i = 0; i < 16; i++)
        tacho_suggest_offer(&s, tacho_reg_name((tacho_reg){TACHO_REG_R64, i}));
    return cli_error("--init: '%s' is not a 64-bit general-purpose register%s", name, tacho_suggest_text(&s));
}

static bool init_register(initial_state *s, const char *name, const char *number)
{
    const char *end;
    unsigned long long value;
    bool negative = *number == '-';
    int reg = general_register(name, &end);
    if (reg < 0 || *end)
        return unknown_register(name);
    if (!tacho_parse_u64(number + negative, &value))
        return cli_error("--init: '%s' is not a whole number (decimal, or hexadecimal after 0x)", number);
    s->known[reg] = negative ? 0 - (uint64_t)value : value;
    s->known_mask |= (uint16_t)(1u << reg);
    return true;
}

bool initial_state_parse(void *state, const char *option, const char *value)
{
    initial_state *s = state;
    for (cli_word word; cli_next_word(&value, word);) {
        char *equals = strchr(word, '=');
        if (equals) {
            *equals = '\0';
            if (!init_register(s, word, equals + 1))
                return false;
            continue;
        }
        int init = cli_choice("--init", word, "distinct|aligned|same|REG=VALUE");
        if (init < 0)
            return false;
        s->init = (tacho_init)init;
    }
    return true;
}

/* "rax=rbx+8" */
static bool take_alias(initial_state *s, const char *value)
{
    const char *at = value;
    unsigned long long offset = 0;
    if (s->alias_count == TACHO_MAX_ALIASES)
        return cli_error("--alias: more than %d", TACHO_MAX_ALIASES);
    int reg = general_register(value, &at),
        base = reg >= 0 && *at == '=' ? general_register(at + 1, &at) : -1;
    bool good =
        base >= 0 && (!*at || (*at != '=' && tacho_parse_u64(at + 1, &offset))) && offset <= INT64_MAX;
    if (!good || base == reg)
        return cli_error(
            "--alias %s: wanted REG=REG, REG=REG+N or REG=REG-N of two 64-bit registers, such as rax=rbx+8",
            value);
    for (size_t i = 0; i < s->alias_count; i++)
        if (s->aliases[i].reg == base || s->aliases[i].base == reg || s->aliases[i].reg == reg)
            return cli_error(
                "--alias %s: a register is given once, by another one that is not itself given so", value);
    s->aliases[s->alias_count++] =
        (tacho_alias){(uint8_t)reg, (uint8_t)base, *at == '-' ? -(int64_t)offset : (int64_t)offset};
    return true;
}

static bool parse_aliases(void *state, const char *option, const char *value)
{
    for (cli_word word; cli_next_word(&value, word);)
        if (!take_alias(state, word))
            return false;
    return true;
}

#define CLI_REQUEST initial_state
const cli_option init_rows[] = {
    {CLI_CALL, "init", 0, "STATE distinct|aligned|same",
     "registers before the first iteration: distinct (default),\naligned, same, and/or REG=VALUE,...",
     CLI_ALL, .take = initial_state_parse},
    {.kind = CLI_END},
};

const cli_option alias_rows[] = {
    {CLI_CALL, "alias", 0, "REG=REG+N,...",
     "what is known of pointers before the first iteration:\nrax=rbx+8; may be given several times", CLI_ALL,
     .take = parse_aliases},
    {CLI_SWITCH, "noalias", 0, NULL,
     "no two registers, nor pointers in memory, lead to the same\nplace, whatever --init says, except by "
     "--alias",
     CLI_AT(no_alias)},
    {.kind = CLI_END},
};

static bool parse_range(void *target, const char *option, const char *value)
{
    source *s = target;
    char start[40];
    unsigned long long a, b;
    size_t n = strcspn(value, ":-");
    snprintf(start, sizeof start, "%.*s", (int)(n < 39 ? n : 39), value);
    if (!value[n] || !tacho_parse_u64(start, &a) || !tacho_parse_u64(value + n + 1, &b) || b <= a)
        return cli_error("--range is START:END with END after START, for instance 0x1140:0x1180, not '%s'",
                         value);
    s->code.has_range = true;
    s->code.range_start = a;
    s->code.range_end = b;
    return true;
}

bool source_input(void *target, const char *option, const char *value)
{
    source *s = target;
    if (s->input && !s->takes_two)
        return cli_error("one INPUT at a time: '%s' and '%s'", s->input, value);
    if (s->second)
        return cli_error("two INPUTs at most: '%s', '%s' and '%s'", s->input, s->second, value);
    *(s->input ? &s->second : &s->input) = value;
    return true;
}

#undef CLI_REQUEST
#define CLI_REQUEST source
const cli_option source_rows[] = {
    {CLI_CALL, "", 0, "INPUT", NULL, CLI_ALL, .take = source_input},
    {CLI_CHOICE, "syntax", 0, "SYNTAX auto|intel|att",
     "of assembly text: att or intel (default: AT&T unless the text\nsays .intel_syntax, or is Intel's and "
     "has no '%')",
     CLI_AT(code.syntax)},
    {CLI_CHOICE, "assembler", 0, "WHICH auto|own|gnu",
     "that reads assembly text: tacho's own, or as (gnu); auto\n(default): own, and as for what that refuses",
     CLI_AT(code.assembler)},
    {CLI_STRING, "symbol", 's', "SYMBOL",
     "this function of an object file or executable; where symbols\nare stripped, its address, 0x...",
     CLI_AT(code.symbol)},
    {CLI_STRING, "section", 0, "NAME", "this section (default: .text)", CLI_AT(code.section)},
    {CLI_CALL, "range", 0, "START:END", "addresses (or offsets), END excluded; 0x for hex", CLI_ALL,
     .take = parse_range},
    {CLI_SWITCH, "raw", 0, NULL, "INPUT is machine code and nothing else", CLI_AT(raw)},
    {CLI_STRING, "hex", 0, "BYTES", "this machine code, in place of INPUT", CLI_AT(hex)},
    {CLI_SWITCH, "ignore-markers", 0, NULL, "do not look for IACA, OSACA and LLVM-MCA markers",
     CLI_AT(code.ignore_markers)},
    {CLI_STRING, "region", 0, "NAME", "of several regions between markers this one, by name or number",
     CLI_AT(code.region)},
    {CLI_SWITCH, "list-regions", 0, NULL, "only list the regions of INPUT", CLI_AT(list_regions)},
    {CLI_STRING, "cc", 0, "COMMAND", "INPUT is source code, which this compiles: 'gcc -O3'", CLI_AT(cc)},
    {.kind = CLI_END},
};

const cli_option listing_rows[] = {
    {CLI_CHOICE, "output-syntax", 0, "SYNTAX auto|source|att|intel",
     "of instructions in reports: auto (default: assembly text as\nit was typed, else Intel), source (and "
     "its comments), or\ndisassembled: att, intel",
     CLI_AT(style), .also = "x86-asm-syntax"},
    {CLI_CHOICE, "output-asm-variant", 0, "N 0|1", NULL, CLI_AT(style),
     .low = SOURCE_STYLE_ATT}, /* llvm-mca's */
    {.kind = CLI_END},
};

bool source_check(source *s)
{
    bool chooses = s->code.symbol || s->code.section || s->code.has_range;
    if ((s->hex != NULL) + (s->input != NULL) + (s->batch != NULL) > 1)
        return cli_error("give one of INPUT, --hex and --batch");
    if (s->second && !strcmp(s->input, s->second) && !strcmp(s->input, "-"))
        return cli_error("of two INPUTs one can be standard input");
    if (s->second && s->list_regions)
        return cli_error("--list-regions lists those of one INPUT");
    if (s->code.symbol && s->code.has_range)
        return cli_error("give --symbol or --range, not both");
    if (s->batch && (chooses || s->raw || s->code.syntax || s->style))
        return cli_error("--batch reads machine code in hex; --symbol, --section, --range, --raw, --syntax "
                         "and --output-syntax do not apply");
    if (s->batch && (s->code.region || s->list_regions || s->cc))
        return cli_error("%s does not go with --batch", s->cc            ? "--cc"
                                                        : s->code.region ? "--region"
                                                                         : "--list-regions");
    if (s->cc && (s->hex || s->raw))
        return cli_error("--cc compiles INPUT: it does not go with %s", s->hex ? "--hex" : "--raw");
    if (s->code.ignore_markers && (s->code.region || s->list_regions))
        return cli_error("%s does not go with --ignore-markers",
                         s->code.region ? "--region" : "--list-regions");
    if (!s->hex && !s->input && !s->batch) {
        if (isatty(STDIN_FILENO))
            return cli_error("no INPUT: give a file, - for standard input, --hex BYTES or --batch FILE");
        s->input = "-";
    }
    if (s->raw)
        s->code.kind = TACHO_INPUT_RAW;
    return source_parts_check(s);
}

const char *source_name(const source *s)
{
    return s->hex ? "--hex" : !strcmp(s->input, "-") ? "standard input" : s->input;
}

/* Text may change its syntax: that of the first instruction counts. */
static tacho_syntax syntax_of(const tacho_typed *typed, size_t count, uint64_t address)
{
    size_t i;
    COUNT_BEFORE(i, count, typed[i].address < address);
    for (; i < count; i++)
        if (!typed[i].label)
            return (tacho_syntax)typed[i].syntax;
    return TACHO_SYNTAX_INTEL;
}

tacho_listing source_listing(source_style style, const tacho_typed *typed, size_t typed_count,
                             uint64_t address)
{
    tacho_listing l = {.as_typed = style == SOURCE_STYLE_AUTO || style == SOURCE_STYLE_SOURCE,
                       .with_comments = style == SOURCE_STYLE_SOURCE,
                       .address = address,
                       .typed = typed,
                       .typed_count = typed_count};
    l.syntax = style == SOURCE_STYLE_ATT     ? TACHO_SYNTAX_ATT
               : style == SOURCE_STYLE_INTEL ? TACHO_SYNTAX_INTEL
                                             : syntax_of(typed, typed_count, address);
    return l;
}

static int read_ahead(source *s)
{
    if (!tacho_file_read(s->input, TACHO_MAX_INPUT_BYTES, &s->text, &s->text_size))
        return CLI_OK;
    if (errno == EFBIG)
        return cli_input_error("%s: larger than %d MB", source_name(s), TACHO_MAX_INPUT_BYTES >> 20);
    return cli_input_error("%s: cannot be read: %s", source_name(s), strerror(errno));
}

/* By --cc; the text is the source's then. */
static int compile(source *s)
{
    tacho_str text = {0};
    tacho_error err;
    const int result = tacho_compile(&text, s->cc, s->input, source_name(s), &err);
    if (result) {
        tacho_str_free(&text);
        return cli_status(result, &err);
    }
    s->text = text.data;
    s->text_size = text.length;
    return CLI_OK;
}

/* What --cc says is compiled, and standard input is read, once, so that source_load and source_find_loops can
 * both have it. *text is NULL where the input is a file. @return an exit status; unless CLI_OK with a message
 */
static int prepare(source *s, tacho_code_options *o, const char **text, size_t *size)
{
    int status = CLI_OK;
    if (s->cc && !s->text)
        status = compile(s);
    else if (!s->hex && !s->text && !strcmp(s->input, "-"))
        status = read_ahead(s);
    *o = s->code;
    o->keep_source = true;
    if (s->hex)
        o->kind = TACHO_INPUT_HEX;
    *text = s->hex ? s->hex : s->text;
    *size = s->hex ? strlen(s->hex) : s->text_size;
    return status;
}

void source_free(source *s)
{
    tacho_mem_free(s->text);
    s->text = NULL;
}

int source_load(source *s, tacho_code **code)
{
    tacho_error err;
    tacho_code_options o;
    const char *text;
    size_t size;
    int status = prepare(s, &o, &text, &size);
    if (status)
        return status;
    int result = text ? tacho_code_from_memory(code, text, size, source_name(s), &o, &err)
                      : tacho_code_load(code, s->input, &o, &err);
    return cli_status(result, &err);
}

int source_find_loops(source *s, tacho_loops_options *options, tacho_loops **loops)
{
    tacho_error err;
    const char *text;
    size_t size;
    return prepare(s, &options->code, &text, &size)
               ?: cli_status(text ? tacho_loops_from_memory(loops, text, size, source_name(s), options, &err)
                                  : tacho_loops_load(loops, s->input, options, &err),
                             &err);
}

int source_list(source *s)
{
    tacho_code *code;
    char name[120];
    s->code.any_section = true;
    int status = source_load(s, &code);
    if (status)
        return status;
    if (code->assembler_note)
        cli_note("%s", code->assembler_note);
    for (size_t i = 0; i < code->warning_count; i++)
        cli_note("%s", code->warnings[i]);
    if (!code->marked)
        cli_note("%s has no markers", source_name(s));
    for (size_t i = 0; i < code->region_count && code->marked; i++) {
        const tacho_region *r = &code->regions[i];
        snprintf(name, sizeof name, "%.100s", r->name ? r->name : "");
        printf("%4zu  %-24s  ", i, report_plain(name));
        const char *unit = r->byte_count == 1 ? "byte" : "bytes";
        if (r->line)
            printf("line %llu, %zu %s\n", (unsigned long long)r->line, r->byte_count, unit);
        else
            printf("0x%llx, %zu %s\n", (unsigned long long)r->address, r->byte_count, unit);
    }
    tacho_code_free(code);
    return CLI_OK;
}
