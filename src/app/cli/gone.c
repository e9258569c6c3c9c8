/* gone.c - what the command line had in the version before, and what is there instead. A row stays for one
 * version. */
#include "app/cli/gone.h"

#include <string.h>

#include "app/cli/cli.h"

static const char shards[] =
    "awk divides the rows, and puts the results together: doc/howto/many-machines.md shows how";

static const char moved[] = "'tacho bias --link' moves a program's code, and says what that changes";

static const struct {
    const char *command, *word, *instead;
} rows[] = {
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].command, command) && strlen(rows[i].word) == length &&
            !memcmp(rows[i].word, word, length))
            return !cli_error("'tacho %s %s' is no more: %s", command, rows[i].word, rows[i].instead);
    return false;
}
