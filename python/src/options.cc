#include "options.h"

#include <fmt/format.h>

#include <set>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kind_text.h"
#include "manyarms/error.h"
#include "words.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace manyarms::python {
namespace {

[[noreturn]] void Refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

// Options are values: they are compared, shown, copied and pickled by their
// fields, which are the arguments of their constructors.
template <class Options>
void BindAsValue(nb::class_<Options>& options, std::vector<const char*> names) {
  const auto fields = [names = std::move(names)](nb::handle of) {
    nb::dict fields;
    for (const char* name : names) fields[name] = of.attr(name);
    return fields;
  };
  options
      .def("__repr__",
           [fields](nb::handle self) {
             std::string text;
             for (const auto& [name, value] : fields(self)) {
               text += fmt::format("{}{}={}", text.empty() ? "" : ", ",
                                   Text(name), Text(nb::repr(value)));
             }
             return fmt::format("{}({})", TypeName(self), text);
           })
      .def(
          "__eq__",
          [fields](nb::handle self, nb::handle other) {
            return self.type().is(other.type()) &&
                   fields(self).equal(fields(other));
          },
          "other"_a, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [fields](nb::handle self) {
             return nb::hash(nb::tuple(fields(self).values()));
           })
      .def(
          "__reduce__",
          [fields](nb::handle self) {
            const nb::object partial =
                nb::module_::import_("functools").attr("partial");
            return nb::make_tuple(partial(self.type(), **fields(self)),
                                  nb::tuple());
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
}

// The type of a field's values in Python. ToPython and FromPython convert them.
template <class Domain>
struct PyValue;
template <>
struct PyValue<Counts> {
  using Type = std::uint64_t;
  static constexpr const char* kType = "int";
};
template <>
struct PyValue<Reals> {
  using Type = double;
  static constexpr const char* kType = "float";
};
template <>
struct PyValue<Switch> {
  using Type = bool;
  static constexpr const char* kType = "bool";
};
template <class Value>
struct PyValue<Choices<Value>> {
  using Type = std::string;
  static constexpr const char* kType = "str";
};

template <class Domain, class Value>
auto ToPython(const Domain&, const Value& value) {
  return static_cast<typename PyValue<Domain>::Type>(value);
}
PyExploration ToPython(const Explorations&, const Exploration& value) {
  return static_cast<const PyExploration&>(value);
}
template <class Value>
auto ToPython(const Choices<Value>& choices, Value value) {
  return std::string(choices.Name(value));
}

template <class Domain, class Value, class Given>
void FromPython(const About&, const Domain&, const Given& given, Value& value) {
  value = given;
}
template <class Value>
void FromPython(const About& about, const Choices<Value>& choices,
                const std::string& given, Value& value) {
  const auto* choice = choices.Find(std::string_view(given));
  if (choice == nullptr) {
    Refuse(fmt::format("there is no {} '{}', only {}", about.name, given,
                       Quoted(ChoiceNames(choices), "and")));
  }
  value = choice->value;
}

std::string ValuesHelp(const auto&) { return ""; }
template <class Value>
std::string ValuesHelp(const Choices<Value>& choices) {
  return fmt::format(" ({})", Quoted(ChoiceNames(choices), "or"));
}

// A line for each field.
template <class... Fields>
std::string FieldsHelp(const Fields&... field) {
  std::string text;
  ((text +=
    fmt::format("{}{}: {}{}.", text.empty() ? "" : "\n", field.about.name,
                field.about.help, ValuesHelp(field.domain))),
   ...);
  return text;
}

// Names of fields are literals, so data() is a C string.
template <class... Fields>
std::vector<const char*> FieldNames(const Fields&... field) {
  return {field.about.name.data()...};
}

template <class Options, class... Fields>
void BindProperties(nb::class_<Options>& options, const Fields&... field) {
  (options.def_prop_ro(field.about.name.data(),
                       [field](const Options& of) {
                         return ToPython(field.domain, of.*(field.member));
                       }),
   ...);
  BindAsValue(options, FieldNames(field...));
}

// The constructor takes all fields by name.
template <class Options, class... Members, class... Domains>
void BindConstructor(nb::class_<Options>& options,
                     const Field<Options, Members, Domains>&... field) {
  const Options defaults;
  options.def(
      "__init__",
      [field...](Options* self,
                 const typename PyValue<Domains>::Type&... given) {
        Options made;
        (FromPython(field.about, field.domain, given, made.*(field.member)),
         ...);
        new (self) Options(made);
      },
      nb::kw_only(),
      (nb::arg(field.about.name.data()) =
           ToPython(field.domain, defaults.*(field.member)))...,
      FieldsHelp(field...).c_str());
}
template <class Options>
void BindConstructor(nb::class_<Options>& options) {
  options.def(nb::init<>());
}

void BindSearches(nb::module_& module) {
  SearchKinds::ForEach([&]<class Options>(auto kind, const Options&) {
    nb::class_<Options> options(module, kind.kPythonName.data(),
                                kind.kSummary.data());
    std::apply(
        [&options](const auto&... field) {
          BindConstructor(options, field...);
          BindProperties(options, field...);
        },
        kind.kFields);
  });
}

void BindTheoryRadius(nb::module_& module) {
  nb::class_<TheoryRadius> radius(
      module, "TheoryRadius",
      "The exploration of the paper's analysis, which is far larger than what "
      "works best in practice.");
  std::apply(
      [&radius](const auto&... field) {
        radius.def(
            "__init__",
            [](TheoryRadius* self, std::uint64_t horizon, double delta) {
              new (self) TheoryRadius{.horizon = horizon, .delta = delta};
            },
            "horizon"_a, "delta"_a = TheoryRadius().delta,
            FieldsHelp(field...).c_str());
        BindProperties(radius, field...);
      },
      kTheoryRadiusFields);
}

// Calls use(kind, about, domain) for each option of policies except the
// exploration.
template <class Use>
void ForEachPolicyField(const Use& use) {
  PolicyKinds::ForEach([&use](auto kind, const auto& defaults) {
    ForEachField(kind.kFields, defaults,
                 [&]<class Domain>(const About& about, const Domain& domain,
                                   const auto&) {
                   if constexpr (!std::is_same_v<Domain, Explorations>) {
                     use(kind, about, domain);
                   }
                 });
  });
}

// Sets the fields of a policy that are given. `used` becomes the names of all
// its fields.
struct FieldSetter {
  const std::optional<Exploration>& exploration;
  const nb::dict& given;
  std::set<std::string>& used;

  void operator()(const About&, const Explorations&, Exploration& value) const {
    if (exploration) value = *exploration;
  }
  template <class Domain, class Value>
  void operator()(const About& about, const Domain& domain,
                  Value& value) const {
    const char* name = about.name.data();
    used.insert(name);
    if (!given.contains(name) || given[name].is_none()) return;
    typename PyValue<Domain>::Type parsed;
    if (!nb::try_cast(given[name], parsed)) throw nb::next_overload();
    FromPython(about, domain, parsed, value);
  }
};

// Refuses options that are given but that the policy does not have.
void RefuseOthers(const nb::dict& given, const std::set<std::string>& used) {
  for (const auto& [key, value] : given) {
    const std::string name = Text(key);
    if (used.contains(name)) continue;
    std::string owners;
    for (const PolicyField& field : PolicyFields()) {
      if (field.name == name) owners = field.owners;
    }
    if (owners.empty()) throw nb::next_overload();
    if (value.is_none()) continue;
    Refuse(fmt::format("{} is for the policy {} only", name, owners));
  }
}

}  // namespace

std::vector<PolicyField> PolicyFields() {
  std::vector<PolicyField> fields;
  ForEachPolicyField(
      [&]<class Domain>(auto kind, const About& about, const Domain&) {
        const std::string owner = fmt::format("'{}'", kind.kName);
        for (PolicyField& field : fields) {
          if (field.name != about.name) continue;
          field.owners += " or " + owner;
          return;
        }
        fields.push_back({std::string(about.name), PyValue<Domain>::kType,
                          std::string(about.help), owner});
      });
  return fields;
}

std::string PolicyDefault(std::string_view field) {
  std::set<std::string> texts;
  std::string listed;
  PolicyKinds::ForEach([&](auto kind, const auto& defaults) {
    ForEachField(
        kind.kFields, defaults,
        [&](const About& about, const auto& domain, const auto& value) {
          if (about.name != field) return;
          const std::string text = PythonText(ToPython(domain, value));
          texts.insert(text);
          listed += fmt::format("{}{} for '{}'", listed.empty() ? "" : ", ",
                                text, kind.kName);
        });
  });
  return texts.size() == 1 ? *texts.begin() : listed;
}

nb::object PolicyValue(const PolicyOptions& policy, std::string_view field) {
  nb::object found = nb::none();
  PolicyKinds::Visit(policy, [&](auto kind, const auto& options) {
    ForEachField(kind.kFields, options,
                 [&]<class Domain>(const About& about, const Domain& domain,
                                   const auto& value) {
                   if constexpr (!std::is_same_v<Domain, Explorations>) {
                     if (about.name == field) {
                       found = nb::cast(ToPython(domain, value));
                     }
                   }
                 });
  });
  return found;
}

PolicyOptions MakePolicyOptions(const std::string& policy,
                                const std::optional<PyExploration>& exploration,
                                const nb::dict& more) {
  auto options = PolicyKinds::Named(policy);
  if (!options) {
    Refuse(fmt::format("there is no policy '{}', only {}", policy,
                       Quoted(PolicyKinds::Names(), "and")));
  }
  std::optional<Exploration> beta;
  if (exploration) {
    std::visit([&beta](const auto& value) { beta = value; }, *exploration);
  }
  std::set<std::string> used;
  PolicyKinds::Visit(*options, [&](auto kind, auto& chosen) {
    ForEachField(kind.kFields, chosen, FieldSetter{beta, more, used});
  });
  RefuseOthers(more, used);
  return *options;
}

SearchOptions MakeSearchOptions(const PySearch& search) {
  return std::visit(
      []<class Given>(const Given& given) -> SearchOptions {
        if constexpr (std::is_same_v<Given, std::string>) {
          const auto options = SearchKinds::Named(given);
          if (options) return *options;
          Refuse(fmt::format("there is no search '{}', only {}", given,
                             Quoted(SearchKinds::Names(), "and")));
        } else {
          return given;
        }
      },
      search);
}

PyExploration ExplorationOf(const PolicyOptions& policy) {
  return std::visit(
      [](const auto& options) {
        return ToPython(Explorations{}, options.exploration);
      },
      policy);
}

nb::object SearchObject(const SearchOptions& search) {
  return std::visit([](const auto& options) { return nb::cast(options); },
                    search);
}

void BindOptions(nb::module_& module) {
  BindTheoryRadius(module);
  BindSearches(module);
}

}  // namespace manyarms::python
