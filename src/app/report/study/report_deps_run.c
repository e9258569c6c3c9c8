/* report_deps_run.c - dependencies of a run as text, JSON and CSV. */
#include "app/report/report.h"
#include "app/report/study/report_study.h"
#include "base/mem.h"

/* The instruction in Intel syntax; "" where its bytes are not known. @return out */
static const char *deps_run_asm(const tacho_deps_run_insn *insn, char out[DEPS_RUN_ASM_SIZE])
{
    tacho_insn decoded;
    *out = '\0';
    if (insn->length && !tacho_decode(&decoded, insn->bytes, insn->length, NULL))
        tacho_insn_format(&decoded, insn->address, 1, out, DEPS_RUN_ASM_SIZE);
    return out;
}

/* ---- text ---- */

static const char *lifetime_text(uint64_t lifetime, char out[24])
{
    if (lifetime == TACHO_DEPS_RUN_FOREVER)
        return "any";
    snprintf(out, 24, "%" PRIu64, lifetime);
    return out;
}

static void put_head(tacho_str *out, const report_deps_run *r)
{
    const tacho_deps_run *run = r->run;
    report_command(out, r->command);
    tacho_str_printf(out, "\n%" PRIu64 " instructions executed, at %zu addresses; %.1f s\n",
                     run->run.executed_insns, run->insn_count, run->run.seconds);
    tacho_str_printf(out,
                     "%zu of %zu blocks were executed at least %g %% as often as the hottest (%" PRIu64
                     " times)\n%zu pairs of a store and a load that read what it had written\n\n",
                     run->hot_count, run->block_count, r->hot * 100, run->hottest, run->dependency_count);
}

static void put_share(tacho_str *out, double share)
{
    if (isnan(share))
        tacho_str_puts(out, "        -");
    else
        tacho_str_printf(out, "  %5.1f %%", share * 100);
}

static void put_coverage(tacho_str *out, const tacho_deps_run *run, bool colour)
{
    char text[24];
    report_paint(out, colour, REPORT_BOLD,
                 "lifetime    found   missed  covered     times found    times missed  covered");
    tacho_str_putc(out, '\n');
    for (uint32_t i = 0; i < run->lifetime_count; i++) {
        const tacho_deps_run_coverage *c = &run->coverage[i];
        const tacho_deps_run_sum *found = &c->verdicts[TACHO_DEPS_RUN_FOUND],
                                 *missed = &c->verdicts[TACHO_DEPS_RUN_MISSED];
        tacho_str_printf(out, "%8s %8" PRIu64 " %8" PRIu64, lifetime_text(c->lifetime, text),
                         found->dependencies, missed->dependencies);
        put_share(out, c->cov_u);
        tacho_str_printf(out, " %15" PRIu64 " %15" PRIu64, found->count, missed->count);
        put_share(out, c->cov_w);
        tacho_str_putc(out, '\n');
    }
}

/* Each analysis alone, and how much of what it says the run shows. */
static void put_part(tacho_str *out, const char *lifetime, const char *name, const tacho_deps_run_figures *f)
{
    tacho_str_printf(out, "%8s %-8s %8" PRIu64 " %8" PRIu64, lifetime, name, f->found.dependencies,
                     f->missed.dependencies);
    put_share(out, f->cov_u);
    tacho_str_printf(out, " %15" PRIu64 " %15" PRIu64, f->found.count, f->missed.count);
    put_share(out, f->cov_w);
    tacho_str_printf(out, " %8" PRIu64 " %8" PRIu64 "  ", f->claimed, f->shown);
    put_share(out, f->precision);
    tacho_str_putc(out, '\n');
}

static void put_parts(tacho_str *out, const tacho_deps_run *run, bool colour)
{
    char text[24];
    tacho_str_putc(out, '\n');
    report_paint(out, colour, REPORT_BOLD,
                 "lifetime analysis    found   missed  covered     times found    times missed  covered  "
                 "claimed    shown  precision");
    tacho_str_putc(out, '\n');
    for (uint32_t i = 0; i < run->lifetime_count; i++)
        for (int p = 0; p < TACHO_DEPS_RUN_PART_COUNT; p++)
            put_part(out, lifetime_text(run->coverage[i].lifetime, text),
                     tacho_deps_run_part_name((tacho_deps_run_part)p), &run->coverage[i].parts[p]);
}

static void put_sum(tacho_str *out, const char *lifetime, const char *what, const tacho_deps_run_sum *s)
{
    if (s->dependencies)
        tacho_str_printf(out, "%8s %8" PRIu64 " %15" PRIu64 "  %s\n", lifetime, s->dependencies, s->count,
                         what);
}

static void put_others(tacho_str *out, const tacho_deps_run *run, bool colour)
{
    static const char *const reasons[] = {
        "",
        "missed: the block, or function, is too long to be analysed",
        "missed: the budget ran out first",
        "missed: it was not executed, for the branches chosen",
        "missed: the analysis does not know this access of the instruction",
        "missed: an address is not computed by integer arithmetic",
        "missed: further apart than the window",
        "missed: in a smaller share of the iterations than asked for",
        "missed: found, but always further apart than the window",
        "missed: after calls, which are not followed",
        "missed: after branches that depend on data",
        "missed: different pointers, equal because of what ran before the block",
        "missed: the same pointer, set again outside the block",
    };
    static const char *const verdicts[] = {
        "",
        "",
        "not counted: from one block to another",
        "not counted: in blocks that are executed less often",
        "not counted: no code of the program",
        "not counted: judging was stopped first",
    };
    char text[24];
    tacho_str_putc(out, '\n');
    report_paint(out, colour, REPORT_BOLD, "lifetime    pairs      executions");
    tacho_str_putc(out, '\n');
    for (uint32_t i = 0; i < run->lifetime_count; i++) {
        const tacho_deps_run_coverage *c = &run->coverage[i];
        const char *lifetime = lifetime_text(c->lifetime, text);
        for (int k = 1; k < TACHO_DEPS_RUN_REASON_COUNT; k++)
            put_sum(out, lifetime, reasons[k], &c->reasons[k]);
        for (int k = TACHO_DEPS_RUN_ACROSS; k < TACHO_DEPS_RUN_VERDICT_COUNT; k++)
            put_sum(out, lifetime, verdicts[k], &c->verdicts[k]);
    }
}

static void put_insn(tacho_str *out, const char *role, const tacho_deps_run_insn *insn)
{
    char text[DEPS_RUN_ASM_SIZE];
    tacho_str_printf(out, "         %s ", role);
    report_put_plain(out, insn->object ? insn->object : "[memory]");
    tacho_str_printf(out, " 0x%" PRIx64, insn->address);
    if (insn->symbol) {
        tacho_str_puts(out, " <");
        report_put_plain(out, insn->symbol);
        tacho_str_printf(out, "+0x%" PRIx64 ">", insn->offset);
    }
    tacho_str_printf(out, "  %s\n", deps_run_asm(insn, text));
}

/* Which analyses find it. */
static void put_finders(tacho_str *out, const tacho_deps_run_dependency *d)
{
    const char *between = " (";
    for (int p = 0; p < TACHO_DEPS_RUN_PART_COUNT; p++)
        if (d->found_by >> p & 1) {
            tacho_str_printf(out, "%s%s", between, tacho_deps_run_part_name((tacho_deps_run_part)p));
            between = ", ";
        }
    tacho_str_putc(out, ')');
}

static void put_dependency(tacho_str *out, const tacho_deps_run *run, const tacho_deps_run_dependency *d)
{
    char words[REPORT_WORDS_SIZE];
    tacho_str_printf(out, "%" PRIu64 " time%s", d->count, tacho_plural(d->count));
    for (uint32_t i = 0; i < run->lifetime_count; i++)
        if (run->coverage[i].lifetime != TACHO_DEPS_RUN_FOREVER)
            tacho_str_printf(out, ", %" PRIu64 " within %" PRIu64, d->within[i], run->coverage[i].lifetime);
    tacho_str_printf(out, "; shortest %" PRIu64 ": %s", d->shortest,
                     report_words(tacho_deps_run_verdict_name(d->verdict), words));
    if (d->found_by)
        put_finders(out, d);
    else if (d->verdict == TACHO_DEPS_RUN_MISSED)
        tacho_str_printf(out, " (%s)", report_words(tacho_deps_run_reason_name(d->reason), words));
    tacho_str_putc(out, '\n');
    put_insn(out, "store", &run->insns[d->source]);
    put_insn(out, "load ", &run->insns[d->target]);
}

void report_deps_run_text(tacho_str *out, const report_deps_run *r, bool colour)
{
    const tacho_deps_run *run = r->run;
    put_head(out, r);
    put_coverage(out, run, colour);
    put_parts(out, run, colour);
    put_others(out, run, colour);
    for (size_t i = 0; i < run->dependency_count && i < r->top; i++) {
        if (!i)
            tacho_str_putc(out, '\n');
        put_dependency(out, run, &run->dependencies[i]);
    }
}

/* ---- dependencies of a run as JSON and CSV ---- */

/* A report, and the numbers that instructions have in it. */
typedef struct numbered {
    const report_deps_run *report;
    uint32_t *numbers; /* + 1; 0: in none */
} numbered;

#define root(at) ((const numbered *)report_root(at))

#define run_of(at) (root(at)->report->run)

static report_value number_of(const report_at *at, uint32_t insn)
{
    return report_whole(root(at)->numbers[insn] - 1);
}

/* ---- what is covered ---- */

#define RECORD tacho_deps_run_sum
static const report_field sum[] = {
    MEMBERS2(dependencies, count, "pairs, and executions of their targets"),
};
#undef RECORD
static TABLE(sum_table, sum, "sum");

/* By their names, without that of 0, TACHO_DEPS_RUN_NOT_MISSED. */
#define REASONS_OF(function)                                                                                 \
    OBJECT_OF(function, TACHO_DEPS_RUN_REASON_COUNT - 1,                                                     \
              tacho_deps_run_reason_name((tacho_deps_run_reason)(i + 1)),                                    \
              report_record_json(&sum_table, &r->reasons[i + 1], NULL))

#define RECORD tacho_deps_run_figures
REASONS_OF(reasons_of_part)
static const report_field figures[] = {
    MEMBERS2(cov_u, cov_w, NULL),
    {RECORD_IN("found", found, &sum_table, NULL)},
    {RECORD_IN("missed", missed, &sum_table, NULL)},
    {MADE(OBJECT, "reasons", reasons_of_part, NULL)},
    MEMBERS3(claimed, shown, precision, "the same of that analysis alone"),
};
#undef RECORD

#define RECORD tacho_deps_run_coverage
ONLY(is_limited, r->lifetime != TACHO_DEPS_RUN_FOREVER)
REASONS_OF(reasons)
OBJECT_OF(analyses, TACHO_DEPS_RUN_PART_COUNT, tacho_deps_run_part_name((tacho_deps_run_part)i),
          report_record_json(ROWS(figures), &r->parts[i], NULL))
static const report_field coverage[] = {
    {MEMBER(lifetime, "instructions; null: any", .known = is_limited)},
    MEMBERS2(cov_u, cov_w, "0 to 1, by pairs and by executions; null: there was nothing to find"),
    {RECORD_IN("found", verdicts[TACHO_DEPS_RUN_FOUND], &sum_table, NULL)},
    {RECORD_IN("missed", verdicts[TACHO_DEPS_RUN_MISSED], &sum_table, NULL)},
    {RECORD_IN("across", verdicts[TACHO_DEPS_RUN_ACROSS], &sum_table, NULL)},
    {RECORD_IN("cold", verdicts[TACHO_DEPS_RUN_COLD], &sum_table, NULL)},
    {RECORD_IN("no_code", verdicts[TACHO_DEPS_RUN_NO_CODE], &sum_table, NULL)},
    {RECORD_IN("unjudged", verdicts[TACHO_DEPS_RUN_UNJUDGED], &sum_table,
               "by verdict, each {`dependencies` (pairs), `count` (executions)}")},
    {MADE(OBJECT, "reasons", reasons, "the same for each reason that something is missed for")},
    MEMBERS3(claimed, shown, precision,
             "pairs that the static analyses say there are, those that the run has, their share"),
    {MADE(OBJECT, "analyses", analyses,
          "`block`, `function` (each analysis alone, of the same pairs) and `between` (pairs between blocks "
          "of a function, which are in no other figure)",
          .table = ROWS(figures))},
};
#undef RECORD

/* ---- instructions, dependencies, claims ---- */

#define RECORD tacho_deps_run_insn
ONLY(has_symbol, r->symbol)
ONLY(has_bytes, r->length)
ONLY(is_in_block, r->block != TACHO_DEPS_RUN_NO_BLOCK)
GETTER(text, report_text_value(deps_run_asm(r, at->room)))
GETTER(hex, report_hex(r->bytes, r->length))
GETTER(hot, report_bool(run_of(at)->blocks[r->block].hot))
static const report_field instructions[] = {
    {MEMBER(object, NULL, .none = REPORT_NO_TEXT)},
    {MEMBER(address, "file, null: none; in it", .cell = REPORT_ADDRESS)},
    {MEMBER(count, "executions")},
    {MEMBER(symbol, NULL, .none = REPORT_NO_TEXT)},
    {MEMBER(offset, "null: not known", .known = has_symbol)},
    {MADE(TEXT, "asm", text, NULL, .known = has_bytes)},
    {MADE(HEX, "hex", hex, "null: the bytes are not known", .known = has_bytes)},
    {MEMBER(block, "its number", .known = is_in_block)},
    {MADE(BOOL, "hot", hot, "whether that is executed often enough to be judged", .known = is_in_block)},
};
#undef RECORD

/* What each analysis that was asked says: "found", or the reason why it does not find it. */
static json_t *answers_json(const tacho_deps_run_dependency *d)
{
    json_t *o = json_object();
    for (int p = 0; p < TACHO_DEPS_RUN_PART_COUNT; p++)
        if (d->judged_by >> p & 1)
            json_object_set_new(o, tacho_deps_run_part_name((tacho_deps_run_part)p),
                                d->found_by >> p & 1
                                    ? json_string("found")
                                    : json_string(tacho_deps_run_reason_name(d->reasons[p])));
    return o;
}

static void put_lifetimes(tacho_str *out, const report_at *at, bool head)
{
    const tacho_deps_run *run = run_of(at);
    const tacho_deps_run_dependency *d = at->record;
    for (uint32_t k = 0; k < run->lifetime_count; k++)
        if (run->coverage[k].lifetime != TACHO_DEPS_RUN_FOREVER)
            tacho_str_printf(out, head ? ",within_%" PRIu64 : ",%" PRIu64,
                             head ? run->coverage[k].lifetime : d->within[k]);
}

static void put_insn_cells(tacho_str *out, const report_at *at, uint32_t number)
{
    TACHO_FREED tacho_str text = {0};
    report_record_row(&text, "object,address,symbol,offset,asm", ROWS(instructions),
                      &run_of(at)->insns[number], NULL);
    tacho_str_append(out, text.data ? text.data : "", text.length ? text.length - 1 : 0);
    out->failed |= text.failed;
}

static void put_source(tacho_str *out, const report_at *at, bool head)
{
    if (head)
        tacho_str_puts(out, "source_object,source_address,source_symbol,source_offset,source_asm");
    else
        put_insn_cells(out, at, ((const tacho_deps_run_dependency *)at->record)->source);
}

static void put_target(tacho_str *out, const report_at *at, bool head)
{
    tacho_str_putc(out, ',');
    if (head)
        tacho_str_puts(out, "target_object,target_address,target_symbol,target_offset,target_asm");
    else
        put_insn_cells(out, at, ((const tacho_deps_run_dependency *)at->record)->target);
}

/* Whether the analyses of these bits find it; null: they were not asked. */
static report_value finding(const tacho_deps_run_dependency *d, unsigned bits)
{
    return !(d->judged_by & bits) ? report_null()
                                  : report_text_value(d->found_by & bits ? "found" : "missed");
}

#define RECORD tacho_deps_run_dependency
GETTER(source, number_of(at, r->source))
GETTER(target, number_of(at, r->target))
LIST_OF(within, run_of(at)->lifetime_count, true, json_integer((json_int_t)r->within[i]))
GETTER(answers, report_object(answers_json(r)))
GETTER(block_cell, finding(r, 1 << TACHO_DEPS_RUN_BLOCK))
GETTER(function_cell, finding(r, 1 << TACHO_DEPS_RUN_FUNCTION | 1 << TACHO_DEPS_RUN_BETWEEN))
static const report_field dependencies[] = {
    {MADE(WHOLE, "source", source, NULL)},
    {MADE(WHOLE, "target", target, "places in `instructions`")},
    {MEMBER(count, "executions of the target in which it read what the source wrote")},
    {MADE(LIST, "within", within, "of these, those of the lifetimes in `coverage`")},
    {MEMBER(shortest, "lifetime")},
    {WORD("verdict", verdict, tacho_deps_run_verdict_name, "found, missed, across, cold, no_code, unjudged")},
    {WORD("reason", reason, tacho_deps_run_reason_name,
          "of those missed: not_analysed, budget, not_reached, not_modelled, address_unknown, far, rare, "
          "beyond, call, branch, other_pointer, same_pointer",
          .none = REPORT_ZERO)},
    {MADE(OBJECT, "analyses", answers, "what each analysis that was asked says: \"found\" or a reason")},
    {COLUMNS("source*", put_source)},
    {COLUMNS("target*", put_target)},
    {COLUMNS("within*", put_lifetimes)},
    {MADE_CELL(TEXT, "block", block_cell)},
    {MADE_CELL(TEXT, "function", function_cell)},
};
#undef RECORD

#define RECORD tacho_deps_run_claim
GETTER(claimed_source, number_of(at, r->source))
GETTER(claimed_target, number_of(at, r->target))
LIST_OF(claimed_by, TACHO_DEPS_RUN_PART_COUNT, r->by >> i & 1,
        json_string(tacho_deps_run_part_name((tacho_deps_run_part)i)))
static const report_field claims[] = {
    {MADE(WHOLE, "source", claimed_source, NULL)},
    {MADE(WHOLE, "target", claimed_target, "places in `instructions`")},
    {MADE(LIST, "analyses", claimed_by, "list of block, function, between")},
};
#undef RECORD

/* ---- all of it ---- */

#define RECORD tacho_deps_run
GETTER(command, report_list(report_json_texts(root(at)->report->command)))
GETTER(hot_share, report_real(root(at)->report->hot))
LIST_OF(instructions_of, r->insn_count, root(at)->numbers[i],
        report_record_json(ROWS(instructions), &r->insns[i], at))
LIST_OF(claims_of, r->claim_count, r->claims[i].dependency == UINT32_MAX,
        report_record_json(ROWS(claims), &r->claims[i], at))
static const report_field run_fields[] = {
    {SCHEMA("tacho-deps-run-1")},
    {MADE(LIST, "command", command, "its words")},
    {NAMED("ended", run.ended, "false: the run was ended from outside")},
    {MEMBER(judged, "false: the judging was ended before all pairs were; what is found and missed is of "
                    "those that were")},
    {NAMED("exit_status", run.exit_status, NULL, .none = REPORT_BELOW_0)},
    {NAMED("signal", run.signal, "the command's status, null if a signal ended it; the signal",
           .none = REPORT_ZERO)},
    {NAMED("seconds", run.seconds, NULL)},
    {NAMED("executed_instructions", run.executed_insns, NULL)},
    {NAMED("executed_addresses", insn_count, "of the run; how many different instructions")},
    {NAMED("blocks", block_count, NULL)},
    {NAMED("hot_blocks", hot_count, NULL)},
    {MADE(REAL, "hot_share", hot_share, NULL)},
    {NAMED("hottest_count", hottest,
           "basic blocks that were executed; those judged; from which share of the hottest one's executions "
           "on")},
    {RECORDS_IN("coverage", coverage, lifetime_count, ROWS(coverage), "one for each lifetime")},
    {MADE(LIST, "instructions", instructions_of, "those with dependencies", .table = ROWS(instructions))},
    {MADE(LIST, "not_shown", claims_of, "what an analysis says and the run has not", .table = ROWS(claims))},
    {RECORDS("dependencies", dependencies, dependency_count, ROWS(dependencies), "most executions first")},
    {TEXTS("warnings", warnings, warning_count, "sentences: what was not seen")},
};
#undef RECORD
TABLE(report_deps_run_table, run_fields, "tacho-deps-run-1");

/* Numbers the instructions that dependencies and claims are between. @return NULL: no memory */
static uint32_t *number_insns(const tacho_deps_run *run)
{
    uint32_t *numbers = tacho_mem_zalloc(run->insn_count + 1, sizeof *numbers), next = 0;
    for (size_t i = 0; numbers && i < run->dependency_count; i++)
        numbers[run->dependencies[i].source] = numbers[run->dependencies[i].target] = 1;
    for (size_t i = 0; numbers && i < run->claim_count; i++)
        numbers[run->claims[i].source] = numbers[run->claims[i].target] = 1;
    for (size_t i = 0; numbers && i < run->insn_count; i++)
        if (numbers[i])
            numbers[i] = ++next;
    return numbers;
}

json_t *report_deps_run_json(const report_deps_run *r)
{
    numbered n = {r, number_insns(r->run)};
    json_t *o =
        n.numbers ? report_record_json(&report_deps_run_table, r->run, &(report_at){.record = &n}) : NULL;
    tacho_mem_free(n.numbers);
    return o;
}

const char report_deps_run_columns[] = "source*,target*,count,within*,shortest,verdict,reason,block,function";

void report_deps_run_csv(tacho_str *out, const report_deps_run *r)
{
    numbered n = {.report = r};
    report_record_csv(out, report_deps_run_columns, ROWS(dependencies), r->run->dependencies,
                      r->run->dependency_count, sizeof *r->run->dependencies, &(report_at){.record = &n});
}
