#ifndef MANYARMS_SERVICE_ENGINE_STRICT_JSON_H_
#define MANYARMS_SERVICE_ENGINE_STRICT_JSON_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

/// JSON that is read seldom, such as settings. What is read often goes through
/// JsonScanner.
namespace manyarms::service {

using Json = nlohmann::ordered_json;

/// An object. Throws Error(kCorrupt) for text that is not JSON, for an object
/// that has a key twice, for values nested deeper than 16, and for anything
/// that is not an object.
Json ParseObject(std::string_view text);

/// Takes fields out of an object, one by one; whatever is left at the end is
/// unknown. All methods throw Error(kInvalidArgument) with the field's name for
/// a value of another type. A null is as good as no field.
class FieldTaker {
 public:
  explicit FieldTaker(Json object) : object_(std::move(object)) {}

  std::optional<double> Number(const std::string& name);
  /// Within [0, 2^64).
  std::optional<std::uint64_t> Count(const std::string& name);
  std::optional<bool> Truth(const std::string& name);
  std::optional<std::string> Text(const std::string& name);
  /// Whether it is there; null counts.
  bool Has(const std::string& name) const { return object_.contains(name); }
  std::optional<Json> Any(const std::string& name);

  /// Throws Error(kInvalidArgument) if a field was not taken.
  void End() const;

  [[noreturn]] static void Refuse(const std::string& name, const Json& value,
                                  const std::string& expected);

 private:
  Json object_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_STRICT_JSON_H_
