#ifndef MANYARMS_BASE_FIELD_H_
#define MANYARMS_BASE_FIELD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

/// One description of each option of a search or policy. Flags, rows, files,
/// Python's classes, tables and docs/options.md are made from it.
namespace manyarms {

/// Describes an option. Its default is the value in a default-constructed
/// object.
struct About {
  std::string_view name;  ///< in C++ and Python
  std::string_view help;  ///< in plain English
  // NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.
  std::string_view flag = {};  ///< of the program; empty: --name-like-this
  std::string_view row = {};   ///< in rows and tables; empty: the name
  // NOLINTEND(readability-redundant-member-init)
  std::uint32_t since = 1;    ///< the first format of saved files that has it
  bool decides = false;       ///< whether decisions depend on it
  bool first_in_row = false;  ///< rows have it before the others
};

std::string FlagName(const About& about);
std::string_view RowName(const About& about);
/// The option's name in messages: the words of its flag.
std::string Words(const About& about);

// The values that an option may have. Check throws Error(kInvalidArgument) with
// `what`, the value and the bounds.

/// Whole numbers.
struct Counts {
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  void Check(const std::string& what, std::uint64_t value,
             std::size_t dim) const;
};

/// Numbers. For arms of d features the least is d least_per_feature if that is
/// more.
struct Reals {
  double least = 0;
  double most = 0;
  double least_per_feature = 0;

  void Check(const std::string& what, double value, std::size_t dim) const;
};

/// True or false. The program's flag says the opposite of the default.
struct Switch {
  std::string_view flag_help;

  void Check(const std::string&, bool, std::size_t) const {}
};

[[noreturn]] void RefuseChoice(const std::string& what);

/// An enumeration's values by their names, the default first.
template <class Value>
struct Choices {
  struct Choice {
    Value value;
    std::string_view name;
  };

  std::span<const Choice> all;

  constexpr const Choice* Find(Value value) const {
    for (const Choice& choice : all) {
      if (choice.value == value) return &choice;
    }
    return nullptr;
  }
  constexpr const Choice* Find(std::string_view name) const {
    for (const Choice& choice : all) {
      if (choice.name == name) return &choice;
    }
    return nullptr;
  }
  /// Empty for a value that is not among the choices.
  constexpr std::string_view Name(Value value) const {
    const Choice* choice = Find(value);
    return choice != nullptr ? choice->name : "";
  }

  void Check(const std::string& what, Value value, std::size_t) const {
    if (Find(value) == nullptr) RefuseChoice(what);
  }
};

/// An option: the member that holds it, the values that it may have, and its
/// description.
template <class Options, class Value, class Domain>
struct Field {
  constexpr Field(Value Options::*which, const Domain& values,
                  const About& text)
      : member(which), domain(values), about(text) {}

  Value Options::*member;
  Domain domain;
  About about;
};

/// Calls use(about, domain, value) for each field, in the order of saved files.
template <class... Fields, class Options, class Use>
void ForEachField(const std::tuple<Fields...>& fields, Options& options,
                  Use&& use) {
  std::apply(
      [&](const Fields&... field) {
        (use(field.about, field.domain, options.*(field.member)), ...);
      },
      fields);
}

template <class... Fields, class Options>
void CheckFields(const std::tuple<Fields...>& fields, const Options& options,
                 std::size_t dim) {
  ForEachField(
      fields, options,
      [dim](const About& about, const auto& domain, const auto& value) {
        domain.Check(Words(about), value, dim);
      });
}

}  // namespace manyarms

#endif  // MANYARMS_BASE_FIELD_H_
