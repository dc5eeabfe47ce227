#include "app/text/record_page.h"

#include <fmt/format.h>

#include "base/text/record_fields.h"
#include "experiments/distinguish.h"
#include "hardness/families/family.h"
#include "hardness/niceness/niceness.h"
#include "learner/method.h"
#include "study/best/best_shot.h"
#include "study/report/finding.h"
#include "study/sweep/compare.h"
#include "study/sweep/examples_search.h"
#include "study/sweep/sweep_record.h"

namespace hardhead::app {
namespace {

template <class Record>
std::string section(const char* title, const char* where) {
  std::string out = fmt::format("\n## {}\n\n{}\n\n| key | value |\n|---|---|\n", title, where);
  for (const RecordField& field : record_fields<Record>())
    out += fmt::format("| `{}` | {} |\n", field.key, field.type);
  return out;
}

}  // namespace

std::string record_page() {
  const std::string head =
      "# Records\n\nThe keys of the JSON that commands print and files have. Made by "
      "`hardhead help --records`\n"
      "from the descriptions in the headers, which say what each value means. A key `a.b` stands in the\n"
      "object `a`; `..` stands for more keys. A number that is not finite is null.\n";
  return head +
         section<study::RunResult>("A run",
                                   "`hardhead learn --json`, a line of a journal, and Python's "
                                   "`RunResult` ([run.h](../study/run/run.h)).") +
         section<learner::Phase>("A phase",
                                 "An entry of `phases`; its measures stand beside its fields "
                                 "([report.h](../learner/report.h)).") +
         section<study::HeadMatch>("An error of parameters",
                                   "`parameter_error` ([match.h](../study/run/match.h)).") +
         section<study::Comparison>("A comparison",
                                    "`hardhead compare --json` "
                                    "([compare.h](../study/sweep/compare.h)).") +
         section<study::ComparisonRow>("A row of a comparison", "An entry of `rows`.") +
         section<study::BestShot>("A best shot",
                                  "An entry of `shots` of `hardhead best --json` "
                                  "([best_shot.h](../study/best/best_shot.h)).") +
         section<study::RungResult>("A rung", "An entry of `ladder`.") +
         section<study::BriefRun>("A run of a rung", "An entry of `tuning` and `fresh`.") +
         section<study::SuccessCurve>("A success curve",
                                      "An entry of `curves` of `hardhead fewest --json` "
                                      "([examples_search.h](../study/sweep/examples_search.h)).") +
         section<study::BudgetResult>("A budget", "An entry of `budgets`.") +
         section<report::Finding>("A finding",
                                  "`verdicts.json` of `hardhead reproduce`, and Python's `Finding` "
                                  "([finding.h](../study/report/finding.h)).") +
         section<study::SweepRecord>("A sweep",
                                     "`sweep.json` of `hardhead sweep` "
                                     "([sweep_record.h](../study/sweep/sweep_record.h)).") +
         section<experiments::DistinguishResult>(
             "A distinguisher",
             "`hardhead lwe distinguish --json`, and Python's `DistinguishResult` "
             "([distinguish.h](../experiments/distinguish.h)).") +
         section<hardness::Condition>("A condition",
                                      "An entry of `conditions` of `hardhead certify --json` "
                                      "([niceness.h](../hardness/niceness/niceness.h)).") +
         section<hardness::Family>("A family",
                                   "An entry of `families` of `hardhead families --json` "
                                   "([family.h](../hardness/families/family.h)).") +
         section<learner::Method>("A learner",
                                  "An entry of `methods` of the same "
                                  "([method.h](../learner/method.h)).") +
         section<Parameter>("A parameter",
                            "An entry of `parameters` and `options` "
                            "([option_table.h](../base/text/option_table.h)).");
}

}  // namespace hardhead::app
