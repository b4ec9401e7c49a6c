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

/// Makes tables.md, report.html and plots/ in the folder from the rows that
/// are in its rows.jsonl. A file that is there is replaced as a whole or not at
/// all; without gnuplot tables.md is written before the Error(kIo).
WrittenReport WriteReport(const std::filesystem::path& folder,
                          const std::vector<Table>& tables,
                          const RowsBySettings& rows);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_WRITE_H_
