/* fuzz_options.c - values of options and other words of command lines: the first byte chooses the line, the
 * next piece is the value, and where there is a file it follows. None of these lines runs or writes anything.
 */
#include "fuzz.h"
#include "run_command.h"

static const program_line lines[] = {
    {"predict", "--bounds-only", "-a", "SKL", "--hex=%"},
    {"predict", "--bounds-only", "-a", "SKL", "--hex", "48030348895308", "--set=%"},
    {"predict", "--bounds-only", "-a", "SKL", "--hex", "48030348895308", "--init=%"},
    {"predict", "--bounds-only", "-a", "SKL", "--hex", "48030348895308", "--alias=%"},
    {"predict", "--bounds-only", "-a=%", "--hex", "48030348895308"},
    {"predict", "--bounds-only", "-a", "SKL", "--range=%", "--raw", "@1"},
    {"predict", "--bounds-only", "-a", "SKL", "--alignment=%", "--hex", "48030348895308"},
    {"predict", "--bounds-only", "-a", "SKL", "--unknown=%", "--hex", "0f01f9"},
    {"predict", "-a", "SKL", "--iterations=%", "--json", "--hex", "48030348895308"},
    {"arch", "--", "%"},
    {"deps", "--hex", "48030348895308", "--init=%"},
    {"suite", "sample", "-n=%", "@1"},
    {"suite", "sample", "--seed=%", "-n", "1", "@1"},
    {"suite", "filter", "--by=%", "@1"},
    {"suite", "filter", "--only=%", "@1"},
    {"suite", "filter", "--max-bytes=%", "@1"},
    {"suite", "cluster", "--alpha=%", "-k", "1", "--starts", "1", "--passes", "1", "-j", "1", "@1"},
    {"eval", "--measured", "@1", "--predicted", "p=@1", "--resamples", "0", "-j", "1", "--fail-above=%"},
    {"eval", "--measured", "@1", "--predicted", "p=@1", "--resamples", "0", "-j", "1", "--by=%"},
    {"eval", "--measured", "@1", "--predicted", "p=@1", "--resamples", "0", "-j", "1", "--only=%"},
    {"eval", "--measured", "@1", "--predicted", "p=@1", "--resamples", "0", "-j", "1", "--tau-step=%"},
    {"compare", "--samples", "@1", "--threshold=%"},
    {"compare", "--samples", "@1", "--confidence=%"},
    {"compare", "--metric=%", "--samples", "@1"},
    {"bias", "--factors=%"},
    {"bias", "--span=%"},
    {"hot", "--min-share=%"},
    {"hot", "--frequency=%"},
    {"extract", "--timeout=%"},
    {"completion", "%"},
    {"compare", "--save", "/nonexistent/x", "--parameter=n=%", "--", "echo", "{n}"},
    {"compare", "--save", "/nonexistent/x", "--parameter=%", "--name={n}", "--", "echo", "{n}{m}"},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum {
        MAX_BYTES = 2000
    };
    given in = given_start(data, size);
    uint8_t which = given_byte(&in);
    if (which < sizeof lines / sizeof *lines && size < MAX_BYTES)
        program_run(lines[which], &in);
    return 0;
}
