/* cmd_eval_pictures.c - files of what an evaluation looks like. */
#include "app/cli/cmd_eval.h"

#include "app/cli/output.h"
#include "app/cli/tool.h"

static bool draw_heat_map(const eval_pictures *p, const report_eval *report)
{
    tacho_str script = {0};
    report_plot_heat_maps(&script, report, tool_is_png(p->heat_map));
    return tool_plot(&script, p->heat_map);
}

static bool write_page(const eval_pictures *p, const report_eval *report)
{
    tacho_str page = {0};
    report_eval_page(&page, report);
    return cli_output_text(p->html, &page);
}

bool eval_pictures_draw(const eval_pictures *p, const report_eval *report)
{
    return (!p->heat_map || draw_heat_map(p, report)) && (!p->html || write_page(p, report));
}
