/* cmd_predict.c - tacho predict: options, the regions of one input, and their reports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/pictures.h"
#include "cli/predict.h"
#include "cli/predict_loops.h"
#include "cli/source.h"
#include "cli/what_if.h"
#include "report/report.h"
#include "util/str.h"
#include "util/suggest.h"

enum {
    O_ARCH = 1,
    O_MODE,
    O_INIT,
    O_BATCH,
    O_JOBS,
    O_OUTPUT,
    O_SHARD,
    O_FORMAT,
    O_JSON,
    O_ALIGNMENT,
    O_MIN_CYCLES,
    O_MIN_ITERATIONS,
    O_NO_MEMORY_DEPS,
    O_ALIAS,
    O_NO_ALIAS,
    O_BOUNDS_ONLY,
    O_UNKNOWN,
    O_LOOPS,
    O_TOP,
    O_COLOUR,
    O_WHAT_IF,
    O_SET,
    O_VARIANT, /* and the numbers after it: bit O_... - O_VARIANT of TACHO_VARIANT_* */
};

static const cli_option options[] = {
    {O_ARCH, "arch", 'a', "ARCH",
     "microarchitecture: native (default), a name, several\nwith commas, or all; see tacho arch --list"},
    {O_ARCH, "mcpu", 0, "ARCH", NULL},
    {O_ARCH, "march", 0, "ARCH", NULL},
    {O_MODE, "mode", 'm', "MODE", "auto (default: loop where the code ends in a branch),\nloop or unroll"},
    {O_INIT, "init", 0, "STATE", INITIAL_STATE_HELP},
    SOURCE_OPTIONS,
    {O_LOOPS, "loops", 0, NULL,
     "find the innermost loops of INPUT (or of --symbol,\n--section, --range) and predict each of them"},
    {O_TOP, "top", 0, "N", "with --loops: full reports on the first N loops, or all"},
    {O_BATCH, "batch", 0, "FILE",
     "a block a line: CSV with hex in the first column, - for\nstandard input; writes CSV"},
    {O_JOBS, "jobs", 'j', "N", "threads for --batch (default: all processors)"},
    {O_OUTPUT, "output", 'o', "FILE",
     "with --batch: where the results go (default: standard\noutput); with --shard, %s in its name is the "
     "shard's number"},
    {O_SHARD, "shard", 0, "I/N", SHARD_HELP},
    {O_FORMAT, "format", 'f', "FORMAT", "text (default), json or csv"},
    {O_JSON, "json", 0, NULL, "the same as --format json"},
    {O_ALIGNMENT, "alignment", 0, "N",
     "offset of the first byte from a 64-byte boundary:\n0 (default) to 63, or all: a table; also --align"},
    {O_ALIGNMENT, "align", 0, "N", NULL},
    {O_ALIGNMENT, "alignmentOffset", 0, "N", NULL},
    {O_MIN_CYCLES, "min-cycles", 0, "N",
     "until a steady state is found, simulate at least so many\ncycles (default 500)"},
    {O_MIN_CYCLES, "minCycles", 0, "N", NULL},
    {O_MIN_ITERATIONS, "min-iterations", 0, "N", "and so many iterations (default 10)"},
    {O_MIN_ITERATIONS, "minIterations", 0, "N", NULL},
    {O_BOUNDS_ONLY, "bounds-only", 0, NULL,
     "the highest of the analytical bounds, without simulating:\nmicroseconds a block, and never too high"},
    {O_NO_MEMORY_DEPS, "no-memory-deps", 0, NULL, "ignore dependencies from stores to loads"},
    ALIAS_OPTIONS(O_ALIAS, O_NO_ALIAS),
    {O_UNKNOWN, "unknown", 0, "HOW",
     "instructions that the table lacks: warn (default: an issue\nslot, no time), skip (left out), error, or "
     "N: one µop with a\nlatency of N cycles"},
    {O_SET, "set", 0, "PARAM=VALUE,...",
     "what if a parameter of the microarchitecture were VALUE;\ntacho arch ARCH lists them"},
    {O_VARIANT, "simple-front-end", 0, NULL, "what if the front end always delivered enough"},
    {O_VARIANT, "simpleFrontEnd", 0, NULL, NULL},
    {O_VARIANT + 1, "simple-port-assignment", 0, NULL, "what if ports were chosen at random"},
    {O_VARIANT + 2, "no-micro-fusion", 0, NULL, "what if no µops were micro-fused"},
    {O_VARIANT + 2, "noMicroFusion", 0, NULL, NULL},
    {O_VARIANT + 3, "no-macro-fusion", 0, NULL, "what if no branches were macro-fused"},
    {O_VARIANT + 3, "noMacroFusion", 0, NULL, NULL},
    {O_VARIANT + 4, "no-lsd-unrolling", 0, NULL, "what if the LSD did not unroll loops"},
    {O_VARIANT + 5, "no-move-elimination", 0, NULL, "what if no moves were eliminated"},
    {O_VARIANT + 6, "full-move-elimination", 0, NULL, "what if all moves that can be were eliminated"},
    {O_VARIANT + 7, "simple-memory", 0, NULL,
     "what if loads read only from stores to the same address,\nalways forwarded, and pointers in memory "
     "were "
     "never the same"},
    {O_WHAT_IF, "what-if", 0, NULL,
     "show all what-if runs (parts of the machine taken as\nideal), not only those that help most"},
    PICTURES_OPTIONS,
    {O_COLOUR, "color", 0, "WHEN", "auto (default), always or never"},
    {0, NULL, 0, NULL, NULL},
};

static const char more[] =
    "INPUT is a file or - (standard input): assembly text, an ELF object file or executable, told\n"
    "apart by content, or machine code with --raw. In assembly, '# LLVM-MCA-BEGIN name' and\n"
    "'# LLVM-MCA-END', '# OSACA-BEGIN' and '# OSACA-END', in all inputs the byte markers of IACA\n"
    "and OSACA choose the regions to analyse.\n\n"
    "Examples:\n"
    "  tacho predict loop.s -a SKL\n"
    "  tacho predict -a SKL,ICX --hex '4801d8 4801c3 49ffcf 75f5'\n"
    "  tacho predict app.o --symbol kernel --json\n"
    "  tacho predict --loops app.o -a SKL --top 3\n"
    "  tacho predict --batch blocks.csv -a ICX > predictions.csv\n";

const cli_command cli_predict;

typedef struct request {
    source source;
    const char *archs, *output;
    shard shard;
    tacho_predict_options predict;
    what_if set;
    initial_state state;
    uint64_t jobs;
    int format, colour; /* format -1: not given */
    bool what_if, loops, alignment_given;
    uint64_t top;
    pictures pictures;
} request;

/* ---- options ---- */

static bool parse_choice(const char *option, const char *value, const char *choices, int *out)
{
    *out = cli_choice(option, value, choices);
    return *out >= 0;
}

static bool parse_alignment(request *r, const char *option, const char *value)
{
    unsigned long long n;
    if (tacho_str_same(value, "all"))
        return r->pictures.align = true;
    if (!tacho_parse_u64(value, &n) || n > 63) {
        cli_error("%s is a whole number from 0 to 63, or all, not '%s'", option, value);
        return false;
    }
    r->alignment_given = true;
    r->predict.alignment = (uint32_t)n;
    return true;
}

static bool parse_unknown(request *r, const char *value)
{
    unsigned long long cycles;
    if (tacho_parse_u64(value, &cycles)) {
        r->predict.unknown = TACHO_UNKNOWN_LATENCY;
        return cli_number32("--unknown N", value, 1, TACHO_MAX_UNKNOWN_LATENCY, &r->predict.unknown_latency);
    }
    int choice = cli_choice("--unknown", value, "warn|skip|error|a latency in cycles");
    if (choice < 0)
        return false;
    r->predict.unknown = (tacho_unknown)choice;
    return true;
}

/* `option` is how it was typed, for messages. */
static bool take_option(request *r, int id, const char *option, const char *value)
{
    int choice;
    if (id >= SOURCE_FIRST && id < SOURCE_END)
        return source_option(&r->source, id, option, value);
    if (id >= PICTURES_FIRST)
        return pictures_option(&r->pictures, id, value);
    if (id >= O_VARIANT) {
        r->predict.variants |= 1u << (id - O_VARIANT);
        return true;
    }
    switch (id) {
    case CLI_POSITIONAL:
        return source_input(&r->source, value);
    case O_ARCH:
        r->archs = value;
        return true;
    case O_MODE:
        if (!parse_choice(option, value, "auto|loop|unroll", &choice))
            return false;
        r->predict.mode = (tacho_mode)choice;
        return true;
    case O_SET:
        return what_if_add(&r->set, value);
    case O_INIT:
        return initial_state_parse(&r->state, value);
    case O_BATCH:
        r->source.batch = value;
        return true;
    case O_JOBS:
        return cli_number(option, value, 1, 256, &r->jobs);
    case O_OUTPUT:
        r->output = value;
        return true;
    case O_SHARD:
        return shard_parse(value, &r->shard);
    case O_FORMAT:
        return parse_choice(option, value, "text|json|csv", &r->format);
    case O_JSON:
        r->format = CLI_JSON;
        return true;
    case O_LOOPS:
        r->loops = true;
        return true;
    case O_TOP:
        return loops_parse_top(value, &r->top);
    case O_ALIGNMENT:
        return parse_alignment(r, option, value);
    case O_MIN_CYCLES:
        return cli_number32(option, value, 1, 1000000, &r->predict.min_cycles);
    case O_MIN_ITERATIONS:
        return cli_number32(option, value, 1, 100000, &r->predict.min_iterations);
    case O_UNKNOWN:
        return parse_unknown(r, value);
    case O_BOUNDS_ONLY:
        r->predict.bounds_only = true;
        return true;
    case O_NO_MEMORY_DEPS:
        r->predict.no_memory_deps = true;
        return true;
    case O_ALIAS:
        return initial_state_alias(&r->state, value);
    case O_NO_ALIAS:
        r->predict.no_alias = true;
        return true;
    case O_WHAT_IF:
        r->what_if = true;
        return true;
    default:
        return parse_choice(option, value, "auto|always|never", &r->colour);
    }
}

/* Options that contradict each other; fills in what follows from the others. */
static bool check_request(request *r)
{
    if ((r->predict.variants & TACHO_VARIANT_NO_MOVE_ELIMINATION) &&
        (r->predict.variants & TACHO_VARIANT_FULL_MOVE_ELIMINATION)) {
        cli_error("give --no-move-elimination or --full-move-elimination, not both");
        return false;
    }
    if (pictures_wanted(&r->pictures) && r->source.batch) {
        cli_error("%s does not go with --batch", pictures_option_name(&r->pictures));
        return false;
    }
    if (r->pictures.timeline && r->format == CLI_CSV) {
        cli_error("--timeline does not go with --format csv");
        return false;
    }
    const char *simulated = r->what_if ? "--what-if" : pictures_trace_option(&r->pictures);
    if (r->predict.bounds_only && simulated) {
        cli_error("%s does not go with --bounds-only: it shows a simulation, and the bounds have none",
                  simulated);
        return false;
    }
    if (r->what_if && (r->source.batch || r->format == CLI_CSV)) {
        cli_error("--what-if does not go with %s: CSV has no columns for its runs",
                  r->source.batch ? "--batch" : "--format csv");
        return false;
    }
    if (r->source.batch && r->format >= 0 && r->format != CLI_CSV) {
        cli_error("--batch writes CSV; --format json and text do not apply");
        return false;
    }
    if (r->loops && (r->source.batch || pictures_wanted(&r->pictures) || r->predict.mode)) {
        cli_error("--loops does not go with %s", r->source.batch   ? "--batch"
                                                 : r->predict.mode ? "--mode: it predicts loops"
                                                                   : pictures_option_name(&r->pictures));
        return false;
    }
    if (r->pictures.trace_iterations && !pictures_trace_option(&r->pictures)) {
        cli_error("--trace-iterations goes with --trace, --graph, --occupancy, --timeline or --html");
        return false;
    }
    if (!r->loops && r->top != LOOPS_TOP_DEFAULT) {
        cli_error("--top goes with --loops");
        return false;
    }
    if (!r->source.batch && (r->output || r->shard.count)) {
        cli_error("%s goes with --batch", r->output ? "--output" : "--shard");
        return false;
    }
    if (!shard_check_output(&r->shard, r->output) || !source_check(&r->source))
        return false;
    r->predict.init = r->state.init;
    r->predict.known_mask = r->state.known_mask;
    r->predict.aliases = r->state.aliases;
    r->predict.alias_count = r->state.alias_count;
    r->predict.known_values = r->state.known_mask ? r->state.known : NULL;
    return true;
}

/* ---- one input ---- */

typedef struct run {
    request *request;
    const tacho_code *code;
    const tacho_arch *archs[CLI_MAX_ARCHS];
    size_t arch_count;
    tacho_predictor *predictor;
    tacho_explainer *explainer;
    json_t *list;
    tacho_str out;
    bool colour;
    size_t done, failed;
    bool unwritten; /* a file could not be written */
} run;

/* The whole message of a failed prediction: where, what, and what would help. */
static void describe_failure(const run *run_, const report_subject *s, const tacho_error *err, char *out,
                             size_t size)
{
    char region[120] = "", place[64] = "", name[100];
    if (s->region_count > 1 || s->region->name) {
        report_region_name(s, name, sizeof name);
        snprintf(region, sizeof region, "%s: ", name);
    }
    if (err->offset >= 0)
        snprintf(place, sizeof place,
                 "offset 0x%llx: ", (unsigned long long)(s->region->address + (uint64_t)err->offset));
    bool whole = !run_->request->source.code.symbol && !run_->request->source.code.has_range &&
                 run_->code->region_count == 1;
    snprintf(out, size, "%s: %s%s%s%s", s->input, region, place, err->message,
             err->code == TACHO_ERR_LIMIT && whole ? " (with --symbol, --range or markers)" : "");
}

static void report(run *r, const report_subject *s)
{
    char text[32];
    json_t *object;
    switch (r->request->format) {
    case CLI_JSON:
        object = report_json(s);
        if (s->prediction)
            pictures_json(&r->request->pictures, object, s);
        json_array_append_new(r->list, object);
        return;
    case CLI_CSV: {
        if (r->request->pictures.align) {
            if (s->prediction)
                pictures_csv(&r->request->pictures, &r->out, s);
            return;
        }
        tacho_str hex = {0};
        for (size_t i = 0; i < s->region->byte_count; i++) {
            snprintf(text, sizeof text, "%02x", s->region->bytes[i]);
            tacho_str_append(&hex, text, 2);
        }
        report_csv_row(&r->out, hex.data ? hex.data : "", hex.length, s->arch, s->prediction,
                       s->region->name ? s->region->name : "", s->error);
        tacho_str_free(&hex);
        return;
    }
    default:
        if (r->arch_count > 1) {
            report_text_row(&r->out, s, r->colour);
        } else if (s->prediction) {
            if (r->done + r->failed)
                tacho_str_putc(&r->out, '\n');
            report_text(&r->out, s, r->colour);
            pictures_text(&r->request->pictures, &r->out, s);
        }
    }
}

/* Tables of several microarchitectures and CSV have no room for it. */
static bool explains(const run *r)
{
    if (r->request->predict.bounds_only)
        return false; /* it would simulate */
    return r->request->format == CLI_JSON || (r->request->format == CLI_TEXT && r->arch_count == 1);
}

static void predict_one(run *r, size_t region, size_t arch)
{
    char message[TACHO_ERROR_MESSAGE_SIZE + 400];
    tacho_error err;
    report_subject s = {source_name(&r->request->source),
                        &r->code->regions[region],
                        region,
                        r->code->region_count,
                        r->archs[arch],
                        NULL,
                        NULL,
                        r->code->warnings,
                        r->code->warning_count,
                        NULL,
                        r->request->what_if};
    err.offset = -1;
    pictures_prepare(&r->request->pictures, &r->request->predict);
    int result = tacho_predict(r->predictor, s.arch, s.region->bytes, s.region->byte_count,
                               &r->request->predict, &s.prediction, &err);
    if (!result && explains(r))
        result = tacho_explain(r->explainer, s.prediction, s.region->bytes, s.region->byte_count,
                               &r->request->predict, &s.explanation, &err);
    if (result) {
        s.prediction = NULL;
        pictures_explain(result, &err);
        describe_failure(r, &s, &err, message, sizeof message);
        cli_error("%s", message);
        s.error = message;
    } else
        r->unwritten |= !pictures_write(&r->request->pictures, &s, &r->request->predict);
    bool only = r->code->region_count * r->arch_count == 1;
    if (!result || !only)
        report(r, &s);
    r->done += !result;
    r->failed += result != 0;
    if (r->out.length > 65536 && r->request->format != CLI_JSON) {
        fwrite(r->out.data, 1, r->out.length, stdout);
        tacho_str_clear(&r->out);
    }
}

/* One result is an object, several are a list of objects. */
static void write_json(run *r)
{
    json_t *whole = json_array_size(r->list) == 1 ? json_array_get(r->list, 0) : r->list;
    if (json_array_size(r->list) && !json_dumpf(whole, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12)))
        fputc('\n', stdout);
}

static int predict_all(run *r)
{
    bool several = r->arch_count > 1 && r->request->format == CLI_TEXT;
    if (r->request->format == CLI_CSV)
        pictures_csv_header(&r->request->pictures, &r->out);
    if (several)
        report_text_row(&r->out, &(report_subject){0}, r->colour);
    for (size_t i = 0; i < r->code->region_count; i++)
        for (size_t a = 0; a < r->arch_count; a++)
            predict_one(r, i, a);
    if (!r->done && r->code->region_count * r->arch_count == 1)
        return CLI_INPUT;
    if (r->request->format == CLI_JSON)
        write_json(r);
    else if (r->out.length)
        fwrite(r->out.data, 1, r->out.length, stdout);
    if (r->failed)
        cli_error("%zu of %zu predictions failed", r->failed, r->done + r->failed);
    if (r->unwritten)
        return CLI_INPUT;
    return !r->failed ? CLI_OK : r->done ? CLI_PARTIAL : CLI_INPUT;
}

/* A file takes one result. */
static int check_files(const run *r)
{
    const pictures *p = &r->request->pictures;
    bool table = r->arch_count > 1 && r->request->format == CLI_TEXT;
    if (pictures_wanted(p) && table)
        return cli_usage_error("%s shows one microarchitecture: give one -a ARCH", pictures_option_name(p));
    if (!pictures_write_files(p) || r->code->region_count * r->arch_count == 1)
        return CLI_OK;
    if (r->arch_count > 1)
        return cli_usage_error("a file holds one result: with %s give one -a ARCH", pictures_option_name(p));
    cli_error("a file holds one result, and %s has %zu regions: choose one with --symbol, --range or markers",
              source_name(&r->request->source), r->code->region_count);
    return CLI_INPUT;
}

static int predict_loops_of(const request *r, const tacho_arch *const *archs, int arch_count)
{
    const loops_request q = {.path = r->source.hex ? NULL : r->source.input,
                             .hex = r->source.hex,
                             .name = source_name(&r->source),
                             .code = &r->source.code,
                             .predict = &r->predict,
                             .archs = archs,
                             .arch_count = (size_t)arch_count,
                             .alignment_given = r->alignment_given,
                             .top = r->top,
                             .format = r->format,
                             .colour = cli_use_colour(r->colour),
                             .all_what_ifs = r->what_if};
    return predict_loops(&q);
}

static int predict_input(request *r, const tacho_arch **archs, int arch_count)
{
    tacho_code *code;
    int status = source_load(&r->source, &code);
    if (status)
        return status;
    run run_ = {
        .request = r, .code = code, .arch_count = (size_t)arch_count, .colour = cli_use_colour(r->colour)};
    memcpy(run_.archs, archs, sizeof run_.archs);
    run_.predictor = tacho_predictor_new();
    run_.explainer = tacho_explainer_new();
    run_.list = json_array();
    if (!run_.predictor || !run_.explainer || !run_.list) {
        cli_error("out of memory");
        status = CLI_INPUT;
    } else {
        if (r->format != CLI_JSON && r->format != CLI_TEXT)
            for (size_t i = 0; i < code->warning_count; i++)
                cli_note("%s", code->warnings[i]);
        status = check_files(&run_);
        if (!status)
            status = predict_all(&run_);
    }
    json_decref(run_.list);
    tacho_explainer_free(run_.explainer);
    tacho_predictor_free(run_.predictor);
    tacho_str_free(&run_.out);
    tacho_code_free(code);
    return status;
}

static int predict_for(request *r, const tacho_arch **archs, int arch_count)
{
    bool csv = r->source.batch || r->format == CLI_CSV;
    if (csv && (r->set.count || r->predict.variants))
        cli_note("a what-if run, which the CSV does not say");
    if (r->loops)
        return predict_loops_of(r, archs, arch_count);
    if (!r->source.batch)
        return predict_input(r, archs, arch_count);
    r->predict.details = false;
    return predict_batch(&(predict_batch_request){.path = r->source.batch,
                                                  .output = r->output,
                                                  .shard = r->shard,
                                                  .archs = archs,
                                                  .arch_count = (size_t)arch_count,
                                                  .options = &r->predict,
                                                  .jobs = r->jobs});
}

static int run_predict(int argc, char **argv)
{
    request r = {.source = SOURCE_INIT,
                 .predict = TACHO_PREDICT_OPTIONS_INIT,
                 .pictures = PICTURES_INIT,
                 .top = LOOPS_TOP_DEFAULT,
                 .format = -1};
    const tacho_arch *archs[CLI_MAX_ARCHS] = {0};
    cli_parser p;
    const char *value;
    int id;
    cli_parse_start(&p, &cli_predict, argc, argv);
    while ((id = cli_next(&p, &value)) != CLI_END) {
        if (id == CLI_HELP)
            return cli_help(&cli_predict);
        if (id == CLI_WRONG || !take_option(&r, id, p.typed, value))
            return CLI_USAGE;
    }
    if (!check_request(&r))
        return CLI_USAGE;
    bool fallback;
    int arch_count = cli_find_archs(r.archs, archs, &fallback);
    if (arch_count < 0)
        return CLI_USAGE;
    if (r.format < 0)
        r.format = CLI_TEXT;
    int status = CLI_USAGE;
    if (what_if_apply(&r.set, archs, (size_t)arch_count))
        status = predict_for(&r, archs, arch_count);
    what_if_free(&r.set);
    pictures_free(&r.pictures);
    cli_note_fallback(status, fallback);
    return status;
}

const cli_command cli_predict = {"predict",
                                 run_predict,
                                 "cycles per iteration of a block, and what limits it",
                                 "[INPUT] [-a ARCH] [options]",
                                 options,
                                 more};
