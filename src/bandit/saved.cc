// A bandit's file: a magic word, the number of its format, then the parts of a
// bandit one after another, and a checksum of all that.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "bandit/saved_options.h"
#include "bandit/state.h"
#include "bandit/whole_file.h"
#include "base/bytes.h"

namespace manyarms {
namespace {

constexpr std::array<char, 8> kMagic = {'M', 'A', 'N', 'Y', 'A', 'R', 'M', 'S'};
// 1: options, arms, posterior, policy, pending decisions.
// 2: arms of pending decisions; names follow.
// 3: max_bytes of certified search.
// 4: first_pass of certified search; the posterior's inverse factor follows
//    names, if it is kept.
constexpr std::uint32_t kFormat = 4;

// Checks the magic word and the checksum, and returns a reader for what lies
// between them.
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

void SaveNames(ByteWriter& writer, const Names& names) {
  const std::vector<Names::Entry> entries = names.Entries();
  writer.Transfer(std::uint64_t{names.given()});
  writer.Transfer(std::uint64_t{entries.size()});
  for (const Names::Entry& entry : entries) {
    writer.Transfer(entry.id);
    writer.Transfer(std::uint64_t{entry.name.size()});
    writer.Values(std::span<const char>(entry.name));
  }
}

Names LoadNames(ByteReader& reader) {
  const auto given = reader.Next<std::uint64_t>();
  CheckSaved(given < ~std::uint64_t{0} / 2, "its names are out of bounds");
  std::vector<Names::Entry> entries(reader.Count(2 * sizeof(std::uint64_t)));
  for (Names::Entry& entry : entries) {
    reader.Transfer(entry.id);
    entry.name.resize(reader.Count(1));
    reader.Values(std::span<char>(entry.name));
  }
  return Names::FromEntries(given, std::move(entries));
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
  if (names != nullptr && names->given() > 0 && !AllNamed(*names)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("there are {} names for {} arms, or for others",
                            names->size(), store.size()));
  }
  ByteWriter writer(out);
  writer.Values(std::span<const char>(kMagic));
  writer.Transfer(kFormat);
  SaveOptions(writer, options);
  store.Save(writer);
  posterior.Save(writer);
  policy->Save(writer);
  pending.Save(writer);
  const Names none;
  SaveNames(writer, names != nullptr ? *names : none);
  posterior.SaveInverse(writer);
  writer.Transfer(writer.checksum());
}

Bandit Bandit::Load(const std::filesystem::path& path, Names* names) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) throw FileError("cannot read", path, EISDIR);
  // This must be checked before opening, which would wait for a pipe's other
  // end.
  if (fs::is_other(status)) {
    throw FileError("cannot read", path, EINVAL, "it is not a regular file");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw FileError("cannot read", path, errno != 0 ? errno : EIO);
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
    const BanditOptions options = LoadOptions(reader, format);
    // This must be checked before memory is allocated.
    const std::uint64_t dim =
        RewardScale(options.dim, options.negative_rewards).inner_dim() + 1;
    CheckSaved(reader.left() / sizeof(double) >= dim * (dim + 1) / 2,
               "it ends too early");
    Bandit bandit(options);
    State& state = *bandit.state_;
    state.store.Restore(reader);
    state.posterior.Restore(reader);
    const std::vector<Slot> slots = state.store.Slots();
    if (state.index && !slots.empty()) state.index->Add(slots);
    state.policy->Restore(reader, slots);
    state.pending.Restore(reader, format >= 2);
    Names restored;
    if (format >= 2) restored = LoadNames(reader);
    CheckSaved(restored.given() == 0 || state.AllNamed(restored),
               "its names are not those of its arms");
    if (format >= 4) state.posterior.RestoreInverse(reader);
    CheckSaved(reader.left() == 0, "something follows its end");
    if (names != nullptr) *names = std::move(restored);
    return bandit;
  } catch (const Error& error) {
    // All other codes come from options and arms that no bandit can have had.
    if (error.code() == ErrorCode::kCorrupt ||
        error.code() == ErrorCode::kTooLarge) {
      throw;
    }
    FailCorrupt(error.what());
  }
}

}  // namespace manyarms
