#ifndef MANYARMS_CLI_BANDIT_FLAGS_H_
#define MANYARMS_CLI_BANDIT_FLAGS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "manyarms/bandit.h"

namespace manyarms::cli {

/// The flags --policy and --search, and one for each of the options that
/// policies and searches have. Options with the same flag share it.
class BanditFlags {
 public:
  /// Adds them to the command, which must outlive this object.
  explicit BanditFlags(CLI::App& command);
  BanditFlags(const BanditFlags&) = delete;
  BanditFlags& operator=(const BanditFlags&) = delete;

  struct Chosen {
    PolicyOptions policy;
    SearchOptions search;
  };

  /// The options that the flags ask for, in a run of `steps` steps. Throws
  /// Error(kInvalidArgument) for a flag that neither the policy nor the search
  /// has, because it would be worse to ignore it.
  Chosen Parse(std::uint64_t steps) const;

  /// One flag, and the options that it sets.
  struct Flag {
    struct Owner {
      std::string family;  // "search", for instance
      std::string name;
      std::string help;
      std::string default_text;
    };

    std::string name;
    std::vector<Owner> owners;
    CLI::Option* option = nullptr;

    bool given() const;
  };

 private:
  std::string policy_;
  std::string search_;
  std::vector<Flag> flags_;
};

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_BANDIT_FLAGS_H_
