/* source_parts.c - which part of an input is meant: its regions, or its innermost loops. Of a function or a
 * compiler's whole file, what its loops take is what people want to know. */
#include "app/cli/output.h"
#include "app/cli/source.h"
#include "app/report/report.h"

enum {
    USUAL_LOOPS = 10 /* without --top */
};

#define CLI_REQUEST source
const cli_option source_parts_rows[] = {
    {CLI_SWITCH, "loops", 0, NULL,
     "the innermost loops of INPUT (or of --symbol, --section,\n--range), each along its likeliest path",
     CLI_AT(loops)},
    {CLI_SWITCH, "no-demangle", 0, NULL,
     "with --loops: names of C++ and Rust functions as\nsymbols have them", CLI_AT(keep_mangled)},
    {CLI_WHOLE, "loop", 0, "N", "of these loops number N alone (0: the first)", CLI_AT(loop),
     .high = TACHO_MAX_LOOPS, CLI_SETS(loops)},
    {CLI_SWITCH, "straight", 0, NULL,
     "take INPUT as one straight block also where it holds\nseveral (default: its loops, as with --loops)",
     CLI_AT(straight)},
    {.kind = CLI_END},
};

bool source_parts_check(const source *s)
{
    const char *other = s->batch         ? "--batch"
                        : s->one_block   ? s->one_block
                        : s->straight    ? "--straight"
                        : s->code.region ? "--region: it does not look at markers"
                                         : NULL;
    if (s->loops && other)
        return cli_error("--loops does not go with %s", other);
    if (s->top != SOURCE_TOP_DEFAULT && (s->batch || s->one_block || s->straight))
        return cli_error("--top goes with --loops");
    return true;
}

static void searching(uint64_t done, uint64_t all, void *payload)
{
    (void)payload;
    if (all)
        cli_progress("looking for loops: %3u %%", (unsigned)(100.0 * (double)done / (double)all));
}

static int find_loops(source *s, source_parts *out)
{
    tacho_loops_options o = TACHO_LOOPS_OPTIONS_INIT;
    o.progress = searching;
    o.keep_mangled = s->keep_mangled;
    int status = source_find_loops(s, &o, &out->loops);
    cli_progress_clear();
    return status;
}

static int choose_loops(const source *s, source_parts *out)
{
    const size_t count = out->loops->count;
    out->end = count;
    if (s->loop == SOURCE_ALL_LOOPS)
        return CLI_OK;
    if (s->loop >= count)
        return cli_input_error("%s has no loop %llu: it has %zu, numbered from 0", source_name(s),
                               (unsigned long long)s->loop, count);
    out->first = (size_t)s->loop;
    out->end = out->first + 1;
    return CLI_OK;
}

/* Loops, although nobody has asked for them. */
static int imply_loops(source *s, source_parts *out)
{
    int status = find_loops(s, out);
    if (status)
        return status;
    const size_t count = out->loops->count;
    if (!count) {
        tacho_loops_free(out->loops);
        out->loops = NULL;
        snprintf(out->said, sizeof out->said,
                 "there are several blocks but no loop: this code is treated as one straight block that is "
                 "repeated");
        return CLI_OK;
    }
    out->implied = true;
    snprintf(out->said, sizeof out->said,
             "%.120s holds several blocks: %s %s, as with --loops (%s--straight: all as one block)",
             source_name(s), count == 1 ? "its innermost loop is" : "its innermost loops are", s->done,
             count == 1 ? "" : "--loop N: one of them; ");
    report_plain(out->said);
    return CLI_OK;
}

int source_parts_find(source *s, source_parts *out)
{
    const bool straight = s->straight || s->one_block;
    int status = CLI_OK;
    *out = (source_parts){0};
    if (s->loops) {
        status = find_loops(s, out);
    } else {
        s->code.any_section = !straight;
        status = source_load(s, &out->code);
        if (!status && out->code->several_blocks && !straight)
            status = imply_loops(s, out);
    }
    if (!status && out->loops)
        return choose_loops(s, out);
    if (!status && out->code->assembler_note)
        cli_note("%s", out->code->assembler_note);
    out->end = !status ? out->code->region_count : 0;
    return status;
}

void source_part_get(const source *s, const source_parts *parts, size_t n, source_part *out)
{
    if (parts->loops) {
        const tacho_loop *loop = &parts->loops->loops[n];
        report_loop_place(loop, 100, out->name, sizeof out->name);
        out->region = report_loop_region(loop);
        out->region.name = out->name;
    } else
        out->region = parts->code->regions[n];
    const tacho_region *r = &out->region;
    out->listing = source_listing(s->style, r->typed, r->typed_count, r->address);
    if (parts->loops) {
        out->listing.pieces = parts->loops->loops[n].pieces;
        out->listing.piece_count = parts->loops->loops[n].piece_count;
    }
}

/* Leaves the first ones of several loops. */
static int limit(const source *s, source_parts *parts)
{
    const size_t count = parts->end - parts->first;
    const uint64_t most = s->top == SOURCE_TOP_DEFAULT ? USUAL_LOOPS : s->top;
    if (!count)
        return cli_input_error("%s: no loop in %zu function%s", source_name(s), parts->loops->function_count,
                               tacho_plural(parts->loops->function_count));
    if (!parts->loops || count <= most)
        return CLI_OK;
    if (!most)
        return cli_usage_error("--top 0: no loop would be %s", s->done);
    parts->end = parts->first + (size_t)most;
    cli_note("%zu of %zu loops are %s; --top N or --top all: more of them", (size_t)most, count, s->done);
    return CLI_OK;
}

/* Says what there is to say about all of the input. */
static void note(const source_parts *parts)
{
    char *const *warnings = parts->loops ? parts->loops->warnings : parts->code->warnings;
    const size_t count = parts->loops ? parts->loops->warning_count : parts->code->warning_count;
    if (*parts->said)
        cli_note("%s", parts->said);
    for (size_t i = 0; i < count; i++)
        cli_note("%s", warnings[i]);
}

int source_parts_each(source *s, source_parts *out)
{
    int status = source_parts_find(s, out);
    if (status)
        return status;
    note(out);
    return limit(s, out);
}

void source_parts_free(source_parts *parts)
{
    tacho_code_free(parts->code);
    tacho_loops_free(parts->loops);
    *parts = (source_parts){0};
}
