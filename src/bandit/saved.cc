// A bandit's file: a magic word, the number of its format, then the parts of a
// bandit one after another, and a checksum of all that.

#include <fmt/format.h>

#include "bandit/checked_file.h"
#include "bandit/saved_names.h"
#include "bandit/saved_options.h"
#include "bandit/state.h"
#include "bandit/whole_file.h"
#include "base/bytes.h"

namespace manyarms {
namespace {

constexpr MagicWord kMagic = {'M', 'A', 'N', 'Y', 'A', 'R', 'M', 'S'};
// 1: options, arms, posterior, policy, pending decisions.
// 2: arms of pending decisions; names follow.
// 3: max_bytes of certified search.
// 4: first_pass of certified search; the posterior's inverse factor follows
//    names, if it is kept.
// 5: context_dim, context_constants and the prior follow the other options;
//    pending decisions begin with their context, if there is one.
// 6: rewards, forgetting and explore_uniform follow the prior; pending
//    decisions have the number of eligible arms, and which of them are by the
//    knowledge and the arms of the moment. The inverse factor of few features
//    is not written any more; the files say whether they have one.
constexpr std::uint32_t kFormat = kBanditFormat;

PendingFormat PendingFormatOf(std::uint32_t format) {
  if (format < 2) return PendingFormat::kNothing;
  return format < 6 ? PendingFormat::kArm : PendingFormat::kArmAndEligible;
}

}  // namespace

void Bandit::Save(const std::filesystem::path& path, const Names* names) const {
  WriteWhole(path, [&](std::ostream& out) { state_->Save(out, names); });
}

void Bandit::Save(std::ostream& out, const Names* names) const {
  state_->Save(out, names);
  out.flush();
  if (!out) throw Error(ErrorCode::kIo, "cannot write all of the bandit");
}

void Bandit::State::Save(std::ostream& out, const Names* names) const {
  CheckNames(names, store);
  ByteWriter writer(out);
  writer.Values(std::span<const char>(kMagic));
  writer.Transfer(kFormat);
  SaveOptions(writer, options);
  store.Save(writer);
  posterior.Save(writer);
  policy->Save(writer);
  pending.Save(writer, BasisNow());
  SaveNames(writer, names);
  posterior.SaveInverse(writer);
  writer.Transfer(writer.checksum());
}

Bandit Bandit::Load(const std::filesystem::path& path, Names* names) {
  return ReadWhole(path, [&](std::istream& in) { return Load(in, names); });
}

Bandit Bandit::Load(std::istream& in, Names* names) {
  return Bandit(State::Load(in, names));
}

std::unique_ptr<Bandit::State> Bandit::State::Load(std::istream& in,
                                                   Names* names,
                                                   const WrapIndex& wrap) {
  ByteReader reader = CheckedReader(in, kMagic);
  const std::uint32_t format = ReadFormat(reader, kFormat);
  try {
    const BanditOptions options = LoadOptions(reader, format);
    // This must be checked before memory is allocated.
    const std::uint64_t dim = ModelOf(options).coefficients() + 1;
    CheckSaved(reader.left() / sizeof(double) >= dim * (dim + 1) / 2,
               "it ends too early");
    auto loaded = std::make_unique<State>(options, wrap);
    State& state = *loaded;
    state.store.Restore(reader);
    state.posterior.Restore(reader);
    const std::vector<Slot> slots = state.store.Slots();
    if (state.index && !slots.empty()) state.index->Add(slots);
    state.policy->Restore(reader, slots);
    state.pending.Restore(reader, PendingFormatOf(format), state.BasisNow());
    Names restored;
    if (format >= 2) restored = LoadNames(reader, state.store);
    if (format >= 4) state.posterior.RestoreInverse(reader);
    CheckSaved(reader.left() == 0, "something follows its end");
    if (names != nullptr) *names = std::move(restored);
    return loaded;
  } catch (const Error& error) {
    RethrowAsCorrupt(error);
  }
}

}  // namespace manyarms
