#include "manyarms/bandit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <numbers>

#include "bandit/pending.h"
#include "bandit/saved_options.h"
#include "bandit/whole_file.h"
#include "base/bytes.h"
#include "base/check.h"
#include "kernels/arm_set.h"

namespace manyarms {
namespace {

// Section 6: x to [x/sqrt 2, sqrt 2/2], r to r/2 + 1/2.
constexpr auto kHalfRoot = std::numbers::sqrt2_v<float> / 2;

std::vector<float> Extend(std::span<const float> features) {
  std::vector<float> extended;
  extended.reserve(features.size() + 1);
  for (const float value : features) extended.push_back(value * kHalfRoot);
  extended.push_back(kHalfRoot);
  return extended;
}

// r/2 + 1/2 back to r; an uncertainty is a difference of rewards.
double ScoreInRewards(const BanditOptions& options, double score) {
  if (!options.negative_rewards) return score;
  const bool difference =
      std::holds_alternative<EliminationOptions>(options.policy);
  return difference ? 2 * score : 2 * score - 1;
}

std::size_t InnerDim(const BanditOptions& options) {
  CheckDim(options.dim);
  if (!options.negative_rewards) return options.dim;
  if (options.dim == kMaxDim) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("dimension is {}, must be at most {} with negative "
                            "rewards, which take one more",
                            options.dim, kMaxDim - 1));
  }
  return options.dim + 1;
}

// Throws for the first that is there twice.
void CheckDistinct(std::span<const std::uint64_t> ids, const char* what) {
  std::vector<std::uint64_t> sorted(ids.begin(), ids.end());
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) {
    throw Error(ErrorCode::kDuplicateId,
                fmt::format("{} {} is there twice in one call", what, *twice));
  }
}

void CheckRewards(std::span<const double> rewards, std::size_t count,
                  const char* one, const char* several) {
  if (rewards.size() != count) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} rewards given for {} {}", rewards.size(), count,
                            count == 1 ? one : several));
  }
  for (const double reward : rewards) CheckReward(reward);
}

Error NoArms(const char* message) { return {ErrorCode::kNoArms, message}; }

constexpr std::array<char, 8> kMagic = {'M', 'A', 'N', 'Y', 'A', 'R', 'M', 'S'};
// 1: options, arms, posterior, policy, pending decisions.
// 2: arms of pending decisions; names follow.
constexpr std::uint32_t kFormat = 2;

// Reads from behind the magic word up to the checksum, which has been found to
// be right.
ByteReader CheckedReader(std::istream& in) {
  constexpr std::uint64_t kChecksum = sizeof(std::uint32_t);
  const std::istream::pos_type start = in.tellg();
  in.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(in.tellg() - start);
  in.seekg(start);
  if (!in) throw Error(ErrorCode::kIo, "cannot read the bandit");
  CheckSaved(size >= kMagic.size() + sizeof(kFormat) + kChecksum,
             "it ends too early");

  ByteReader whole(in, size);
  std::array<char, kMagic.size()> magic{};
  whole.Values(std::span<char>(magic));
  CheckSaved(magic == kMagic, "it does not begin like one");
  std::uint32_t checksum = Checksum(std::as_bytes(std::span(magic)));
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  while (whole.left() > kChecksum) {
    const auto part = std::span(buffer).first(static_cast<std::size_t>(
        std::min<std::uint64_t>(buffer.size(), whole.left() - kChecksum)));
    whole.Bytes(part);
    checksum = Checksum(part, checksum);
  }
  CheckSaved(whole.Next<std::uint32_t>() == checksum,
             "its checksum is wrong, so it has been damaged or cut short");

  in.seekg(start + static_cast<std::streamoff>(kMagic.size()));
  return {in, size - kMagic.size() - kChecksum};
}

}  // namespace

struct Bandit::State {
  explicit State(const BanditOptions& given)
      : options(given),
        catalogue(InnerDim(given)),
        posterior(catalogue.dim(), given.regularisation),
        policy(MakePolicy(given.policy, given.search, catalogue, posterior,
                          given.seed)),
        pending(catalogue.dim(), given.max_pending),
        features(catalogue.dim()) {
    CheckCount("number of pending decisions", given.max_pending, 1,
               kMaxPending);
  }

  // The reward as the posterior has it.
  double Inner(double reward) const {
    return options.negative_rewards ? reward / 2 + 0.5 : reward;
  }

  // All rows as the catalogue has them, checked.
  std::vector<float> InnerRows(std::size_t arms,
                               const FeatureRows& given) const {
    CheckShape(given, arms, options.dim);
    std::vector<float> row(options.dim);
    std::vector<float> rows;
    rows.reserve(arms * catalogue.dim());
    for (std::size_t i = 0; i < arms; ++i) {
      given.Copy(i, row);
      CheckRow(row, i, arms);
      if (options.negative_rewards) {
        const std::vector<float> longer = Extend(row);
        rows.insert(rows.end(), longer.begin(), longer.end());
      } else {
        rows.insert(rows.end(), row.begin(), row.end());
      }
    }
    return rows;
  }

  std::vector<Slot> DistinctSlots(std::span<const ArmId> ids) const {
    std::vector<Slot> slots;
    slots.reserve(ids.size());
    for (const ArmId id : ids) slots.push_back(catalogue.At(id));
    CheckDistinct(ids, "arm");
    return slots;
  }

  Slot ToObserve(ArmId id) const {
    const std::optional<Slot> slot = catalogue.Find(id);
    if (slot) return *slot;
    throw Error(ErrorCode::kUnknownId,
                fmt::format("there is no arm {}; hand over its features to "
                            "learn of one that is gone",
                            id));
  }

  Decision Decide(const Hit& hit) {
    if (hit.slot == kNoSlot) {  // of a forged file, for instance
      throw Error(ErrorCode::kCorrupt,
                  "no arm has a score that is a number: what this bandit has "
                  "learned cannot be");
    }
    const ArmId arm = catalogue.id(hit.slot);
    catalogue.CopyFeatures(hit.slot, pending.Add(arm));
    return {.id = pending.last(),
            .arm = arm,
            .score = ScoreInRewards(options, hit.score)};
  }

  std::vector<Decision> DecideAll(const std::vector<Hit>& hits) {
    std::vector<Decision> decisions;
    decisions.reserve(hits.size());
    for (const Hit& hit : hits) decisions.push_back(Decide(hit));
    return decisions;
  }

  std::vector<Slot> Slots() const {
    std::vector<Slot> slots;
    slots.reserve(catalogue.size());
    const std::vector<std::uint32_t> living = catalogue.LivingLanes();
    for (std::uint32_t block = 0; block < living.size(); ++block) {
      ForEachLane(living[block], [&](std::uint32_t lane) {
        slots.push_back(block * kLanes + lane);
      });
    }
    return slots;
  }

  void AddIds(std::span<const ArmId> ids) {
    for (const ArmId id : ids) {
      const Slot slot = catalogue.At(id);
      if (!eligible_arms.Contains(slot)) eligible_arms.Add(slot);
    }
  }

  void AddMasked(std::span<const bool> mask) {
    if (mask.size() != catalogue.size()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the mask is of length {}, there are {} arms",
                              mask.size(), catalogue.size()));
    }
    const std::vector<std::uint32_t> living = catalogue.LivingLanes();
    auto next = mask.begin();
    for (std::uint32_t block = 0; block < living.size(); ++block) {
      std::uint32_t lanes = 0;
      ForEachLane(living[block], [&](std::uint32_t lane) {
        lanes |= std::uint32_t{*next++} << lane;
      });
      if (lanes != 0) {
        eligible_arms.AddBlock({.block = block, .lanes = lanes});
      }
    }
  }

  // None where all arms are eligible.
  const ArmSet* SetOf(const Eligible& eligible) {
    if (catalogue.size() == 0) throw NoArms("there are no arms to choose from");
    if (std::holds_alternative<std::monostate>(eligible)) return nullptr;
    eligible_arms.Clear();
    if (const auto* ids = std::get_if<1>(&eligible)) AddIds(*ids);
    if (const auto* mask = std::get_if<2>(&eligible)) AddMasked(*mask);
    if (eligible_arms.size() == 0) throw NoArms("no arm is eligible");
    return &eligible_arms;
  }

  Hit ChooseAmong(const ArmSet* among) {
    if (among == nullptr) return policy->Choose();
    const std::vector<Hit> top =
        policy->ChooseTop({.count = 1, .among = among});
    return top.empty() ? Hit{} : top.front();
  }

  double Predict(const Eigen::VectorXd& mean,
                 std::span<const float> given) const {
    const bool negative = options.negative_rewards;
    const std::vector<float> extended =
        negative ? Extend(given)
                 : std::vector<float>(given.begin(), given.end());
    double reward = 0;
    for (std::size_t j = 0; j < extended.size(); ++j) {
      reward += mean[static_cast<Eigen::Index>(j)] * extended[j];
    }
    return negative ? 2 * reward - 1 : reward;
  }

  void RemoveOne(ArmId id) {
    policy->Remove(catalogue.At(id));
    catalogue.Remove(id);
  }

  BanditOptions options;
  Catalogue catalogue;
  Posterior posterior;
  std::unique_ptr<Policy> policy;
  PendingDecisions pending;

  // Scratch.
  std::vector<float> features;
  ArmSet eligible_arms;  // kept, so that few ids cost little
};

Bandit::Bandit(const BanditOptions& options)
    : state_(std::make_unique<State>(options)) {}
Bandit::~Bandit() = default;
Bandit::Bandit(Bandit&&) noexcept = default;
Bandit& Bandit::operator=(Bandit&&) noexcept = default;

void Bandit::Reserve(std::size_t arms) { state_->catalogue.Reserve(arms); }

void Bandit::Add(std::span<const ArmId> ids, const FeatureRows& features) {
  State& state = *state_;
  state.policy->Add(
      state.options.negative_rewards
          ? state.catalogue.Add(ids, state.InnerRows(ids.size(), features))
          : state.catalogue.Add(ids, features));
}

void Bandit::Add(std::span<const ArmId> ids, std::span<const float> features) {
  CheckRowCount(features.size(), ids.size(), dim());
  Add(ids, FeatureRows(features.data(), ids.size(), dim(),
                       {.row = static_cast<std::ptrdiff_t>(dim())}));
}

void Bandit::Add(ArmId id, std::span<const float> features) {
  CheckFeatures(features, dim());
  Add(std::span(&id, 1), features);
}

void Bandit::Remove(std::span<const ArmId> ids) {
  state_->DistinctSlots(ids);
  for (const ArmId id : ids) state_->RemoveOne(id);
}

void Bandit::Remove(ArmId id) { state_->RemoveOne(id); }

// In their places, so that Ids stays as it is.
void Bandit::Update(std::span<const ArmId> ids, const FeatureRows& features) {
  State& state = *state_;
  const std::vector<float> rows = state.InnerRows(ids.size(), features);
  const std::vector<Slot> slots = state.DistinctSlots(ids);
  for (const Slot slot : slots) state.policy->Remove(slot);
  state.catalogue.Replace(slots, rows);
  state.policy->Add(slots);
}

Decision Bandit::Choose(const Eligible& eligible) {
  return state_->Decide(state_->ChooseAmong(state_->SetOf(eligible)));
}

std::vector<Decision> Bandit::ChooseBest(std::size_t count,
                                         const Eligible& eligible) {
  CheckCount("number of choices", count, 1, state_->options.max_pending);
  const ArmSet* among = state_->SetOf(eligible);
  return state_->DecideAll(state_->policy->ChooseTop(
      {.count = std::min(count, size()), .among = among}));
}

std::vector<Decision> Bandit::ChooseDraws(std::size_t count,
                                          const Eligible& eligible) {
  CheckCount("number of choices", count, 1, state_->options.max_pending);
  const ArmSet* among = state_->SetOf(eligible);
  std::vector<Hit> hits;
  hits.reserve(count);
  while (hits.size() < count) hits.push_back(state_->ChooseAmong(among));
  return state_->DecideAll(hits);
}

void Bandit::Learn(DecisionId decision, double reward) {
  State& state = *state_;
  CheckReward(reward);
  state.posterior.Update(state.pending.Features(decision), state.Inner(reward));
  state.pending.Remove(decision);
}

void Bandit::Learn(const Decision& decision, double reward) {
  state_->pending.CheckArm(decision.id, decision.arm);
  Learn(decision.id, reward);
}

void Bandit::Learn(std::span<const DecisionId> decisions,
                   std::span<const double> rewards) {
  CheckRewards(rewards, decisions.size(), "decision", "decisions");
  for (const DecisionId decision : decisions) {
    state_->pending.Features(decision);
  }
  CheckDistinct(decisions, "decision");
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    Learn(decisions[i], rewards[i]);
  }
}

void Bandit::Dismiss(DecisionId decision) {
  state_->pending.Features(decision);
  state_->pending.Remove(decision);
}

std::size_t Bandit::pending() const { return state_->pending.size(); }

void Bandit::Observe(ArmId id, double reward) {
  State& state = *state_;
  CheckReward(reward);
  state.catalogue.CopyFeatures(state.ToObserve(id), state.features);
  state.posterior.Update(state.features, state.Inner(reward));
}

void Bandit::Observe(std::span<const ArmId> ids,
                     std::span<const double> rewards) {
  CheckRewards(rewards, ids.size(), "arm", "arms");
  for (const ArmId id : ids) state_->ToObserve(id);
  for (std::size_t i = 0; i < ids.size(); ++i) Observe(ids[i], rewards[i]);
}

void Bandit::Observe(std::span<const float> features, double reward) {
  State& state = *state_;
  CheckFeatures(features, dim());
  CheckReward(reward);
  if (state.options.negative_rewards) {
    state.posterior.Update(Extend(features), state.Inner(reward));
  } else {
    state.posterior.Update(features, reward);
  }
}

bool Bandit::Contains(ArmId id) const {
  return state_->catalogue.Find(id).has_value();
}

std::vector<ArmId> Bandit::Ids() const {
  std::vector<ArmId> ids;
  ids.reserve(size());
  for (const Slot slot : state_->Slots()) {
    ids.push_back(state_->catalogue.id(slot));
  }
  return ids;
}

std::size_t Bandit::size() const { return state_->catalogue.size(); }
std::size_t Bandit::dim() const { return state_->options.dim; }
const BanditOptions& Bandit::options() const { return state_->options; }

double Bandit::Predict(std::span<const float> features) const {
  CheckFeatures(features, dim());
  return state_->Predict(state_->posterior.Mean(), features);
}

std::vector<double> Bandit::Predict(const FeatureRows& features) const {
  CheckShape(features, features.rows(), dim());
  const Eigen::VectorXd mean = state_->posterior.Mean();
  std::vector<float> row(dim());
  std::vector<double> rewards(features.rows());
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    features.Copy(i, row);
    CheckRow(row, i, rewards.size());
    rewards[i] = state_->Predict(mean, row);
  }
  return rewards;
}

PolicyStats Bandit::stats() const { return state_->policy->stats(); }

void Bandit::Save(const std::filesystem::path& path, const Names* names) const {
  WriteWhole(path, [&](std::ostream& out) { Save(out, names); });
}

void Bandit::Save(std::ostream& out, const Names* names) const {
  ByteWriter writer(out);
  writer.Values(std::span<const char>(kMagic));
  writer.Transfer(kFormat);
  SaveOptions(writer, state_->options);
  state_->catalogue.Save(writer);
  state_->posterior.Save(writer);
  state_->policy->Save(writer);
  state_->pending.Save(writer);
  const Names none;
  (names != nullptr ? *names : none).Save(writer);
  writer.Transfer(writer.checksum());
  out.flush();
  if (!out) throw Error(ErrorCode::kIo, "cannot write all of the bandit");
}

Bandit Bandit::Load(const std::filesystem::path& path, Names* names) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) {
    throw Error(ErrorCode::kIo, fmt::format("cannot read {}", path.string()));
  }
  try {
    return Load(in, names);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}: {}", path.string(), error.what()));
  }
}

Bandit Bandit::Load(std::istream& in, Names* names) {
  ByteReader reader = CheckedReader(in);
  const auto format = reader.Next<std::uint32_t>();
  CheckSaved(format > 0, "there is no format 0");
  if (format > kFormat) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("it has format {}, this version of manyarms reads "
                            "formats up to {}",
                            format, kFormat));
  }
  try {
    const BanditOptions options = LoadOptions(reader);
    // Before memory is taken for it.
    const std::uint64_t dim = InnerDim(options) + 1;
    CheckSaved(reader.left() / sizeof(double) >= dim * (dim + 1) / 2,
               "it ends too early");
    Bandit bandit(options);
    State& state = *bandit.state_;
    state.catalogue.Restore(reader);
    state.posterior.Restore(reader);
    state.policy->Restore(reader, state.Slots());
    state.pending.Restore(reader, format >= 2);
    Names restored;
    if (format >= 2) restored.Restore(reader);
    CheckSaved(reader.left() == 0, "something follows its end");
    if (names != nullptr) *names = std::move(restored);
    return bandit;
  } catch (const Error& error) {
    // Of options and arms that no bandit could have had.
    if (error.code() == ErrorCode::kCorrupt ||
        error.code() == ErrorCode::kTooLarge) {
      throw;
    }
    FailCorrupt(error.what());
  }
}

}  // namespace manyarms
