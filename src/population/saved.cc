// A population's file and an exported learner: each is a magic word, the number
// of its format, its parts one after another, and a checksum of all that.

#include <fmt/format.h>

#include <bit>
#include <sstream>
#include <string>

#include "bandit/checked_file.h"
#include "bandit/saved_names.h"
#include "bandit/saved_options.h"
#include "bandit/whole_file.h"
#include "base/bytes.h"
#include "policy/kinds.h"
#include "population/key_hash.h"
#include "population/saved_learner.h"
#include "population/state.h"

namespace manyarms {
namespace {

constexpr MagicWord kMagic = {'M', 'A', 'N', 'Y', 'P', 'O', 'P', 'U'};
// 2: the prior follows the order budget; what a shared prior was learned from
//    follows the names of arms.
// 3: what pending decisions have in bandits' files of format 6.
constexpr std::uint32_t kFormat = 3;
constexpr MagicWord kLearnerMagic = {'M', 'A', 'N', 'Y', 'L', 'R', 'N', 'R'};
// 2: the shape of contexts and the prior.
// 3: rewards, forgetting and explore_uniform; as above of pending decisions.
constexpr std::uint32_t kLearnerFormat = 3;

// Of pending decisions, in files of populations and in exported learners.
PendingFormat PendingFormatSince(std::uint32_t format) {
  return format < 3 ? PendingFormat::kArm : PendingFormat::kArmAndEligible;
}

// What a learner must have in common with the population that imports it.
struct Shape {
  std::uint64_t dim = 0;
  std::uint8_t policy = 0;  // its number in saved files
  std::uint8_t negative_rewards = 0;
  double regularisation = 0;
  std::uint64_t max_pending = 0;  // may be more where it is imported
  std::uint64_t context_dim = 0;
  std::uint8_t context_constants = 1;
  std::uint8_t prior = 0;          // its place in PopulationPrior
  std::uint64_t prior_digest = 0;  // of one that is given
  RewardModel rewards = RewardModel::kLinear;
  double forgetting = 1;
  double explore_uniform = 0;
  double norm_bound = 0;  // this and the next of gloc-ts and qgloc
  double curvature = 0;

  template <class Stream, class Self>
  static void Transfer(Stream& stream, Self& self, std::uint32_t format) {
    stream.Transfer(self.dim);
    stream.Transfer(self.policy);
    stream.Transfer(self.negative_rewards);
    stream.Transfer(self.regularisation);
    stream.Transfer(self.max_pending);
    if (format < 2) return;
    stream.Transfer(self.context_dim);
    stream.Transfer(self.context_constants);
    stream.Transfer(self.prior);
    stream.Transfer(self.prior_digest);
    if (format < 3) return;
    stream.Transfer(self.rewards);
    stream.Transfer(self.forgetting);
    stream.Transfer(self.explore_uniform);
    stream.Transfer(self.norm_bound);
    stream.Transfer(self.curvature);
  }

  bool FitsInto(const Shape& other) const {
    return dim == other.dim && policy == other.policy &&
           negative_rewards == other.negative_rewards &&
           regularisation == other.regularisation &&
           context_dim == other.context_dim &&
           (context_dim == 0 || context_constants == other.context_constants) &&
           rewards == other.rewards && forgetting == other.forgetting &&
           explore_uniform == other.explore_uniform &&
           norm_bound == other.norm_bound && curvature == other.curvature &&
           prior == other.prior && prior_digest == other.prior_digest &&
           max_pending <= other.max_pending;
  }

  std::string ToString() const {
    const std::optional<PolicyOptions> known = PolicyKinds::Tagged(policy);
    return fmt::format(
        "{} features, contexts of {} values {} constants, policy {}, {} "
        "negative rewards, rewards {}, forgetting {}, explore_uniform {}, "
        "norm bound {}, curvature {}, "
        "regularisation {}, {} and at most {} pending decisions",
        dim, context_dim, context_constants != 0 ? "with" : "without",
        known ? PolicyName(*known) : "unknown",
        negative_rewards != 0 ? "with" : "without", RewardModelName(rewards),
        forgetting, explore_uniform, norm_bound, curvature, regularisation,
        PriorName(), max_pending);
  }

  std::string PriorName() const {
    switch (prior) {
      case 0:
        return "an independent prior";
      case 1:
        return fmt::format("a given prior (with the digest {:016x})",
                           prior_digest);
      case 2:
        return "a shared prior";
      default:
        return "an unknown prior";
    }
  }
};

std::uint64_t DigestOf(const PopulationPrior& prior) {
  const auto* given = std::get_if<GaussianPrior>(&prior);
  if (given == nullptr) return 0;
  std::uint64_t digest = given->mean.size();
  for (const auto* values : {&given->mean, &given->precision}) {
    for (const double value : *values) {
      digest = Mix(digest, std::bit_cast<std::uint64_t>(value));
    }
  }
  return digest;
}

Shape ShapeOf(const PopulationOptions& options) {
  const std::optional<PseudoRewards> pseudo = PseudoRewardsOf(options.policy);
  return {.dim = options.dim,
          .policy = PolicyKinds::Visit(
              options.policy, [](auto kind, const auto&) { return kind.kTag; }),
          .negative_rewards = std::uint8_t{options.negative_rewards},
          .regularisation = options.regularisation,
          .max_pending = options.max_pending,
          .context_dim = options.context_dim,
          .context_constants = std::uint8_t{options.context_constants},
          .prior = static_cast<std::uint8_t>(options.prior.index()),
          .prior_digest = DigestOf(options.prior),
          .rewards = options.rewards,
          .forgetting = options.forgetting,
          .explore_uniform = options.explore_uniform,
          .norm_bound = pseudo ? pseudo->norm_bound : 0,
          .curvature = pseudo ? pseudo->curvature : 0};
}

PopulationOptions ToPopulation(const BanditOptions& options) {
  return {.dim = options.dim,
          .policy = options.policy,
          .search = options.search,
          .regularisation = options.regularisation,
          .prior = options.prior ? PopulationPrior(*options.prior)
                                 : IndependentPrior{},
          .negative_rewards = options.negative_rewards,
          .rewards = options.rewards,
          .forgetting = options.forgetting,
          .explore_uniform = options.explore_uniform,
          .context_dim = options.context_dim,
          .context_constants = options.context_constants,
          .seed = options.seed,
          .max_pending = options.max_pending};
}

}  // namespace

void Population::Save(const std::filesystem::path& path,
                      const Names* names) const {
  WriteWhole(path, [&](std::ostream& out) { state_->Save(out, names); });
}

void Population::Save(std::ostream& out, const Names* names) const {
  state_->Save(out, names);
  out.flush();
  if (!out) throw Error(ErrorCode::kIo, "cannot write all of the population");
}

void Population::State::Save(std::ostream& out, const Names* names) const {
  const std::scoped_lock lock(changing_arms);
  CheckNames(names, store);
  ByteWriter writer(out);
  writer.Values(std::span<const char>(kMagic));
  writer.Transfer(kFormat);
  writer.Transfer(kBanditFormat);
  SaveOptions(writer, LoneOptions(options.seed));
  writer.Transfer(std::uint64_t{options.order_budget});
  const auto* shared = std::get_if<SharedPrior>(&options.prior);
  writer.Transfer(shared != nullptr);
  if (shared != nullptr) writer.Transfer(shared->refit_growth);
  store.Save(writer);
  SaveNames(writer, names);
  // If another thread learns the prior anew meanwhile, it is not certain which
  // prior is the saved one.
  Moment now{.prior = prior.Now()->asker, .epoch = store.members().epoch()};
  if (shared != nullptr) prior.Save(writer);
  if (prior.Now()->asker != now.prior) now.prior = Basis::kNone;
  LearnerFile file = MakeLearnerFile(now);
  learners.ForEachShard(
      [&](std::size_t count) { writer.Transfer(std::uint64_t{count}); },
      [&](const LearnerKey& key, const Learner& learner) {
        SaveKey(writer, key);
        file.Save(writer, learner);
      });
  writer.Transfer(writer.checksum());
}

LearnerFile Population::State::MakeLearnerFile(const Moment& now,
                                               PendingFormat format) const {
  return {prior,
          now,
          {.row_size = model.context_dim() + store.dim(),
           .max_pending = options.max_pending,
           .format = format}};
}

Population Population::Load(const std::filesystem::path& path, Names* names) {
  return ReadWhole(path, [&](std::istream& in) { return Load(in, names); });
}

Population Population::Load(std::istream& in, Names* names) {
  ByteReader reader = CheckedReader(in, kMagic);
  const std::uint32_t format = ReadFormat(reader, kFormat);
  const std::uint32_t options_format = ReadFormat(reader, kBanditFormat);
  try {
    PopulationOptions options =
        ToPopulation(LoadOptions(reader, options_format));
    options.order_budget = reader.Next<std::uint64_t>();
    bool is_shared = false;
    if (format >= 2) reader.Transfer(is_shared);
    if (is_shared) {
      options.prior = SharedPrior{.refit_growth = reader.Next<double>()};
    }
    Population population(options);
    Names restored =
        population.state_->Restore(reader, PendingFormatSince(format));
    CheckSaved(reader.left() == 0, "something follows its end");
    if (names != nullptr) *names = std::move(restored);
    return population;
  } catch (const Error& error) {
    RethrowAsCorrupt(error);
  }
}

Names Population::State::Restore(ByteReader& reader, PendingFormat format) {
  store.Restore(reader);
  const std::vector<Slot> slots = store.Slots();
  if (!slots.empty()) index->Add(slots);
  Names names = LoadNames(reader, store);
  if (prior.is_shared()) prior.Restore(reader);
  LearnerFile file = MakeLearnerFile(
      {.prior = prior.Now()->asker, .epoch = store.members().epoch()}, format);
  for (std::size_t shard = 0; shard < LearnerTable::kShards; ++shard) {
    for (std::size_t left = reader.Count(1); left > 0; --left) {
      const LearnerKey key = LoadKey(reader);
      CheckSaved(!learners.Put(key, file.Load(reader)),
                 "it has a learner twice");
    }
  }
  return names;
}

std::vector<std::byte> Population::Export(const LearnerKey& learner) const {
  const State& state = *state_;
  std::ostringstream out;
  ByteWriter writer(out);
  writer.Values(std::span<const char>(kLearnerMagic));
  writer.Transfer(kLearnerFormat);
  const Shape shape = ShapeOf(state.options);
  Shape::Transfer(writer, shape, kLearnerFormat);
  LearnerFile file = state.MakeLearnerFile({});
  state.learners.Look(learner, [&](const Learner* found) {
    if (found == nullptr) LearnerTable::FailUnknown(learner);
    file.Save(writer, *found);
  });
  writer.Transfer(writer.checksum());
  const std::string text = std::move(out).str();
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void Population::Import(const LearnerKey& learner,
                        std::span<const std::byte> exported) {
  State& state = *state_;
  std::istringstream in(std::string(
      reinterpret_cast<const char*>(exported.data()),  // NOLINT: bytes
      exported.size()));
  ByteReader reader = CheckedReader(in, kLearnerMagic);
  const std::uint32_t format = ReadFormat(reader, kLearnerFormat);
  const Shape own = ShapeOf(state.options);
  Shape given;
  Shape::Transfer(reader, given, format);
  if (!given.FitsInto(own)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the learner has {}; this population has {}",
                            given.ToString(), own.ToString()));
  }
  try {
    // Its decisions may have been made among other arms.
    Learner imported =
        state.MakeLearnerFile({}, PendingFormatSince(format)).Load(reader);
    CheckSaved(reader.left() == 0, "something follows its end");
    const std::optional<Learner> before =
        state.learners.Put(learner, std::move(imported));
    if (before) state.finders.Forget(before->asker);
  } catch (const Error& error) {
    RethrowAsCorrupt(error);
  }
}

}  // namespace manyarms
