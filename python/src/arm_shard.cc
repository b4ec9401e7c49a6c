#include "shards/arm_shard.h"

#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "construction.h"
#include "eligible.h"
#include "messages.h"
#include "rows.h"
#include "shards.h"
#include "turns.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace manyarms::python {
namespace {

struct PyArmShard {
  explicit PyArmShard(const BanditOptions& options) : shard(options) {}

  ArmShard shard;
  Turns turns;
};

using ShardClass = nb::class_<PyArmShard>;

void BindArms(ShardClass& shard) {
  shard
      .def(
          "add",
          [](PyArmShard& self, nb::handle ids, nb::handle features) {
            const Numbers numbers = ParseNumbers(ids);
            const PyRows rows = ParseRows(features, self.shard.options().dim);
            self.turns.ChangeAside([&] { self.shard.Add(numbers, rows.rows); });
          },
          "ids"_a, "features"_a,
          nb::sig("def add(self, ids: Ids, features: Features) -> None"),
          "Adds all of the arms, or none if it raises an exception.")
      .def(
          "remove",
          [](PyArmShard& self, nb::handle ids) {
            const Numbers numbers = ParseNumbers(ids);
            self.turns.ChangeAside([&] { self.shard.Remove(numbers); });
          },
          "ids"_a, nb::sig("def remove(self, ids: Ids) -> None"),
          "Removes all of the arms, or none if it raises an exception.")
      .def(
          "update",
          [](PyArmShard& self, nb::handle ids, nb::handle features) {
            const Numbers numbers = ParseNumbers(ids);
            const PyRows rows = ParseRows(features, self.shard.options().dim);
            self.turns.ChangeAside(
                [&] { self.shard.Update(numbers, rows.rows); });
          },
          "ids"_a, "features"_a,
          nb::sig("def update(self, ids: Ids, features: Features) -> None"),
          "Gives new features to all of the arms, or to none if it raises an "
          "exception.")
      .def(
          "reserve",
          [](PyArmShard& self, nb::handle arms) {
            const std::size_t count = ParseNumber(arms, {"arms", "an int"});
            self.turns.ChangeAside([&] { self.shard.Reserve(count); });
          },
          "arms"_a, nb::sig("def reserve(self, arms: int) -> None"),
          "Makes room for this number of arms in total.")
      .def(
          "ids",
          [](const PyArmShard& self) {
            return Array(
                self.turns.ReadAside([&] { return self.shard.Ids(); }));
          },
          nb::sig("def ids(self) -> numpy.typing.NDArray[numpy.uint64]"),
          "The ids of all arms, in an order that changes only when arms are "
          "added or removed; masks have the same order.")
      .def(
          "contains",
          [](const PyArmShard& self, nb::handle ids) {
            const Numbers numbers = ParseNumbers(ids);
            std::vector<std::uint8_t> contains(numbers.size());
            self.turns.ReadAside([&] {
              for (std::size_t i = 0; i < numbers.size(); ++i) {
                contains[i] = self.shard.Contains(numbers[i]) ? 1 : 0;
              }
            });
            return nb::object(Array(std::move(contains)).attr("view")("bool"));
          },
          "ids"_a,
          nb::sig("def contains(self, ids: Ids) -> "
                  "numpy.typing.NDArray[numpy.bool_]"),
          "Which of these arms there are.")
      .def(
          "features",
          [](const PyArmShard& self, nb::handle ids) {
            const Numbers numbers = ParseNumbers(ids);
            return Array(self.turns.ReadAside(
                             [&] { return self.shard.Features(numbers); }),
                         self.shard.options().dim);
          },
          "ids"_a,
          nb::sig("def features(self, ids: Ids) -> "
                  "numpy.typing.NDArray[numpy.float32]"),
          "The features of arms, a row for each.")
      .def("__len__",
           [](const PyArmShard& self) {
             return self.turns.Read([&] { return self.shard.size(); });
           })
      .def_prop_ro(
          "memory_bytes",
          [](const PyArmShard& self) {
            return self.turns.Read([&] { return self.shard.memory_bytes(); });
          },
          "The memory of the arms.")
      .def_prop_ro(
          "options",
          [](const PyArmShard& self) {
            return KeywordOptions(self.shard.options());
          },
          nb::for_getter(nb::sig("def options(self) -> dict[str, typing.Any]")),
          "The arguments with which it was made.");
}

void BindMessages(ShardClass& shard) {
  shard
      .def(
          "top",
          [](PyArmShard& self, const nb::bytes& question, nb::handle count,
             nb::handle ids, nb::handle mask) {
            if (!ids.is_none() && !mask.is_none()) {
              throw Error(ErrorCode::kInvalidArgument,
                          "ids and mask given, must be one of them");
            }
            const std::size_t wanted = ParseNumber(count, {"count", "an int"});
            const std::optional<Numbers> numbers =
                ids.is_none() ? std::nullopt : std::optional(ParseNumbers(ids));
            const PyEligible masked = ParseEligible(mask);
            Eligible eligible;
            if (numbers) eligible = std::span<const ArmId>(*numbers);
            if (const auto* bools = std::get_if<PyMask>(&masked)) {
              eligible =
                  std::span<const bool>(bools->values.get(), bools->size);
            } else if (!mask.is_none()) {
              throw nb::type_error("mask must be an array of bools");
            }
            return AsBytes(self.turns.ChangeAside([&] {
              return self.shard.Top(View(question), wanted, eligible);
            }));
          },
          "question"_a, "count"_a, "ids"_a = nb::none(), "mask"_a = nb::none(),
          nb::sig("def top(self, question: bytes, count: int, ids: Ids | None "
                  "= None, mask: Mask | None = None) -> bytes"),
          "The best arms for a learner's question, among all, those with these "
          "ids, or those of a mask in the order of ids().")
      .def(
          "send",
          [](const PyArmShard& self, nb::handle ids) {
            const Numbers numbers = ParseNumbers(ids);
            return AsBytes(
                self.turns.ReadAside([&] { return self.shard.Send(numbers); }));
          },
          "ids"_a, nb::sig("def send(self, ids: Ids) -> bytes"),
          "Arms for a learner's observe_arms.")
      .def(
          "survey",
          [](const PyArmShard& self, const nb::bytes& request) {
            return AsBytes(self.turns.ReadAside(
                [&] { return self.shard.Survey(View(request)); }));
          },
          "request"_a, "What a learner's survey finds here.");
}

}  // namespace

void BindArmShard(nb::module_& module) {
  ShardClass shard(module, "ArmShard",
                   "Some of the arms of a ShardedBandit with the same options. "
                   "Any thread may call any method at any time.");
  BindConstruction(shard);
  BindArms(shard);
  BindMessages(shard);
}

}  // namespace manyarms::python
