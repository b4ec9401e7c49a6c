// The module manyarms._core: the library as Python sees it. Each file binds one
// thing and decides nothing.

#include <nanobind/nanobind.h>

#include "bandit.h"
#include "decision.h"
#include "errors.h"
#include "manyarms/version.h"
#include "options.h"
#include "sim.h"

namespace nb = nanobind;
using namespace manyarms::python;

NB_MODULE(_core, module) {
  module.attr("__version__") = manyarms::kVersion;
  TranslateErrors();
  BindDecision(module);
  BindOptions(module);
  BindBandit(module);
  BindSim(module);
}
