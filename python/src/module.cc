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
  // Objects that are still alive when Python ends, of a global list for
  // instance, are not worth a word to those who use the package.
  nb::set_leak_warnings(false);
  module.attr("version") = manyarms::kVersion;
  TranslateErrors();
  BindDecision(module);
  BindOptions(module);
  BindBandit(module);
  BindSim(module);
}
