/* fuzz_commands.c - CSV files as commands read them: the first byte chooses the command line, then come the
 * files, which end in a byte 0xff each. */
#include "fuzz.h"
#include "run_command.h"

static const program_line lines[] = {
    {"suite", "dedup", "@1", "@2"},
    {"suite", "sample", "-n", "3", "--seed", "1", "@1"},
    {"suite", "filter", "--max-accesses", "2", "-a", "SKL", "--by", "app=a", "--drop", "count=5", "@1"},
    {"suite", "loops", "--both", "--batch", "@1"},
    {"suite", "cluster", "-k", "2", "--starts", "1", "--passes", "2", "-j", "1", "@1"},
    {"suite", "cluster", "--passes", "1", "-j", "1", "-a", "SKL", "@2", "@1"},
    {"suite", "cluster", "--starts", "1", "--passes", "1", "-j", "1", "--weight", "count", "@1"},
    {"eval", "--measured", "@1", "--predicted", "p=@2", "--resamples", "0", "-j", "1"},
    {"eval", "--measured", "@1", "--predicted", "@2", "--categories", "@3", "--resamples", "0", "-j", "1",
     "--format", "json"},
    {"eval", "--measured", "@1", "--predicted", "p=@2", "--common", "--resamples", "2", "-j", "1", "--format",
     "markdown"},
    {"eval", "--diff", "@1", "@2", "-j", "1"},
    {"eval", "--diff", "@1", "@2", "--measured", "@3", "--format", "json", "-j", "1"},
    {"compare", "--samples", "@1"},
    {"compare", "--samples", "@1", "--metric", "cycles", "--format", "json"},
    {"predict", "--bounds-only", "-j", "1", "-a", "SKL", "--batch", "@1"},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    given in = given_start(data, size);
    uint8_t which = given_byte(&in);
    if (which < sizeof lines / sizeof *lines)
        program_run(lines[which], &in);
    return 0;
}
