#include "bandit/saved_options.h"

#include <type_traits>

#include "policy/kinds.h"
#include "search/kinds.h"

namespace manyarms {
namespace {

constexpr const char* kUnknownKind = "it has options of an unknown kind";

// An exploration begins with one of these.
constexpr std::uint8_t kConstant = 0;
constexpr std::uint8_t kTheory = 1;

// Enumerations are saved as the numbers of their values, in four bytes.
using SavedChoice = std::int32_t;

// Writes each field of options.
class FieldWriter {
 public:
  explicit FieldWriter(ByteWriter& writer) : writer_(writer) {}

  template <class Kind, class Options>
  void Write(Kind kind, const Options& options) {
    writer_.Transfer(kind.kTag);
    ForEachField(kind.kFields, options, *this);
  }

  template <class Domain, Plain Value>
  void operator()(const About&, const Domain&, const Value& value) {
    writer_.Transfer(value);
  }

  template <class Value>
  void operator()(const About&, const Choices<Value>&, const Value& value) {
    writer_.Transfer(static_cast<SavedChoice>(value));
  }

  void operator()(const About&, const Explorations&,
                  const Exploration& exploration) {
    if (const double* constant = std::get_if<double>(&exploration)) {
      writer_.Transfer(kConstant);
      writer_.Transfer(*constant);
    } else {
      writer_.Transfer(kTheory);
      ForEachField(kTheoryRadiusFields, std::get<TheoryRadius>(exploration),
                   *this);
    }
  }

 private:
  ByteWriter& writer_;
};

// Reads each field that the format has.
class FieldReader {
 public:
  FieldReader(ByteReader& reader, std::uint32_t format)
      : reader_(reader), format_(format) {}

  template <class Kinds>
  auto Read() {
    auto options = Kinds::Tagged(reader_.Next<std::uint8_t>());
    CheckSaved(options.has_value(), kUnknownKind);
    Kinds::Visit(*options, [this](auto kind, auto& held) {
      ForEachField(kind.kFields, held, *this);
    });
    return *options;
  }

  template <class Domain, class Value>
  void operator()(const About& about, const Domain& domain, Value& value) {
    if (about.since <= format_) ReadValue(domain, value);
  }

 private:
  template <class Domain, Plain Value>
  void ReadValue(const Domain&, Value& value) {
    reader_.Transfer(value);
  }

  template <class Value>
  void ReadValue(const Choices<Value>& choices, Value& value) {
    value = static_cast<Value>(reader_.Next<SavedChoice>());
    CheckSaved(choices.Find(value) != nullptr, kUnknownKind);
  }

  void ReadValue(const Explorations&, Exploration& exploration) {
    const auto which = reader_.Next<std::uint8_t>();
    CheckSaved(which == kConstant || which == kTheory, kUnknownKind);
    if (which == kConstant) {
      exploration = reader_.Next<double>();
    } else {
      TheoryRadius theory;
      ForEachField(kTheoryRadiusFields, theory, *this);
      exploration = theory;
    }
  }

  ByteReader& reader_;
  const std::uint32_t format_;
};

}  // namespace

void SaveOptions(ByteWriter& writer, const BanditOptions& options) {
  FieldWriter fields(writer);
  const auto write = [&fields](auto kind, const auto& held) {
    fields.Write(kind, held);
  };
  writer.Transfer(options.dim);
  PolicyKinds::Visit(options.policy, write);
  SearchKinds::Visit(options.search, write);
  writer.Transfer(options.regularisation);
  writer.Transfer(options.negative_rewards);
  writer.Transfer(options.seed);
  writer.Transfer(options.max_pending);
  writer.Transfer(options.context_dim);
  writer.Transfer(options.context_constants);
  writer.Transfer(options.prior.has_value());
  if (options.prior) {
    writer.Transfer(options.prior->mean);
    writer.Transfer(options.prior->precision);
  }
  writer.Transfer(options.rewards);
  writer.Transfer(options.forgetting);
  writer.Transfer(options.explore_uniform);
}

BanditOptions LoadOptions(ByteReader& reader, std::uint32_t format) {
  FieldReader fields(reader, format);
  BanditOptions options;
  reader.Transfer(options.dim);
  options.policy = fields.Read<PolicyKinds>();
  options.search = fields.Read<SearchKinds>();
  reader.Transfer(options.regularisation);
  reader.Transfer(options.negative_rewards);
  reader.Transfer(options.seed);
  reader.Transfer(options.max_pending);
  if (format >= 5) {
    reader.Transfer(options.context_dim);
    reader.Transfer(options.context_constants);
    bool has_prior = false;
    reader.Transfer(has_prior);
    if (has_prior) {
      options.prior.emplace();
      reader.Transfer(options.prior->mean);
      reader.Transfer(options.prior->precision);
    }
  }
  if (format >= 6) {
    reader.Transfer(options.rewards);
    CheckSaved(options.rewards <= RewardModel::kClicks, kUnknownKind);
    reader.Transfer(options.forgetting);
    reader.Transfer(options.explore_uniform);
  }
  return options;
}

}  // namespace manyarms
