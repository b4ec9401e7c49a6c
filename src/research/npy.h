#ifndef MANYARMS_RESEARCH_NPY_H_
#define MANYARMS_RESEARCH_NPY_H_

#include <cstddef>
#include <filesystem>
#include <istream>
#include <variant>
#include <vector>

#include "manyarms/features.h"

namespace manyarms {

/// A matrix that NumPy has saved.
struct NpyMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  /// Row after row.
  // NOLINTNEXTLINE(readability-redundant-member-init): g++ warns without it.
  std::variant<std::vector<float>, std::vector<double>> values = {};

  FeatureRows Rows() const;
};

/// Reads a .npy file that has a two-dimensional array of float32 or float64 in
/// C order. Throws FileError, Error(kUnsupported) for another type, order or
/// number of dimensions, and Error(kCorrupt) for what is no such file. Messages
/// name the file.
NpyMatrix ReadNpy(const std::filesystem::path& path);
NpyMatrix ReadNpy(std::istream& in);

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_NPY_H_
