/* cmd_eval_pictures.c - files of what an evaluation looks like. */
#include "app/cli/cmd_eval.h"

#include <string.h>

#include "app/cli/output.h"
#include "app/cli/tool.h"

bool eval_pictures_take_groups(void *pictures, const char *option, const char *value)
{
    eval_pictures *p = pictures;
    const char *equals = strchr(value, '=');
    p->groups = equals ? equals + 1 : value;
    return eval_take_name(p->grouping, value, equals ? (size_t)(equals - value) : 0) &&
           cli_file(option, p->groups, "svg|png");
}

static bool draw_heat_map(const eval_pictures *p, const report_eval *report)
{
    tacho_str script = {0};
    report_plot_heat_maps(&script, report, tool_is_png(p->heat_map));
    return tool_plot(&script, p->heat_map);
}

static bool draw_errors(const eval_pictures *p, const report_eval *report)
{
    tacho_str script = {0};
    report_plot_errors(&script, report, tool_is_png(p->errors));
    return tool_plot(&script, p->errors);
}

static bool draw_groups(const eval_pictures *p, const report_eval *report)
{
    const tacho_eval_result *r = report->result;
    size_t grouping = 0;
    while (grouping < r->grouping_count && *p->grouping && strcmp(r->groupings[grouping].name, p->grouping))
        grouping++;
    if (grouping == r->grouping_count)
        return cli_error("--groups: the blocks are not divided by %s",
                         *p->grouping ? p->grouping : "anything");
    tacho_str script = {0};
    report_plot_groups(&script, report, grouping, tool_is_png(p->groups));
    return tool_plot(&script, p->groups);
}

static bool write_page(const eval_pictures *p, const report_eval *report)
{
    tacho_str page = {0};
    report_eval_page(&page, report);
    return cli_output_text(p->html, &page);
}

bool eval_pictures_draw(const eval_pictures *p, const report_eval *report)
{
    return (!p->heat_map || draw_heat_map(p, report)) && (!p->errors || draw_errors(p, report)) &&
           (!p->groups || draw_groups(p, report)) && (!p->html || write_page(p, report));
}
