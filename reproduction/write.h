#ifndef MANYARMS_REPRODUCTION_WRITE_H_
#define MANYARMS_REPRODUCTION_WRITE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "reproduction/report.h"

namespace manyarms::reproduction {

struct WrittenReport {
  std::string tables;          ///< the text of tables.md
  std::filesystem::path page;  ///< report.html
};

/// Writes tables.md, report.html and plots/ into the folder. An existing file
/// is replaced completely or not at all. If gnuplot is missing, tables.md is
/// still written before Error(kIo) is thrown.
WrittenReport WriteReport(const std::filesystem::path& folder,
                          const std::vector<Table>& tables,
                          const RowsBySettings& rows);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_WRITE_H_
