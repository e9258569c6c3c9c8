/* cmd_insn_missing.c - tacho insn --missing: which instructions of a batch of blocks the tables lack. */
#include <stdio.h>
#include <string.h>

#include "app/cli/cmd_insn.h"
#include "app/cli/output.h"
#include "app/cli/rows.h"
#include "base/bytemap.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"
#include "x86/decode/insn_struct.h"

/* What tacho_bytemap_entry.value says of an instruction. */
enum {
    NOT_SEEN = 0,
    MATCHED,
    MISSING,
};

typedef struct survey {
    const tacho_arch *arch;
    tacho_bytemap map;
    uint64_t blocks, undecodable, distinct, matched, occurrences, matched_occurrences;
} survey;

static int classify(survey *s, const tacho_insn *insn)
{
    tacho_form form;
    tacho_figures figures;
    tacho_bytemap_entry *e = tacho_bytemap_at(&s->map, insn->bytes, insn->length);
    if (!e)
        return -1;
    if (e->value == NOT_SEEN) {
        bool found = !tacho_insndb_match(s->arch, insn, &form, &figures);
        e->value = found ? MATCHED : MISSING;
        s->distinct++;
        s->matched += found;
    }
    e->count++;
    s->occurrences++;
    s->matched_occurrences += e->value == MATCHED;
    return 0;
}

static int survey_block(survey *s, const char *hex, size_t length, uint8_t *code)
{
    tacho_insn insn;
    long n = tacho_hex_decode(code, hex, length, NULL);
    s->blocks++;
    for (long at = 0; at < n; at += insn.length) {
        if (tacho_decode(&insn, code + at, (size_t)(n - at), NULL)) {
            s->undecodable++;
            return 0;
        }
        if (classify(s, &insn))
            return -1;
    }
    if (n < 0)
        s->undecodable++;
    return 0;
}

/* @return false with a message */
static bool survey_rows(survey *s, rows *r)
{
    const char *hex;
    size_t length, capacity = 0;
    uint8_t *code = NULL;
    int got;
    bool enough = true;
    while (enough && (got = rows_next_hex(r, &hex, &length)) == ROWS_GIVEN)
        enough = !length || (!tacho_mem_grow(&code, &capacity, length / 2 + 1, 1) &&
                             !survey_block(s, hex, length, code));
    tacho_mem_free(code);
    if (!enough)
        cli_error("out of memory");
    return enough && got == ROWS_END;
}

/* ---- output ---- */

static int by_count(const void *a, const void *b)
{
    const tacho_bytemap_entry *x = *(const tacho_bytemap_entry *const *)a;
    const tacho_bytemap_entry *y = *(const tacho_bytemap_entry *const *)b;
    size_t both = x->key_length < y->key_length ? x->key_length : y->key_length;
    int order = ORDER(y->count, x->count) ?: memcmp(x->key, y->key, both);
    return order ?: ORDER(x->key_length, y->key_length);
}

static const tacho_bytemap_entry **sorted_missing(const survey *s, size_t *count)
{
    const tacho_bytemap_entry **list = tacho_mem_zalloc(s->distinct - s->matched + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < s->map.slot_count; i++)
        if (s->map.slots[i].key_length && s->map.slots[i].value == MISSING)
            list[(*count)++] = &s->map.slots[i];
    if (list)
        tacho_sort(list, *count, sizeof *list, by_count);
    return list;
}

static void describe(const tacho_bytemap_entry *e, char *text, size_t size)
{
    tacho_insn insn;
    if (tacho_decode(&insn, e->key, e->key_length, NULL) || tacho_insn_format(&insn, 0, 1, text, size) < 0)
        snprintf(text, size, "?");
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 100.0;
}

static void put_text(const survey *s, const tacho_bytemap_entry **list, size_t count)
{
    char text[160];
    tacho_str hex = {0};
    printf("%.4f %% of %llu distinct instructions have a form on %s (%.4f %% of all %llu in %llu blocks)\n",
           share(s->matched, s->distinct), (unsigned long long)s->distinct, s->arch->name,
           share(s->matched_occurrences, s->occurrences), (unsigned long long)s->occurrences,
           (unsigned long long)s->blocks);
    if (s->undecodable)
        printf("%llu block%s could not be decoded to the end\n", (unsigned long long)s->undecodable,
               tacho_plural(s->undecodable));
    if (count)
        printf("\n   count  %-30s  instruction without a form\n", "hex");
    for (size_t i = 0; i < count; i++) {
        describe(list[i], text, sizeof text);
        tacho_str_clear(&hex);
        tacho_str_hex(&hex, list[i]->key, list[i]->key_length);
        printf("%8llu  %-30s  %s\n", (unsigned long long)list[i]->count, hex.data ? hex.data : "", text);
    }
    tacho_str_free(&hex);
}

#define RECORD tacho_bytemap_entry *const
static const char *asm_of(const report_at *at)
{
    describe(*(tacho_bytemap_entry *const *)at->record, at->room, 160);
    return at->room;
}

GETTER(hex, report_hex((*r)->key, (*r)->key_length))
GETTER(text_of, report_text_value(asm_of(at)))
GETTER(count_of, report_whole((*r)->count))
static const report_field missing[] = {
    {MADE(HEX, "hex", hex, NULL)},
    {MADE(TEXT, "asm", text_of, NULL)},
    {MADE(WHOLE, "count", count_of, "such an instruction, and how often it is there")},
};
#undef RECORD

/* What was found, and the list of those without a form. */
typedef struct listed {
    const survey *survey;
    const tacho_bytemap_entry **list;
    size_t count;
} listed;

#define RECORD survey
GETTER(arch, report_text_value(r->arch->name))
static const report_field survey_fields[] = {
    {SCHEMA("tacho-insn-missing-1")},
    {MADE(TEXT, "arch", arch, "whose table")},
    {MEMBER(blocks, NULL)},
    {NAMED("undecodable_blocks", undecodable, "of the file; those that could not be decoded to the end")},
    {MEMBER(distinct, NULL)},
    {NAMED("distinct_matched", matched, "different instructions, and those with a form")},
    {MEMBER(occurrences, NULL)},
    {NAMED("occurrences_matched", matched_occurrences, "all instructions, and those with a form")},
};
#undef RECORD

#define RECORD listed
static const report_field all[] = {
    {PART_AT(survey, ROWS(survey_fields))},
    {RECORDS("missing", list, count, ROWS(missing), "those without, most frequent first")},
};
#undef RECORD
TABLE(insn_missing_table, all, "tacho-insn-missing-1");

static bool put_csv(const tacho_bytemap_entry **list, size_t count)
{
    static const char columns[] = "hex,count,asm";
    tacho_str lines = {0};
    report_record_csv(&lines, columns, ROWS(missing), list, count, sizeof *list, NULL);
    return cli_put_text(&lines);
}

int insn_missing(const char *path, const tacho_arch *arch, cli_format format)
{
    survey s = {.arch = arch};
    rows r;
    size_t count = 0;
    if (!rows_open(&r, path))
        return CLI_INPUT;
    bool good = survey_rows(&s, &r);
    rows_close(&r);
    const tacho_bytemap_entry **list = good ? sorted_missing(&s, &count) : NULL;
    if (good && !list)
        good = cli_error("out of memory");
    else if (good && format == CLI_JSON)
        good = cli_put_json(report_record_json(&insn_missing_table, &(listed){&s, list, count}, NULL));
    else if (good && format == CLI_CSV)
        good = put_csv(list, count);
    else if (good)
        put_text(&s, list, count);
    tacho_mem_free(list);
    tacho_bytemap_free(&s.map);
    return good ? CLI_OK : CLI_INPUT;
}
