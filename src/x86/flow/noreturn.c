/* noreturn.c - functions that do not return: what follows a call of them is no continuation. Names from the C
 * and C++ standard libraries and the runtimes of compilers. */
#include <string.h>

#include "base/search.h"
#include "x86/flow/code_search.h"

static const char *const names[] = {
    /* sorted */
    "_Exit",
    "_Unwind_Resume",
    "_ZSt10unexpectedv",
    "_ZSt9terminatev",
    "__assert_fail",
    "__assert_perror_fail",
    "__chk_fail",
    "__cxa_bad_cast",
    "__cxa_bad_typeid",
    "__cxa_call_unexpected",
    "__cxa_pure_virtual",
    "__cxa_rethrow",
    "__cxa_throw",
    "__cxa_throw_bad_array_new_length",
    "__fortify_fail",
    "__libc_start_main",
    "__longjmp_chk",
    "__stack_chk_fail",
    "_exit",
    "_longjmp",
    "abort",
    "err",
    "errx",
    "exit",
    "longjmp",
    "pthread_exit",
    "quick_exit",
    "rust_begin_unwind",
    "siglongjmp",
    "thrd_exit",
    "verr",
    "verrx",
};

static int compare(const void *key, const void *item)
{
    return strcmp(key, *(const char *const *)item);
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && !strcmp(name + n - m, end);
}

bool tacho_function_returns(const char *name)
{
    if (tacho_find_sorted(name, names, sizeof names / sizeof *names, sizeof *names, compare))
        return false;
    bool throws = !strncmp(name, "_ZSt", 4) && strstr(name, "__throw_"); /* std::__throw_out_of_range ... */
    bool panics = strstr(name, "core9panicking") || strstr(name, "core6option13expect_failed") ||
                  strstr(name, "core6result13unwrap_failed"); /* Rust */
    bool reports = (!strncmp(name, "__asan_report_", 14) && !ends_in(name, "_noabort")) ||
                   (!strncmp(name, "__ubsan_handle_", 15) && ends_in(name, "_abort")); /* sanitizers */
    return !throws && !panics && !reports;
}
