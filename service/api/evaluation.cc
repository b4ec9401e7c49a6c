#include "service/api/evaluation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/check.h"
#include "manyarms/error.h"
#include "policy/kinds.h"
#include "search/kinds.h"
#include "service/engine/log_export.h"
#include "service/engine/strict_json.h"

namespace manyarms::service {
namespace {

// A file that nobody else can open, and that is gone with the process.
std::fstream TemporaryFile() {
  std::string path =
      std::filesystem::temp_directory_path() / "manyarms-evaluation-XXXXXX";
  const int made = mkstemp(path.data());
  if (made < 0) throw FileError("cannot make", path, errno);
  close(made);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const int error = errno;
  unlink(path.c_str());
  if (!file) throw FileError("cannot open", path, error);
  return file;
}

void CheckDraws(const EvaluationLog& log, std::uint64_t draws) {
  if (log.choices <= kMostDrawsTogether / draws) return;
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format("{} decisions with {} draws each are more than {} draws: ask "
                  "for fewer draws, or for fewer decisions by since and until",
                  log.choices, draws, kMostDrawsTogether));
}

template <class Kinds>
void EraseOptions(const typename Kinds::Variant& options, Json& settings) {
  Kinds::Visit(options, [&](auto kind, const auto& held) {
    ForEachField(kind.kFields, held,
                 [&](const About& about, const auto&, const auto&) {
                   settings.erase(std::string(about.name));
                 });
  });
}

// Settings of a bandit as this one, but with the fields of `changes`. Another
// policy or search begins with its own options.
Settings Changed(const Settings& bandit, const Json& changes) {
  constexpr std::array kFixed{"dim",        "context_dim", "context_constants",
                              "arms",       "rewards",     "reward_wait",
                              "mode",       "aggregation", "probability_draws",
                              "max_pending"};
  for (const char* name : kFixed) {
    if (!changes.contains(name)) continue;
    throw Error(ErrorCode::kInvalidArgument,
                "there is no field \"" + std::string(name) + '"');
  }
  Json settings = Json::parse(ToJson(bandit));
  if (changes.contains("policy")) {
    EraseOptions<PolicyKinds>(bandit.population.policy, settings);
  }
  if (changes.contains("search")) {
    EraseOptions<SearchKinds>(bandit.population.search, settings);
  }
  if (changes.contains("half_life")) settings.erase("forgetting");
  for (const auto& [name, value] : changes.items()) settings[name] = value;
  return ParseSettings(settings.dump());
}

// The fields that are none of settings, taken out of the object.
EvaluationRequest TakeOptions(Json& object) {
  Json own = Json::object();
  for (const char* name :
       {"learn_share", "draws", "uniform_only", "level", "clip", "one_learner",
        "default_reward", "since", "until"}) {
    const auto found = object.find(name);
    if (found == object.end()) continue;
    own[name] = std::move(*found);
    object.erase(found);
  }
  FieldTaker fields(std::move(own));
  EvaluationRequest request;
  PolicyOutcomeOptions& options = request.options;
  options.learn_share =
      fields.Number("learn_share").value_or(options.learn_share);
  options.draws = fields.Count("draws").value_or(options.draws);
  CheckCount("draws", options.draws, 1, 100'000);
  options.uniform_only = fields.Truth("uniform_only").value_or(false);
  options.level = fields.Number("level").value_or(options.level);
  options.clip = fields.Number("clip").value_or(options.clip);
  options.one_learner = fields.Truth("one_learner").value_or(false);
  request.default_reward = fields.Number("default_reward");
  request.since = fields.Number("since");
  request.until = fields.Number("until");
  return request;
}

BanditOptions AsBandit(const PopulationOptions& options) {
  return {.dim = options.dim,
          .policy = options.policy,
          .search = options.search,
          .regularisation = options.regularisation,
          .rewards = options.rewards,
          .forgetting = options.forgetting,
          .explore_uniform = options.explore_uniform,
          .context_dim = options.context_dim,
          .context_constants = options.context_constants,
          .seed = options.seed};
}

}  // namespace

EvaluationRequest ParseEvaluation(std::string_view body,
                                  const Settings& bandit) {
  Json object = ParseObject(body);
  EvaluationRequest request = TakeOptions(object);
  request.options.policy = AsBandit(Changed(bandit, object).population);
  return request;
}

std::string EvaluationText(const EvaluationRequest& request,
                           const std::string& place, const std::string& bandit,
                           const std::function<void()>& check) {
  std::fstream file = TemporaryFile();
  ExportLog({.place = place,
             .bandit = bandit,
             .since = request.since,
             .until = request.until},
            file, [&](double /*share*/) { check(); });
  if (!file.flush()) {
    throw FileError("cannot write", std::filesystem::temp_directory_path(),
                    errno);
  }
  check();
  // Read as a stream, so that messages do not name the file.
  file.seekg(0);
  const EvaluationLog log =
      ReadEvaluationLog(file, {.default_reward = request.default_reward});
  CheckDraws(log, request.options.draws);
  const PolicyOutcome outcome =
      OutcomeOf(log, {}, request.options,
                [&](const std::string& /*stage*/, double) { check(); });
  return ToJson(log, request.options.level, outcome).dump();
}

}  // namespace manyarms::service
