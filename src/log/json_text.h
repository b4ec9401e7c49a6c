#ifndef MANYARMS_LOG_JSON_TEXT_H_
#define MANYARMS_LOG_JSON_TEXT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// Values as JSON, appended to a line. Numbers get the shortest text from which
/// the same number is read.
namespace manyarms {

void AppendJson(std::uint64_t value, std::string& line);
void AppendJson(bool value, std::string& line);
/// REQUIRES for the next three: the numbers are finite.
void AppendJson(double value, std::string& line);
/// Readers may take it as a float, or as a double that they round.
void AppendJson(float value, std::string& line);
void AppendJson(std::span<const float> values, std::string& line);
/// REQUIRES: the text is UTF-8.
void AppendJson(std::string_view text, std::string& line);

}  // namespace manyarms

#endif  // MANYARMS_LOG_JSON_TEXT_H_
