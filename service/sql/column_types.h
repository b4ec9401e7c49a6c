#ifndef MANYARMS_SERVICE_SQL_COLUMN_TYPES_H_
#define MANYARMS_SERVICE_SQL_COLUMN_TYPES_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace manyarms::sql {

/// A word of our statements, and what a database calls it.
using Word = std::pair<std::string_view, std::string_view>;

/// The text with each of these words replaced, wherever it occurs as a whole.
std::string WithWords(std::string_view text, std::span<const Word> words);

}  // namespace manyarms::sql

#endif  // MANYARMS_SERVICE_SQL_COLUMN_TYPES_H_
