/* progress_line.c - see progress_line.h. */
#include "app/cli/progress_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/seconds.h"

#define STANDS_SECONDS 0.2
#define LOG_SECONDS    60

static bool off, shown, logs;
static double since, log_seconds;

void cli_progress_off(void)
{
    off = true;
}

void cli_progress_into_log(void)
{
    const char *given = getenv("TACHO_PROGRESS");
    char *end = NULL;
    log_seconds = given ? strtod(given, &end) : LOG_SECONDS;
    if (given && (end == given || *end || !(log_seconds >= 0)))
        log_seconds = LOG_SECONDS;
    logs = !isatty(STDERR_FILENO);
    since = seconds_now();
}

/* Whether lines are shown that are written over. */
static bool cli_progress_is_on(void)
{
    return !off && isatty(STDERR_FILENO);
}

static void show(const char *format, va_list args)
{
    fputs("\r\033[K", stderr);
    vfprintf(stderr, format, args);
    shown = true;
    since = seconds_now();
}

static void log_line(const char *format, va_list args)
{
    fputs("tacho: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    since = seconds_now();
}

void cli_progress(const char *format, ...)
{
    va_list args;
    if (logs && !off && seconds_now() - since >= log_seconds) {
        va_start(args, format);
        log_line(format, args);
        va_end(args);
    }
    if ((shown && seconds_now() - since < STANDS_SECONDS) || !cli_progress_is_on())
        return;
    va_start(args, format);
    show(format, args);
    va_end(args);
}

void cli_progress_last(const char *format, ...)
{
    va_list args;
    if (!cli_progress_is_on())
        return;
    va_start(args, format);
    show(format, args);
    va_end(args);
    fputc('\n', stderr);
    shown = false;
}

void cli_progress_clear(void)
{
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
}
