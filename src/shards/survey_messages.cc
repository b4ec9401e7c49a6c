#include "shards/survey_messages.h"

#include <algorithm>
#include <cmath>

#include "shards/message.h"

namespace manyarms {
namespace {

constexpr MagicWord kRequestMagic = {'M', 'A', 'S', 'U', 'R', 'V', 'R', 'Q'};
constexpr MagicWord kSurveyMagic = {'M', 'A', 'S', 'U', 'R', 'V', 'E', 'Y'};

void CheckRest(const PlacedCeiling& rest) {
  const auto finite = [](float value) { return std::isfinite(value); };
  CheckSaved(std::ranges::all_of(rest.radii, finite) &&
                 rest.radii.front() == 0 && std::ranges::is_sorted(rest.radii),
             "its radii do not increase from 0");
  CheckSaved(std::ranges::all_of(rest.ceiling.height, finite) &&
                 finite(rest.ceiling.widest) && rest.ceiling.widest >= 0,
             "its ceiling is none");
}

}  // namespace

std::string SurveyRequest::Bytes() const {
  return WriteMessage(kRequestMagic, [this](ByteWriter& writer) {
    question.Write(writer);
    WriteCoefficients(writer, mean);
    writer.Transfer(threshold);
    writer.Transfer(radius);
    writer.Transfer(spare);
  });
}

SurveyRequest SurveyRequest::From(std::string_view bytes, Objective objective,
                                  std::size_t dim) {
  SurveyRequest request;
  ReadMessage(bytes, kRequestMagic, [&](ByteReader& reader) {
    request.question = Question::Read(reader, objective, dim);
    CheckSaved(request.question.factor.size() > 0, "it has no factor");
    request.mean = ReadCoefficients(reader, dim);
    reader.Transfer(request.threshold);
    reader.Transfer(request.radius);
    reader.Transfer(request.spare);
    CheckSaved(std::isfinite(request.threshold) && request.radius >= 0 &&
                   request.radius <= kMostRadius && request.spare >= 0 &&
                   request.spare <= 1,
               "it has a value out of bounds");
  });
  return request;
}

std::string ShardSurvey::Bytes() const {
  return WriteMessage(kSurveyMagic, [this](ByteWriter& writer) {
    writer.Transfer(request);
    writer.Transfer(arms);
    writer.Transfer(pays);
    if (!pays) return;
    writer.Values(std::span<const float>(rest.radii));
    writer.Values(std::span<const float>(rest.ceiling.height));
    writer.Transfer(rest.ceiling.widest);
    contenders.Write(writer);
  });
}

ShardSurvey ShardSurvey::From(std::string_view bytes, std::size_t dim) {
  ShardSurvey survey;
  ReadMessage(bytes, kSurveyMagic, [&](ByteReader& reader) {
    reader.Transfer(survey.request);
    reader.Transfer(survey.arms);
    reader.Transfer(survey.pays);
    if (!survey.pays) return;
    reader.Values(std::span<float>(survey.rest.radii));
    reader.Values(std::span<float>(survey.rest.ceiling.height));
    reader.Transfer(survey.rest.ceiling.widest);
    CheckRest(survey.rest);
    survey.contenders = SentArms::Read(reader, dim);
    CheckSaved(survey.contenders.ids.size() <= survey.arms,
               "it has more contenders than arms");
  });
  return survey;
}

}  // namespace manyarms
