#ifndef MANYARMS_PYTHON_SHARED_METHODS_H_
#define MANYARMS_PYTHON_SHARED_METHODS_H_

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>

#include <filesystem>
#include <new>
#include <string>
#include <string_view>

#include "arrays.h"
#include "ids.h"
#include "options.h"
#include "rows.h"

/// What Bandit and Population have in common in Python.
namespace manyarms::python {

/// The policy's options, each None if the policy does not have it.
template <class Owner>
void BindPolicyFields(nanobind::class_<Owner>& owner) {
  namespace nb = nanobind;
  for (const PolicyField& field : PolicyFields()) {
    const std::string signature =
        fmt::format("def {}(self) -> {} | None", field.name, field.type);
    const std::string help = fmt::format("Of {} only.", field.owners);
    owner.def_prop_ro(
        field.name.c_str(),
        [name = field.name](const Owner& self) {
          return PolicyValue(self.options().policy, name);
        },
        nb::for_getter(nb::sig(signature.c_str())), help.c_str());
  }
}

/// Methods that add, remove and list arms.
template <class Owner>
void BindArms(nanobind::class_<Owner>& owner) {
  namespace nb = nanobind;
  using namespace nb::literals;
  owner
      .def(
          "add_arms",
          [](Owner& self, nb::handle ids, nb::handle features) {
            const PyIds parsed = ParseIds(ids, kIds);
            self.AddArms(parsed, ParseRows(features, self.options().dim).rows);
          },
          "ids"_a, "features"_a,
          nb::sig("def add_arms(self, ids: Ids, features: Features) -> None"),
          R"(Adds all of the arms, or none if it raises an exception.

ids: ints or strings; all arms of a bandit have ints, or all have strings.
features: an array of float32, float64 or integers, or a list of lists, with a
    row for each arm; copied once, to float32.)")
      .def(
          "remove_arms",
          [](Owner& self, nb::handle ids) {
            self.RemoveArms(ParseIds(ids, kIds));
          },
          "ids"_a, nb::sig("def remove_arms(self, ids: Ids) -> None"),
          "Removes all of the arms, or none if it raises an exception. Rewards "
          "of their decisions can still be learned.")
      .def(
          "update_arms",
          [](Owner& self, nb::handle ids, nb::handle features) {
            const PyIds parsed = ParseIds(ids, kIds);
            self.UpdateArms(parsed,
                            ParseRows(features, self.options().dim).rows);
          },
          "ids"_a, "features"_a,
          nb::sig(
              "def update_arms(self, ids: Ids, features: Features) -> None"),
          "Gives new features to all of the arms, or to none if it raises an "
          "exception. Pending decisions keep the features by which they were "
          "made.")
      .def(
          "reserve",
          [](Owner& self, nb::handle arms) {
            self.Reserve(ParseNumber(arms, {"arms", "an int"}));
          },
          "arms"_a, nb::sig("def reserve(self, arms: int) -> None"),
          "Makes room for this number of arms in total, so that adding them is "
          "faster.")
      .def_prop_ro(
          "ids", [](const Owner& self) { return AsArray(self.Ids()); },
          nb::for_getter(
              nb::sig("def ids(self) -> numpy.typing.NDArray[numpy.int64] | "
                      "numpy.typing.NDArray[numpy.uint64] | list[str]")),
          "The ids of all arms, in an order that changes only when arms are "
          "added or removed; masks have the same order. An array of int64 "
          "(uint64 if an id is larger), or a list of strings. Costs O(n).")
      .def(
          "features",
          [](const Owner& self, nb::handle ids) {
            return Array(self.Features(ParseIds(ids, kIds)),
                         self.options().dim);
          },
          "ids"_a,
          nb::sig("def features(self, ids: Ids) -> "
                  "numpy.typing.NDArray[numpy.float32]"),
          "The features of arms, a row for each. With negative_rewards a value "
          "may differ from the given one in its last bit.")
      .def("__len__", &Owner::size)
      .def(
          "__contains__",
          [](const Owner& self, nb::handle arm) {
            try {
              return self.Contains(ParseArm(arm));
            } catch (const nb::builtin_exception&) {
              return false;  // this cannot be an id
            }
          },
          nb::arg("arm").none(),
          nb::sig("def __contains__(self, arm: object, /) -> bool"));
}

/// Makes an object of `cls`, which may be a subclass, without calling its
/// __init__.
template <class Owner>
nanobind::object Load(nanobind::handle cls, const std::filesystem::path& path) {
  namespace nb = nanobind;
  nb::object owner = nb::inst_alloc(cls);
  {
    const nb::gil_scoped_release release;
    new (nb::inst_ptr<Owner>(owner)) Owner(path);
  }
  nb::inst_mark_ready(owner);
  return owner;
}

/// Methods for files, copies and pickles.
template <class Owner>
void BindFiles(nanobind::class_<Owner>& owner) {
  namespace nb = nanobind;
  using namespace nb::literals;
  owner
      .def(
          "save",
          [](const Owner& self, const std::filesystem::path& path) {
            self.Save(path);
          },
          "path"_a,
          nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
          "Writes everything to a file, whole or not at all: options, arms, "
          "what was learned, pending decisions.\nWith certified search or "
          "scan, what is loaded makes the decisions that this would have "
          "made.")
      .def(
          "__getstate__",
          [](nb::handle self) {
            const std::string bytes = nb::cast<Owner&>(self).Bytes();
            // Subclasses may have further attributes.
            return nb::make_tuple(nb::bytes(bytes.data(), bytes.size()),
                                  nb::getattr(self, "__dict__", nb::dict()));
          },
          nb::sig("def __getstate__(self) -> tuple[bytes, dict[str, "
                  "typing.Any]]"))
      .def(
          "__setstate__",
          [](Owner& self, const nb::tuple& state) {
            const auto bytes = nb::cast<nb::bytes>(state[0]);
            const auto more = nb::cast<nb::dict>(state[1]);
            const std::string_view view(bytes.c_str(), bytes.size());
            {
              const nb::gil_scoped_release release;
              new (&self) Owner(view);
            }
            if (more.size() > 0) {
              nb::find(&self).attr("__dict__").attr("update")(more);
            }
          },
          nb::sig("def __setstate__(self, state: tuple[bytes, dict[str, "
                  "typing.Any]], /) -> None"));
  // nanobind has no class methods.
  owner.attr("load") = nb::steal(PyClassMethod_New(
      nb::cpp_function(
          &Load<Owner>, nb::name("load"), nb::scope(owner), "cls"_a, "path"_a,
          nb::sig("def load(cls, path: str | os.PathLike[str]) -> "
                  "typing_extensions.Self"),
          "Reads a file that save has written, in this version or an earlier "
          "one. Raises CorruptFileError for other files, UnsupportedError for "
          "formats of later versions, and FileError, an OSError. If it is "
          "called on a subclass, it returns an object of the subclass without "
          "calling its __init__.")
          .ptr()));
}

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_SHARED_METHODS_H_
