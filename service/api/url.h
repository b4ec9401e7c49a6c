#ifndef MANYARMS_SERVICE_API_URL_H_
#define MANYARMS_SERVICE_API_URL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace manyarms::service {

/// Decodes %41 and the like, once. Throws HttpError(400) for an escape that is
/// none, and for what is not UTF-8 then.
std::string PercentDecoded(std::string_view text);

/// The parts of a path between its slashes, not decoded: of /v1/bandits/ they
/// are v1, bandits and an empty one. There are at most 16; of a longer path the
/// last one has the rest.
std::vector<std::string_view> SegmentsOf(std::string_view path);

/// The parameters of a query, name=value&name=value, in which + is a space.
/// Throws HttpError(400) for a name that is there twice.
class Query {
 public:
  explicit Query(std::string_view text);

  std::optional<std::string> Text(std::string_view name);
  /// These throw Error(kInvalidArgument) for other values.
  std::uint64_t Count(std::string_view name, std::uint64_t otherwise,
                      std::uint64_t low, std::uint64_t high);
  bool Truth(std::string_view name);  ///< false if it is missing

  /// Throws Error(kInvalidArgument) if a parameter was not taken.
  void End() const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_URL_H_
