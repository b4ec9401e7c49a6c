#ifndef MANYARMS_SERVICE_STORE_FOREIGN_TABLES_H_
#define MANYARMS_SERVICE_STORE_FOREIGN_TABLES_H_

#include <string>

namespace manyarms::service {

/// Throws Error(kUnsupported) if the place has tables of another program, in
/// which a mistyped name would otherwise make ours. Only reads: opening a file
/// for writing would already change it.
void RefuseForeignTables(const std::string& place);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_FOREIGN_TABLES_H_
