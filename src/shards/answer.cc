#include "shards/answer.h"

#include "base/check.h"
#include "shards/message.h"

namespace manyarms {
namespace {

constexpr MagicWord kMagic = {'M', 'A', 'A', 'N', 'S', 'W', 'E', 'R'};
constexpr MagicWord kArmsMagic = {'M', 'A', 'A', 'R', 'M', 'R', 'O', 'W'};

}  // namespace

void SentArms::Append(ArmId id, std::span<const float> row) {
  ids.push_back(id);
  rows.insert(rows.end(), row.begin(), row.end());
}

void SentArms::Append(const SentArms& more) {
  ids.insert(ids.end(), more.ids.begin(), more.ids.end());
  rows.insert(rows.end(), more.rows.begin(), more.rows.end());
}

void SentArms::Write(ByteWriter& writer) const {
  writer.Transfer(ids);
  writer.Values(std::span<const float>(rows));
}

SentArms SentArms::Read(ByteReader& reader, std::size_t dim) {
  SentArms arms;
  const std::size_t count = reader.Count(sizeof(ArmId) + dim * sizeof(float));
  arms.ids.resize(count);
  reader.Values(std::span(arms.ids));
  arms.rows.resize(count * dim);
  reader.Values(std::span(arms.rows));
  CheckSaved(AreFeatures(arms.rows), "it has features that no arm has");
  return arms;
}

std::string SentArms::Bytes() const {
  return WriteMessage(kArmsMagic,
                      [this](ByteWriter& writer) { Write(writer); });
}

SentArms SentArms::From(std::string_view bytes, std::size_t dim) {
  SentArms arms;
  ReadMessage(bytes, kArmsMagic,
              [&](ByteReader& reader) { arms = Read(reader, dim); });
  return arms;
}

std::string Answer::Bytes() const {
  return WriteMessage(kMagic, [this](ByteWriter& writer) {
    writer.Transfer(question);
    writer.Transfer(eligible);
    arms.Write(writer);
    writer.Values(std::span<const float>(scores));
  });
}

Answer Answer::From(std::string_view bytes, std::size_t dim) {
  Answer answer;
  ReadMessage(bytes, kMagic, [&](ByteReader& reader) {
    reader.Transfer(answer.question);
    reader.Transfer(answer.eligible);
    answer.arms = SentArms::Read(reader, dim);
    answer.scores.resize(answer.arms.ids.size());
    reader.Values(std::span(answer.scores));
    CheckSaved(answer.arms.ids.size() <= answer.eligible,
               "it has more arms than are eligible");
  });
  return answer;
}

}  // namespace manyarms
