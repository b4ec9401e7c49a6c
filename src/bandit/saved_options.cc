#include "bandit/saved_options.h"

#include <utility>

namespace manyarms {
namespace {

// What follows serves for writing and for reading: `Archive` is a ByteWriter or
// a ByteReader. A field more is a new version of the format.

template <class Archive, class Options>
void Transfer(Archive& archive, Options& options);

// The number of the alternative that a variant holds, and then that.
template <class... Options>
void TransferVariant(ByteWriter& writer, std::variant<Options...>& options) {
  writer.Transfer(static_cast<std::uint8_t>(options.index()));
  std::visit([&](auto& held) { Transfer(writer, held); }, options);
}

template <class... Options>
void TransferVariant(ByteReader& reader, std::variant<Options...>& options) {
  const auto index = reader.Next<std::uint8_t>();
  CheckSaved(index < sizeof...(Options), "it has options of an unknown kind");
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((I == index ? static_cast<void>(options.template emplace<I>()) : void()),
     ...);
  }
  (std::index_sequence_for<Options...>());
  std::visit([&](auto& held) { Transfer(reader, held); }, options);
}

void Fields(auto& archive, double& value) { archive.Transfer(value); }

void Fields(auto& archive, TheoryRadius& theory) {
  archive.Transfer(theory.horizon);
  archive.Transfer(theory.delta);
}

void Fields(auto& archive, Exploration& exploration) {
  TransferVariant(
      archive, static_cast<std::variant<double, TheoryRadius>&>(exploration));
}

void Fields(auto& archive, ThompsonOptions& options) {
  Transfer(archive, options.exploration);
}

void Fields(auto& archive, EliminationOptions& options) {
  Transfer(archive, options.exploration);
  archive.Transfer(options.accuracy);
}

void Fields(auto& archive, UcbOptions& options) {
  Transfer(archive, options.exploration);
}

void Fields(auto& archive, CertifiedOptions& options) {
  archive.Transfer(options.background);
  archive.Transfer(options.check_every);
}

void Fields(auto&, ScanOptions&) {}

void Fields(auto& archive, HnswOptions& options) {
  archive.Transfer(options.shortlist);
  archive.Transfer(options.metric);
  archive.Transfer(options.links);
  archive.Transfer(options.build_effort);
  archive.Transfer(options.effort);
}

void Fields(auto& archive, LshOptions& options) {
  archive.Transfer(options.success);
  archive.Transfer(options.reduction);
  archive.Transfer(options.min_depth);
  archive.Transfer(options.max_bytes);
}

void Fields(auto& archive, LshTheoryOptions& options) {
  archive.Transfer(options.accuracy);
  archive.Transfer(options.delta);
  archive.Transfer(options.reduction);
  archive.Transfer(options.copies);
  archive.Transfer(options.min_depth);
  archive.Transfer(options.threads);
  archive.Transfer(options.max_bytes);
}

void Fields(auto& archive, BanditOptions& options) {
  archive.Transfer(options.dim);
  TransferVariant(archive, options.policy);
  TransferVariant(archive, options.search);
  archive.Transfer(options.regularisation);
  archive.Transfer(options.negative_rewards);
  archive.Transfer(options.seed);
  archive.Transfer(options.max_pending);
}

template <class Archive, class Options>
void Transfer(Archive& archive, Options& options) {
  Fields(archive, options);
}

// Numbers out of bounds are found when a bandit is made of the options.
void CheckEnumerations(const SearchOptions& options) {
  const auto check = [](bool holds) {
    CheckSaved(holds, "it has options of an unknown kind");
  };
  if (const auto* hnsw = std::get_if<HnswOptions>(&options)) {
    check(!MetricName(hnsw->metric).empty());
  } else if (const auto* lsh = std::get_if<LshOptions>(&options)) {
    check(!ReductionName(lsh->reduction).empty());
  } else if (const auto* theory = std::get_if<LshTheoryOptions>(&options)) {
    check(!ReductionName(theory->reduction).empty());
  }
}

}  // namespace

void SaveOptions(ByteWriter& writer, const BanditOptions& options) {
  BanditOptions copy = options;
  Transfer(writer, copy);
}

BanditOptions LoadOptions(ByteReader& reader) {
  BanditOptions options;
  Transfer(reader, options);
  CheckEnumerations(options.search);
  return options;
}

}  // namespace manyarms
