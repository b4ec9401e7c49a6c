// Prints plans for sizes that cannot be measured.

#include "lsh_bench.h"

namespace manyarms::bench {
namespace {

// Plans with memory in proportion to the number of points, which show how far
// the costs are from the theory's exponents.
void PrintGrowth(const Setting& setting) {
  constexpr double kBytesPerPoint = 1000;
  constexpr std::size_t kMost = 1'000'000'000'000;
  for (std::size_t points = 1000; points <= kMost; points *= 10) {
    Setting at = setting;
    at.points = points;
    LshPlanRequest request = RequestOf(at);
    request.max_bytes = kBytesPerPoint * static_cast<double>(points);
    Json row;
    row["part"] = "plan";
    row.update(Describe(at));
    row["max_bytes"] = request.max_bytes;
    row["plan"] = Describe(PlanLsh(request));
    Print(row);
  }
}

void PrintBreakEven(const Setting& setting) {
  LshPlanRequest request = RequestOf(setting);
  Json row;
  row["part"] = "break-even";
  row.update(Describe(setting));
  row.erase("points");
  const auto print = [&](const char* name, double bytes, std::size_t most) {
    request.max_bytes = bytes;
    const auto points = BreakEvenPoints(request, most);
    row[name] = points ? Json(*points) : Json(nullptr);
  };
  print("within_8_gb", 8e9, 10'000'000);
  print("any_memory", 1e30, 1'000'000'000'000);
  Print(row);
}

}  // namespace

void PrintPlans() {
  for (const Reduction reduction : {Reduction::kSymmetric, Reduction::kPaper}) {
    for (const auto& [ratio, sought] : kCostProblems) {
      const Setting setting{
          .ratio = ratio, .sought = sought, .reduction = reduction};
      PrintGrowth(setting);
      PrintBreakEven(setting);
    }
  }
}

}  // namespace manyarms::bench
