#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "log/event_text.h"
#include "log/json_scanner.h"
#include "log/json_text.h"
#include "manyarms/error.h"
#include "policy/kinds.h"
#include "search/kinds.h"

namespace manyarms {
namespace {

constexpr std::string_view kTheory = "theory";

template <class Options>
LogHeader HeaderOf(const Options& options) {
  const Exploration exploration = PolicyKinds::Visit(
      options.policy,
      [](auto, const auto& policy) { return policy.exploration; });
  const double* constant = std::get_if<double>(&exploration);
  return {.dim = options.dim,
          .context_dim = options.context_dim,
          .context_constants = options.context_constants,
          .policy = std::string(PolicyName(options.policy)),
          .search = std::string(SearchName(options.search)),
          .exploration =
              constant != nullptr ? std::optional(*constant) : std::nullopt,
          .regularisation = options.regularisation,
          .negative_rewards = options.negative_rewards,
          .rewards = options.rewards,
          .forgetting = options.forgetting,
          .seed = options.seed};
}

[[noreturn]] void Corrupt(const std::string& message) {
  throw Error(ErrorCode::kCorrupt, message);
}

// Reads the two fields that all formats have, and checks them.
void CheckFormat(std::string_view line) {
  std::string log;
  std::optional<std::uint64_t> format;
  JsonScanner scanner(line);
  scanner.Object([&](std::string_view key) {
    if (key == "log" && scanner.AtText()) {
      scanner.Text(log);
    } else if (key == "format") {
      format = scanner.Count();
    } else {
      scanner.Skip();
    }
  });
  scanner.End();
  if (log != "manyarms") {
    Corrupt(
        R"(it is not the first line of a log ("log":"manyarms" is missing))");
  }
  if (!format) Corrupt(R"("format" is missing)");
  if (*format == 0) Corrupt(R"("format" is 0, must be at least 1)");
  if (*format > kLogFormat) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("the log has format {}, this version reads formats "
                            "up to {}",
                            *format, kLogFormat));
  }
}

struct Seen {
  bool population = false;
  bool dim = false;
  bool context_dim = false;
  bool rewards = false;
};

void ReadRewards(JsonScanner& scanner, LogHeader& header) {
  std::string name;
  scanner.Text(name);
  const std::optional<RewardModel> model = RewardModelNamed(name);
  if (!model) {
    scanner.Fail(
        fmt::format(R"("rewards" is "{}", must be linear or clicks)", name));
  }
  header.rewards = *model;
}

void ReadExploration(JsonScanner& scanner, LogHeader& header) {
  if (!scanner.AtText()) {
    header.exploration = scanner.Number();
    return;
  }
  std::string text;
  scanner.Text(text);
  if (text != kTheory) {
    scanner.Fail(R"("exploration" must be a number or "theory")");
  }
}

void ReadField(JsonScanner& scanner, std::string_view key, LogHeader& header,
               Seen& seen) {
  const auto first = [&](bool& flag) {
    if (flag) scanner.Fail(fmt::format(R"("{}" is there twice)", key));
    flag = true;
  };
  if (key == "population") {
    first(seen.population);
    header.population = scanner.Truth();
  } else if (key == "dim") {
    first(seen.dim);
    header.dim = scanner.Count();
  } else if (key == "context_dim") {
    first(seen.context_dim);
    header.context_dim = scanner.Count();
  } else if (key == "context_constants") {
    header.context_constants = scanner.Truth();
  } else if (key == "policy") {
    scanner.Text(header.policy);
  } else if (key == "search") {
    scanner.Text(header.search);
  } else if (key == "exploration") {
    ReadExploration(scanner, header);
  } else if (key == "regularisation") {
    header.regularisation = scanner.Number();
  } else if (key == "negative_rewards") {
    header.negative_rewards = scanner.Truth();
  } else if (key == "rewards") {
    first(seen.rewards);
    ReadRewards(scanner, header);
  } else if (key == "forgetting") {
    header.forgetting = scanner.Number();
  } else if (key == "seed") {
    header.seed = scanner.Count();
  } else {
    scanner.Skip();
  }
}

void CheckName(const char* what, std::string_view name,
               const std::vector<std::string_view>& names) {
  if (std::ranges::find(names, name) != names.end()) return;
  const std::size_t valid = Utf8PrefixLength(name);
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format(R"({} is "{}", must be one of {})", what,
                          name.substr(0, valid), fmt::join(names, ", ")));
}

class FieldAppender {
 public:
  explicit FieldAppender(std::string& line) : line_(line) {}

  template <class Value>
  void operator()(std::string_view name, const Value& value) {
    line_ += first_ ? "{\"" : ",\"";
    first_ = false;
    line_ += name;
    line_ += "\":";
    AppendJson(value, line_);
  }

 private:
  std::string& line_;
  bool first_ = true;
};

}  // namespace

LogHeader LogHeader::Of(const BanditOptions& options) {
  return HeaderOf(options);
}

LogHeader LogHeader::Of(const PopulationOptions& options) {
  LogHeader header = HeaderOf(options);
  header.population = true;
  return header;
}

void AppendHeader(const LogHeader& header, std::string& line) {
  FieldAppender put(line);
  put("log", std::string_view("manyarms"));
  put("format", kLogFormat);
  put("population", header.population);
  put("dim", std::uint64_t{header.dim});
  put("context_dim", std::uint64_t{header.context_dim});
  put("context_constants", header.context_constants);
  put("policy", std::string_view(header.policy));
  put("search", std::string_view(header.search));
  if (header.exploration) {
    put("exploration", *header.exploration);
  } else {
    put("exploration", kTheory);
  }
  put("regularisation", header.regularisation);
  put("negative_rewards", header.negative_rewards);
  put("rewards", RewardModelName(header.rewards));
  put("forgetting", header.forgetting);
  put("seed", header.seed);
  line += '}';
}

LogHeader ParseHeader(std::string_view line) {
  const std::size_t valid = Utf8PrefixLength(line);
  if (valid != line.size()) {
    Corrupt(fmt::format("it is not UTF-8 after {} bytes", valid));
  }
  CheckFormat(line);
  LogHeader header;
  Seen seen;
  JsonScanner scanner(line);
  scanner.Object(
      [&](std::string_view key) { ReadField(scanner, key, header, seen); });
  if (!seen.population) Corrupt(R"("population" is missing)");
  if (!seen.dim) Corrupt(R"("dim" is missing)");
  if (!seen.context_dim) Corrupt(R"("context_dim" is missing)");
  if (!seen.rewards) Corrupt(R"("rewards" is missing)");
  CheckHeader(header);
  return header;
}

void CheckHeader(const LogHeader& header) {
  CheckDim(header.dim);
  CheckCount("context dimension", header.context_dim, 0, kMaxDim);
  CheckRegularisation(header.regularisation);
  CheckWithin("forgetting", header.forgetting, kMinForgetting, 1);
  CheckName("search", header.search, SearchKinds::Names());
  CheckName("policy", header.policy, PolicyKinds::Names());
  PolicyOptions policy = *PolicyKinds::Named(header.policy);
  if (header.exploration) {
    PolicyKinds::Visit(policy, [&](auto, auto& options) {
      options.exploration = *header.exploration;
    });
  }
  CheckPolicy(policy, header.dim);
}

}  // namespace manyarms
