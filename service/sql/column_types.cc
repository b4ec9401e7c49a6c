#include "service/sql/column_types.h"

#include <cctype>

namespace manyarms::sql {
namespace {

bool IsPartOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

std::string WithWords(std::string_view text, std::span<const Word> words) {
  std::string result;
  std::size_t at = 0;
  const auto word_here = [&]() -> const Word* {
    if (at > 0 && IsPartOfName(text[at - 1])) return nullptr;
    for (const Word& word : words) {
      const std::size_t end = at + word.first.size();
      if (text.substr(at, word.first.size()) == word.first &&
          (end == text.size() || !IsPartOfName(text[end]))) {
        return &word;
      }
    }
    return nullptr;
  };
  while (at < text.size()) {
    if (const Word* word = word_here()) {
      result += word->second;
      at += word->first.size();
    } else {
      result += text[at++];
    }
  }
  return result;
}

}  // namespace manyarms::sql
