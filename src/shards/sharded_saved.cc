// Sharded bandits as bytes.

#include <sstream>
#include <utility>

#include "bandit/state.h"
#include "shards/guarded_index.h"
#include "shards/message.h"
#include "shards/shardable.h"
#include "shards/sharded_bandit.h"

namespace manyarms {
namespace {

constexpr MagicWord kMagic = {'M', 'A', 'L', 'E', 'A', 'R', 'N', 'R'};

}  // namespace

ShardedBandit::ShardedBandit(Bandit bandit, std::unique_ptr<Guard> guard,
                             std::size_t arms)
    : guard_(std::move(guard)), bandit_(std::move(bandit)), arms_(arms) {}

std::string ShardedBandit::Save() const {
  std::ostringstream out;
  bandit_.Save(out);
  const std::string bandit = std::move(out).str();
  return WriteMessage(kMagic, [&](ByteWriter& writer) {
    writer.Transfer(static_cast<std::uint64_t>(arms_));
    writer.Transfer(static_cast<std::uint64_t>(bandit.size()));
    writer.Values(std::span<const char>(bandit));
  });
}

ShardedBandit ShardedBandit::Load(std::string_view bytes) {
  std::uint64_t arms = 0;
  std::string saved;
  ReadMessage(bytes, kMagic, [&](ByteReader& reader) {
    reader.Transfer(arms);
    saved.resize(reader.Count(1));
    reader.Values(std::span<char>(saved));
  });
  std::istringstream in(std::move(saved));
  auto guard = std::make_unique<Guard>();
  Bandit bandit(State::Load(in, nullptr, GuardedBy(*guard)));
  try {
    Shardable(bandit.options());
  } catch (const Error& error) {
    RethrowAsCorrupt(error);
  }
  CheckSaved(bandit.size() <= arms && arms <= kMaxArms,
             "it knows more arms than there are");
  ShardedBandit loaded(std::move(bandit), std::move(guard), arms);
  loaded.DropRest();
  return loaded;
}

}  // namespace manyarms
