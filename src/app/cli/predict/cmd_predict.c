/* cmd_predict.c - tacho predict: its options. */
#include "app/cli/predict/cmd_predict.h"
#include "base/mem.h"

static bool set_one(tacho_arch *arch, char *word)
{
    tacho_error err;
    char *value = strchr(word, '=');
    if (!value)
        return cli_error("--set is PARAMETER=VALUE, for instance issue_width=6, not '%s'", word);
    *value++ = '\0';
    return !tacho_arch_parameter_set(arch, word, value, &err) ||
           cli_error("--set for %s: %s", arch->name, err.message);
}

static bool set_all(const what_if *w, tacho_arch *arch)
{
    tacho_error err;
    for (size_t i = 0; i < w->count; i++) {
        const char *rest = w->assignments[i];
        for (cli_word word; cli_next_word(&rest, word);)
            if (!set_one(arch, word))
                return false;
    }
    return !tacho_arch_check(arch, &err) || cli_error("--set for %s: %s", arch->name, err.message);
}

/* Takes --set, in a what_if. @return false with a message */
static bool what_if_add(void *target, const char *option, const char *assignments)
{
    what_if *w = target;
    if (w->count == WHAT_IF_MAX)
        return cli_error("--set is given more than %d times; it takes lists with commas, too", WHAT_IF_MAX);
    w->assignments[w->count++] = assignments;
    return true;
}

/* Puts changed copies, which live until what_if_free, in the place of the `count` microarchitectures.
 * @return false with a message */
static bool what_if_apply(what_if *w, const tacho_arch **archs, size_t count)
{
    if (!w->count)
        return true;
    w->archs = tacho_mem_zalloc(count, sizeof *w->archs);
    if (!w->archs)
        return cli_error("out of memory");
    for (size_t i = 0; i < count; i++) {
        w->archs[i] = *archs[i];
        archs[i] = &w->archs[i];
        if (!set_all(w, &w->archs[i]))
            return false;
    }
    return true;
}

static void what_if_free(what_if *w)
{
    tacho_mem_free(w->archs);
}

/* ---- tacho predict: its options ---- */

#define CLI_REQUEST predict_request

static bool take_alignment(void *target, const char *option, const char *value)
{
    predict_request *r = target;
    unsigned long long n;
    if (tacho_str_same(value, "all")) {
        r->pictures.align = true;
        return true;
    }
    if (!tacho_parse_u64(value, &n) || n > 63)
        return cli_error("%s is a whole number from 0 to 63, or all, not '%s'", option, value);
    r->alignment_given = true;
    r->options.alignment = (uint32_t)n;
    return true;
}

static bool take_unknown(void *target, const char *option, const char *value)
{
    tacho_predict_options *o = target;
    unsigned long long cycles;
    if (tacho_parse_u64(value, &cycles)) {
        o->unknown = TACHO_UNKNOWN_LATENCY;
        return cli_number32("--unknown N", value, 1, TACHO_MAX_UNKNOWN_LATENCY, &o->unknown_latency);
    }
    int choice = cli_choice(option, value, "warn|skip|error|a latency in cycles");
    o->unknown = (tacho_unknown)choice;
    return choice >= 0;
}

/* llvm-mca's: the target, which can be none other here. */
static bool check_triple(void *target, const char *option, const char *value)
{
    static const char *const names[] = {"x86_64", "amd64", "x86_64h"};
    size_t n = strcspn(value, "-");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && tacho_str_same_n(names[i], value, n))
            return true;
    return cli_error("%s: tacho analyses x86-64 code (x86_64-..., amd64-...), not '%s'", option, value);
}

static const cli_option options[] = {
    {CLI_STRING, "arch", 'a', "ARCH",
     "microarchitecture: native (default), a name or a model's\nfile, several with commas, or all; see tacho "
     "arch --list",
     CLI_AT(names), .also = "mcpu|march"},
    {CLI_CALL, "mtriple", 0, "TRIPLE", NULL, CLI_ALL, .take = check_triple},
    {CLI_CHOICE, "mode", 'm', "MODE auto|loop|unroll",
     "auto (default: loop where the code ends in a branch),\nloop or unroll", CLI_AT(options.mode)},
    {CLI_TITLE, .help = "Input, and which part of it"},
    {CLI_GROUP, .rows = source_rows, CLI_TO(source)},
    {CLI_GROUP, .rows = source_parts_rows, CLI_TO(source)},
    {CLI_WHOLE, "top", 0, "N", "with --loops: full reports on the first N loops, or all", CLI_AT(source.top),
     .high = UINT32_MAX, .word = "all"},
    {CLI_STRING, "batch", 0, "FILE",
     "a block a line: CSV with hex in the column that a\nheader calls so, else the first; - for standard "
     "input; writes CSV",
     CLI_AT(source.batch)},
    {CLI_WHOLE, "jobs", 'j', "N", "threads for --batch (default: all processors)", CLI_AT(jobs), .low = 1,
     .high = 256},
    {CLI_STRING, "output", 'o', "FILE", "with --batch: where the results go (default: standard\noutput)",
     CLI_AT(output)},
    {CLI_TITLE, .help = "What is known of the code"},
    {CLI_GROUP, .rows = init_rows, CLI_TO(state)},
    {CLI_GROUP, .rows = alias_rows, CLI_TO(state)},
    {CLI_SWITCH, "no-memory-deps", 0, NULL, "ignore dependencies from stores to loads",
     CLI_AT(options.no_memory_deps)},
    {CLI_SWITCH, "advance", 0, NULL,
     "addresses that the code does not advance do so after each\niteration: for code inside a loop whose "
     "increment is\nelsewhere",
     CLI_AT(options.advance)},
    {CLI_WHOLE, "elements", 0, "N",
     "elements that an iteration works on, for cycles per element\n(default: as its addresses say)",
     CLI_AT(options.elements), .low = 1, .high = UINT32_MAX},
    {CLI_CALL, "alignment", 0, "N",
     "offset of the first byte from a 64-byte boundary: 0 to 63\n(default: as the addresses of INPUT say, "
     "else 0), or all:\na table; also --align",
     CLI_ALL, .take = take_alignment, .also = "align|alignmentOffset"},
    {CLI_CALL, "unknown", 0, "HOW warn|skip|error",
     "instructions that the table lacks: warn (default: an issue\nslot, no time), skip (left out), error, or "
     "N: one µop with a\nlatency of N cycles",
     CLI_AT(options), .take = take_unknown},
    {CLI_SWITCH, "ignore-isa", 0, NULL,
     "predict also what ARCH cannot execute, as if it could;\nelse that is an error",
     CLI_AT(options.ignore_isa)},
    {CLI_STRING, "compiled-for", 0, "NAME",
     "what a compiler was told with -march or -mtune: the core\nof that name where there is one, unless -a "
     "names another",
     CLI_AT(compiled_for)},
    {CLI_TITLE, .help = "Simulation"},
    {CLI_WHOLE, "min-cycles", 0, "N",
     "until a steady state is found, simulate at least so many\ncycles (default 500)",
     CLI_AT(options.min_cycles), .low = 1, .high = 1000000, .also = "minCycles"},
    {CLI_WHOLE, "min-iterations", 0, "N", "and so many iterations (default 10)",
     CLI_AT(options.min_iterations), .low = 1, .high = 100000, .also = "minIterations"},
    {CLI_WHOLE, "iterations", 0, "N",
     "also the cycles of N iterations in all, from an empty\npipeline on (text and JSON)",
     CLI_AT(options.run_iterations), .low = 1, .high = TACHO_MAX_RUN_ITERATIONS},
    {CLI_SWITCH, "bounds-only", 0, NULL,
     "the highest of the analytical bounds, without simulating:\nmicroseconds a block, and never too high",
     CLI_AT(bounds_only)},
    {CLI_TITLE, .help = "What if"},
    {CLI_CALL, "set", 0, "PARAM=VALUE,...",
     "what if a parameter of the microarchitecture were VALUE;\ntacho arch ARCH lists them", CLI_AT(set),
     .take = what_if_add},
    {CLI_BITS, "simple-front-end", 0, NULL, "what if the front end always delivered enough",
     CLI_AT(options.variants), .low = TACHO_VARIANT_SIMPLE_FRONT_END, .also = "simpleFrontEnd"},
    {CLI_BITS, "simple-port-assignment", 0, NULL, "what if ports were chosen at random",
     CLI_AT(options.variants), .low = TACHO_VARIANT_SIMPLE_PORT_ASSIGNMENT},
    {CLI_BITS, "no-micro-fusion", 0, NULL, "what if no µops were micro-fused", CLI_AT(options.variants),
     .low = TACHO_VARIANT_NO_MICRO_FUSION, .also = "noMicroFusion"},
    {CLI_BITS, "no-macro-fusion", 0, NULL, "what if no branches were macro-fused", CLI_AT(options.variants),
     .low = TACHO_VARIANT_NO_MACRO_FUSION, .also = "noMacroFusion"},
    {CLI_BITS, "no-lsd-unrolling", 0, NULL, "what if the LSD did not unroll loops", CLI_AT(options.variants),
     .low = TACHO_VARIANT_NO_LSD_UNROLLING},
    {CLI_BITS, "no-move-elimination", 0, NULL, "what if no moves were eliminated", CLI_AT(options.variants),
     .low = TACHO_VARIANT_NO_MOVE_ELIMINATION},
    {CLI_BITS, "full-move-elimination", 0, NULL, "what if all moves that can be were eliminated",
     CLI_AT(options.variants), .low = TACHO_VARIANT_FULL_MOVE_ELIMINATION},
    {CLI_BITS, "simple-memory", 0, NULL,
     "what if loads read only from stores to the same address,\nalways forwarded, pointers in memory were "
     "never the\nsame, and results never late for units of another kind",
     CLI_AT(options.variants), .low = TACHO_VARIANT_SIMPLE_MEMORY},
    {CLI_SWITCH, "what-if", 0, NULL,
     "show all what-if runs (parts of the machine taken as\nideal), not only those that help most",
     CLI_AT(all_what_ifs)},
    {CLI_TITLE, .help = "Data beyond the first level"},
    {CLI_STRING, "data", 0, "WHERE",
     "where the data of the loop's streams lie: L1 (default), L2,\nL3, memory, or their size: 512K, 64M",
     CLI_AT(data)},
    {CLI_STRING, "memory", 0, "FILE",
     "with --data: the memory of another machine, as tacho doctor\n--memory -o FILE has described it; ZEN3 "
     "or ZEN5: one that\ntacho knows",
     CLI_AT(memory)},
    {CLI_TITLE, .help = "Reports"},
    CLI_FORMAT_ROWS("text|json|csv", "text (default), json or csv"),
    {CLI_GROUP, .rows = listing_rows, CLI_TO(source)},
    {CLI_IGNORED, "bottleneck-analysis", 0, NULL, NULL, CLI_ALL},
    {CLI_IGNORED, "instruction-info", 0, NULL, NULL, CLI_ALL},
    {CLI_SWITCH, "explorer", 0, NULL,
     "text for panes beside code, as Compiler Explorer has them:\nno colours, 100 columns, ICX if no core is "
     "named",
     CLI_AT(pane)},
    CLI_COLOUR_ROW,
    {CLI_TITLE, .help = "Pictures and pages"},
    {CLI_GROUP, .rows = pictures_rows, CLI_TO(pictures)},
    {.kind = CLI_END},
};

/* Options that contradict each other; fills in what follows from the others. */
static bool check_request(predict_request *r)
{
    r->pictures.timeline |= r->pictures.iterations_given;
    if ((r->options.variants & TACHO_VARIANT_NO_MOVE_ELIMINATION) &&
        (r->options.variants & TACHO_VARIANT_FULL_MOVE_ELIMINATION))
        return cli_error("give --no-move-elimination or --full-move-elimination, not both");
    if (pictures_wanted(&r->pictures) && r->source.batch)
        return cli_error("%s does not go with --batch", pictures_option_name(&r->pictures));
    if (r->pictures.timeline && r->format == CLI_CSV)
        return cli_error("--timeline does not go with --format csv");
    const char *simulated = r->all_what_ifs ? "--what-if" : pictures_trace_option(&r->pictures);
    if (r->bounds_only && simulated)
        return cli_error("%s does not go with --bounds-only: it shows a simulation, and the bounds have none",
                         simulated);
    if (r->options.run_iterations && (r->bounds_only || r->source.batch || r->format == CLI_CSV))
        return cli_error("--iterations does not go with %s",
                         r->bounds_only    ? "--bounds-only: nothing is simulated"
                         : r->source.batch ? "--batch: CSV has no column for a whole run"
                                           : "--format csv: it has no column for a whole run");
    if (r->all_what_ifs && (r->source.batch || r->format == CLI_CSV))
        return cli_error("--what-if does not go with %s: CSV has no columns for its runs",
                         r->source.batch ? "--batch" : "--format csv");
    if (r->source.batch && r->format >= 0 && r->format != CLI_CSV)
        return cli_error("--batch writes CSV; --format json and text do not apply");
    if (r->pictures.trace_iterations && !pictures_trace_option(&r->pictures))
        return cli_error("--trace-iterations goes with --trace, --graph, --timeline or --html");
    if (r->memory && !r->data)
        return cli_error("--memory goes with --data");
    if (r->data && (r->source.batch || r->format == CLI_CSV || r->bounds_only || r->source.second))
        return cli_error("--data does not go with %s", r->source.batch        ? "--batch"
                                                       : r->format == CLI_CSV ? "--format csv"
                                                       : r->source.second     ? "a second input"
                                                                              : "--bounds-only");
    if (r->pane && (r->source.batch || (r->format >= 0 && r->format != CLI_TEXT)))
        return cli_error("--explorer writes text; %s does not go with it",
                         r->source.batch ? "--batch" : "--format");
    if (!r->source.batch && r->output)
        return cli_error("--output goes with --batch");
    if (r->pane && !r->source.code.assembler)
        r->source.code.assembler = TACHO_ASSEMBLER_OWN; /* of a page's text nothing is handed on */
    r->source.done = "predicted";
    r->source.one_block = r->options.mode ? "--mode: it predicts loops" : NULL;
    if (!source_check(&r->source))
        return false;
    INITIAL_STATE_PUT(&r->options, &r->state);
    return true;
}

static int predict_parts(predict_request *r)
{
    TACHO_ENDS(source_parts_free) source_parts parts = {0};
    return source_parts_find(&r->source, &parts)
               ?: (parts.loops ? predict_loops(r, &parts) : predict_input(r, &parts));
}

/* Names that compilers know and that are no core's (x86-64-v3, native) say nothing. In a pane the answer is
 * not to depend on the machine that gives it. */
static const char *core_of(const predict_request *r)
{
    if (r->names)
        return r->names;
    if (r->compiled_for && !tacho_str_same(r->compiled_for, "native") &&
        tacho_arch_find(r->compiled_for, NULL))
        return r->compiled_for;
    return r->pane ? "ICX" : NULL;
}

static int predict_for(predict_request *r)
{
    bool csv = r->source.batch || r->format == CLI_CSV;
    if (csv && (r->set.count || r->options.variants))
        cli_note("a what-if run, which the CSV does not say");
    if (csv && r->options.advance)
        cli_note(
            "addresses are assumed to advance with each iteration (--advance), which the CSV does not say");
    if (csv && r->options.ignore_isa)
        cli_note("code that the microarchitecture cannot execute is predicted as if it could (--ignore-isa), "
                 "which the CSV does not say");
    if (r->source.second) {
        source other = r->source;
        other.input = r->source.second;
        int status = predict_versions(r, &other);
        source_free(&other);
        return status;
    }
    if (!r->source.batch)
        return predict_parts(r);
    r->options.details = false;
    return predict_batch(r);
}

static int run_predict(void *asked)
{
    predict_request *r = asked;
    if (!check_request(r))
        return CLI_USAGE;
    if (r->source.list_regions) {
        int listed = source_list(&r->source);
        source_free(&r->source);
        return listed;
    }
    bool fallback;
    int arch_count = cli_find_archs(core_of(r), r->archs, &fallback);
    if (arch_count < 0)
        return CLI_USAGE;
    r->arch_count = (size_t)arch_count;
    r->all_archs = r->names && tacho_str_same(r->names, "all");
    r->predict = r->bounds_only ? tacho_predict_bounds : tacho_predict;
    r->colours = !r->pane && cli_use_colour(r->colour);
    if (r->format < 0)
        r->format = CLI_TEXT;
    int status = CLI_USAGE;
    if (what_if_apply(&r->set, r->archs, r->arch_count))
        status = predict_for(r);
    what_if_free(&r->set);
    pictures_free(&r->pictures);
    source_free(&r->source);
    cli_note_fallback(status, fallback);
    return status;
}

CLI_DEFINE(cli_predict, "predict", "cycles per iteration of a block, and what limits it",
           "[INPUT [OTHER]] [-a ARCH] [options]", options, help_predict, run_predict, predict_request,
           .source = SOURCE_INIT, .source.takes_two = true, .options = TACHO_PREDICT_OPTIONS_INIT,
           .pictures = PICTURES_INIT, .format = -1);
