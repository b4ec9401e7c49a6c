#ifndef MANYARMS_RESEARCH_NPY_HEADER_H_
#define MANYARMS_RESEARCH_NPY_HEADER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace manyarms {

/// How an array of NumPy's files begins.
struct NpyHeader {
  std::string type;  ///< as NumPy writes it, <f4 for instance
  bool fortran = false;
  std::vector<std::size_t> shape;
};

/// The bytes that must be there before NpyHeaderLength can be asked.
inline constexpr std::size_t kNpyPrefix = 8;

/// How many bytes, from the first one on, must be there to say more: the length
/// of the whole header once its text is as long as this returns. Throws
/// Error(kCorrupt) or Error(kUnsupported), also for a shorter text than
/// kNpyPrefix.
std::size_t NpyHeaderLength(std::string_view begin);

/// REQUIRES: the text is as long as NpyHeaderLength says. Throws likewise.
NpyHeader ParseNpyHeader(std::string_view begin);

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_NPY_HEADER_H_
