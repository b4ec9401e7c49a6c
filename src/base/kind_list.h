#ifndef MANYARMS_BASE_KIND_LIST_H_
#define MANYARMS_BASE_KIND_LIST_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace manyarms {

template <class T>
constexpr bool AllDiffer(std::initializer_list<T> values) {
  for (const T* a = values.begin(); a != values.end(); ++a) {
    for (const T* b = values.begin(); b != a; ++b) {
      if (*a == *b) return false;
    }
  }
  return true;
}

/// The kinds of all alternatives of a variant of options, in its order.
template <template <class> class Kind, class Variant>
struct KindList;

template <template <class> class Kind, class... Options>
struct KindList<Kind, std::variant<Options...>> {
  using Variant = std::variant<Options...>;

  static_assert(AllDiffer<std::uint8_t>({Kind<Options>::kTag...}));
  static_assert(AllDiffer<std::string_view>({Kind<Options>::kName...}));

  /// Calls use(kind, defaults) for each.
  template <class Use>
  static void ForEach(Use&& use) {
    (use(Kind<Options>{}, Options{}), ...);
  }

  /// Calls use(kind, options) for the options that the variant holds.
  template <class Held, class Use>
  static decltype(auto) Visit(Held& held, Use&& use) {
    return std::visit(
        [&]<class Alternative>(Alternative& options) -> decltype(auto) {
          return use(Kind<std::remove_const_t<Alternative>>{}, options);
        },
        held);
  }

  static std::vector<std::string_view> Names() {
    return {Kind<Options>::kName...};
  }

  /// The default options of the kind with this name, if there is one.
  static std::optional<Variant> Named(std::string_view name) {
    return First([name](auto kind) { return decltype(kind)::kName == name; });
  }

  /// The same for a kind's number in saved files.
  static std::optional<Variant> Tagged(std::uint8_t tag) {
    return First([tag](auto kind) { return decltype(kind)::kTag == tag; });
  }

 private:
  template <class Is>
  static std::optional<Variant> First(const Is& is) {
    std::optional<Variant> found;
    ForEach([&](auto kind, auto defaults) {
      if (!found && is(kind)) found = std::move(defaults);
    });
    return found;
  }
};

}  // namespace manyarms

#endif  // MANYARMS_BASE_KIND_LIST_H_
