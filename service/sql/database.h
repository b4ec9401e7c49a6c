#ifndef MANYARMS_SERVICE_SQL_DATABASE_H_
#define MANYARMS_SERVICE_SQL_DATABASE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "manyarms/error.h"

/// What the service needs of a database, so that each query is written once for
/// SQLite and PostgreSQL.
namespace manyarms::sql {

enum class FailureKind : std::uint8_t {
  kFull,   ///< no room is left; it may be tried again later
  kBusy,   ///< somebody else holds a lock; it may be tried again later
  kLost,   ///< the connection is gone; it may be opened again
  kIo,     ///< the disk refused to read or write; it may be tried again later
  kFatal,  ///< what was written may not be on the disk: it must not be used
           ///< any more by this process
  kTakenOver,  ///< another process owns it now: likewise
  kOther,      ///< the database refuses the statement
};

/// A statement could not be carried out. The transaction, if there was one, is
/// rolled back.
class Failure : public Error {
 public:
  Failure(FailureKind kind, const std::string& message)
      : Error(ErrorCode::kIo, message), kind_(kind) {}

  FailureKind kind() const { return kind_; }

 private:
  FailureKind kind_;
};

/// A prepared statement with parameters $1, $2, ..., which first occur in this
/// order. Values of parameters are copied. It must not outlive its database.
class Statement {
 public:
  virtual ~Statement() = default;

  /// Give values to the parameters in their order; after Run or the last Next
  /// it begins at $1 again.
  virtual Statement& Integer(std::int64_t value) = 0;
  virtual Statement& Real(double value) = 0;
  virtual Statement& Text(std::string_view value) = 0;
  virtual Statement& Bytes(std::span<const std::byte> value) = 0;
  virtual Statement& Null() = 0;

  /// Carries out a statement that returns no rows. Within a transaction it may
  /// be sent together with later ones; its failure is then thrown by a later
  /// call, at the latest by Commit.
  virtual void Run() = 0;

  /// The next row of a query; false at its end. The first call sends it.
  virtual bool Next() = 0;

  /// The columns of the row, counted from 0. Views are valid until Next.
  virtual bool IsNull(int column) const = 0;
  virtual std::int64_t IntegerAt(int column) const = 0;
  virtual double RealAt(int column) const = 0;
  virtual std::string_view TextAt(int column) const = 0;
  virtual std::span<const std::byte> BytesAt(int column) const = 0;

  /// Ends a query before its last row.
  virtual void Reset() = 0;
};

/// A connection, used by one thread at a time.
class Database {
 public:
  enum class Access : std::uint8_t {
    kWrite,
    kRead,
    /// As kWrite, even if somebody else holds the lock of the one writer: it is
    /// for the caller to see to it that the former writer writes no more. A
    /// writer that hangs within a transaction is ended.
    kTakeOver,
  };

  virtual ~Database() = default;

  virtual std::unique_ptr<Statement> Prepare(std::string_view text) = 0;

  /// Carries out one or more statements without parameters. Column types may be
  /// written as INTEGER64, REAL64, TEXT and BYTES, and become those of the
  /// database. A table that ends with WITHOUT ROWID is sorted by its key where
  /// the database can do that.
  virtual void Run(std::string_view text) = 0;

  virtual void Begin() = 0;
  /// Once it returns, everything of the transaction survives a power cut.
  virtual void Commit() = 0;
  /// Does what commits have left to do, which takes some milliseconds from time
  /// to time: to be called after commits. While somebody waits for the next
  /// one, it does only what cannot wait longer. Throws Failure if it means that
  /// nothing may be written any more. After kTakeOver, it takes the lock of the
  /// one writer as soon as that is free.
  virtual void TidyUp(bool somebody_waits) = 0;
  /// Does nothing without a transaction, and never throws.
  virtual void Rollback() noexcept = 0;

  /// The bytes that it takes on the disk, as far as that is known.
  virtual std::uint64_t SizeInBytes() = 0;

  /// Writes a copy as of one moment to a new file, while others go on.
  virtual void Backup(const std::string& path) = 0;
};

/// Opens a file of SQLite, or a database of PostgreSQL if the place begins with
/// postgresql:// or postgres://. A file is made if it is missing and access is
/// not kRead. There is one writer: a second one gets Failure(kBusy), unless
/// access is kTakeOver.
std::unique_ptr<Database> Open(const std::string& place,
                               Database::Access access);

bool IsPostgres(std::string_view place);

}  // namespace manyarms::sql

#endif  // MANYARMS_SERVICE_SQL_DATABASE_H_
