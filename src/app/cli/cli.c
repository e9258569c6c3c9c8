/* cli.c - what the subcommands share beside options: messages, microarchitectures, colours; what the command
 * line had in the version before. */
#include <limits.h>
#include <sched.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/output.h"
#include "base/parallel.h"
#include "base/suggest.h"

/* Files and arguments may hold anything: what would move a terminal's cursor, or worse, is not shown. */
static void message(const char *prefix, const char *format, va_list args)
{
    char text[4096];
    tacho_vformat_fit(text, sizeof text, format, args);
    for (char *c = text; *c; c++)
        if (((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f)
            *c = '?';
    cli_progress_clear();
    fprintf(stderr, "tacho: %s%s\n", prefix, text);
}

void cli_say_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message("", format, args);
    va_end(args);
}

void cli_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message("note: ", format, args);
    va_end(args);
}

int cli_status(int rc, const tacho_error *err)
{
    if (rc)
        cli_error("%s", err->message);
    return !rc ? CLI_OK : rc == TACHO_ERR_USAGE ? CLI_USAGE : CLI_INPUT;
}

const char *cli_offset(char out[CLI_OFFSET_SIZE], uint64_t start, int64_t offset, const char *of)
{
    *out = '\0';
    if (offset >= 0)
        snprintf(out, CLI_OFFSET_SIZE, "offset 0x%" PRIx64 "%s: ", start + (uint64_t)offset, of);
    return out;
}

const cli_command *cli_find_command(const cli_command *const *commands, const char *prefix, const char *name)
{
    tacho_suggest s = {.wanted = name};
    for (; *commands; commands++) {
        const char *known = (*commands)->name + strlen(prefix);
        if (!strcmp(known, name))
            return *commands;
        tacho_suggest_offer(&s, known);
    }
    if (*prefix && cli_is_gone("suite", name, strlen(name)))
        return NULL;
    if (!*prefix)
        tacho_suggest_offer(&s, "help");
    if (!*tacho_suggest_text(&s))
        snprintf(s.text, sizeof s.text, "; 'tacho %s' lists the commands", *prefix ? "suite" : "help");
    cli_error("unknown command '%s%s'%s", prefix, name, s.text);
    return NULL;
}

static int find_default(const tacho_arch **out, bool *fallback)
{
    tacho_error err;
    out[0] = cli_native_core(&err);
    if (!out[0]) {
        out[0] = tacho_arch_find("SKL", &err);
        if (!out[0]) {
            cli_error("%s", err.message);
            return -1;
        }
        *fallback = true;
    }
    return 1;
}

void cli_note_fallback(int status, bool fallback)
{
    if (fallback && (status == CLI_OK || status == CLI_PARTIAL))
        cli_note("this machine's microarchitecture is not supported; this is for SKL (choose with -a)");
}

int cli_find_archs(const char *names, const tacho_arch **out, bool *fallback)
{
    *fallback = false;
    if (!names)
        return find_default(out, fallback);
    if (tacho_str_same(names, "all")) {
        int count = 0;
        for (size_t i = 0; i < tacho_arch_count() && count < CLI_MAX_ARCHS; i++)
            out[count++] = tacho_arch_get(i);
        return count;
    }
    int count = 0;
    for (const char *end; names; names = end ? end + 1 : NULL) {
        char name[PATH_MAX];
        tacho_error err;
        end = strchr(names, ',');
        snprintf(name, sizeof name, "%.*s", end ? (int)(end - names) : INT_MAX, names);
        if (count == CLI_MAX_ARCHS) {
            cli_error("more than %d microarchitectures", CLI_MAX_ARCHS);
            return -1;
        }
        out[count] = cli_find_core(name, &err);
        if (!out[count++]) {
            cli_error("%s", err.message);
            return -1;
        }
    }
    return count;
}

bool cli_use_colour(int when)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (when)
        return when == 1;
    return isatty(STDOUT_FILENO) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

unsigned cli_processors(void)
{
    return parallel_processors();
}

/* ---- what is gone: a row stays for one version ---- */

static const char shards[] =
    "awk divides the rows, and puts the results together: doc/howto/many-machines.md shows how";

static const char moved[] = "'tacho bias --link' moves a program's code, and says what that changes";

static const struct {
    const char *command, *word, *instead;
} gone[] = {
    {"insn", "--missing", "'tacho predict --batch' says in its column 'unknown' which blocks lack figures"},
    {"predict", "--occupancy", "--html has the picture"},
    {"predict", "--align-plot", "--html has the picture, --align all the table"},
    {"eval", "--diff", "--predicted old=FILE --predicted new=FILE judges both"},
    {"eval", "--tolerance", "it was of --diff: --predicted old=FILE --predicted new=FILE judges both"},
    {"eval", "--errors", "--html has the picture"},
    {"eval", "--groups", "--html has the picture"},
    {"eval", "--format latex", "--format csv has the figures"},
    {"compare", "--plot", "--save writes all runs, for any program that draws"},
    {"arch", "--diff", "'tacho learn --diff A B' has it, of cores and models"},
    {"deps", "--graph", "'tacho predict --graph' draws a block's, --json has them"},
    {"kernels", "--plot", "--format csv has a row a variant, for any program that draws"},
    {"learn", "--svg", "--json has the curves, for any program that draws"},
    {"compare", "--import",
     "jq makes samples of results, for --samples: doc/tutorials/compare-builds.md shows how"},
    {"compare", "--baseline", "with --samples the old results are side A"},
    {"compare", "--save-baseline", "with --samples the old results are side A"},
    {"compare", "--parameter", "a loop in the shell compares each value with the first"},
    {"compare", "-P", "a loop in the shell compares each value with the first"},
    {"compare", "--parameter-list", "a loop in the shell compares each value with the first"},
    {"compare", "-L", "a loop in the shell compares each value with the first"},
    {"compare", "--link-a", moved},
    {"compare", "--link-b", moved},
    {"compare", "--objects-a", moved},
    {"compare", "--objects-b", moved},
    {"compare", "--format markdown", "--json has all of it"},
    {"eval", "--format markdown", "the text between two lines of ``` does in Markdown, too"},
    {"hot", "--opt-records",
     "'gcc -fopt-info-optimized-missed' and clang's '-Rpass-missed=.*' say it when they compile"},
    {"kernels", "--format markdown", "the text between two lines of ``` does in Markdown, too"},
    {"kernels", "--models walk:", "trace: asks along the path that the kernel takes"},
    {"predict", "--shard", shards},
    {"measure", "--shard", shards},
    {"eval", "--shard", shards},
    {"suite loops", "--shard", shards},
    {"suite", "join", shards},
    {"suite", "split",
     "'tacho suite sample' chooses blocks, and awk the rows that are not among them: a part for each"},
    {"suite sample", "--by-app", "'tacho suite filter --by app=NAME' has the blocks of each, to be sampled"},
    {"suite", "classify",
     "'tacho suite cluster' of all suites together gives their blocks the same categories"},
    {"suite", "perplexity", "'tacho suite cluster' says how well its categories fit"},
    {"suite cluster", "--model", "its categories are in the suite that it writes"},
    {"suite cluster", "--method", "all blocks at once fit better, and take less time"},
    {"suite cluster", "--plot", "--format csv has each application's shares, for any program that draws"},
    {"doctor", "--quick", "all of it takes half a second"},
    {"doctor", "-q", "all of it takes half a second"},
};

bool cli_is_gone(const char *command, const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        if (!strcmp(gone[i].command, command) && strlen(gone[i].word) == length &&
            !memcmp(gone[i].word, word, length))
            return !cli_error("'tacho %s %s' is no more: %s", command, gone[i].word, gone[i].instead);
    return false;
}
