// The module manyarms._core, which binds the library to Python. Each file binds
// one part of it.

#include <nanobind/nanobind.h>

#include "bandit.h"
#include "decision.h"
#include "errors.h"
#include "evaluation.h"
#include "ids.h"
#include "log.h"
#include "manyarms/threads.h"
#include "manyarms/version.h"
#include "options.h"
#include "population.h"
#include "prior.h"
#include "shards.h"
#include "sim.h"

namespace nb = nanobind;
using namespace manyarms::python;
using namespace nb::literals;

namespace {

void BindThreads(nb::module_& module) {
  module.def("survey_threads", &manyarms::SurveyThreads,
             "The number of threads on which certified search takes its "
             "surveys while choices continue. All bandits share them.");
  module.def(
      "set_survey_threads",
      [](nb::handle threads) {
        manyarms::SetSurveyThreads(ParseNumber(threads, {"threads", "an int"}));
      },
      "threads"_a, nb::sig("def set_survey_threads(threads: int) -> None"),
      "Sets the number of survey threads. With 0, a choice that finds a survey "
      "worth its price takes it itself. Decisions are the same for any "
      "number.");
}

}  // namespace

NB_MODULE(_core, module) {
  // Objects that are still alive when Python ends, for instance in a global
  // list, are no reason to warn users.
  nb::set_leak_warnings(false);
  module.attr("version") = manyarms::kVersion;
  TranslateErrors();
  BindDecision(module);
  BindOptions(module);
  BindPriors(module);
  BindBandit(module);
  BindPopulation(module);
  BindArmShard(module);
  BindShardedBandit(module);
  BindLog(module);
  BindEvaluation(module);
  BindSim(module);
  BindThreads(module);
}
