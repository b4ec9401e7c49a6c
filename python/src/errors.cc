#include "errors.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <exception>

#include "manyarms/error.h"

namespace nb = nanobind;

namespace manyarms::python {
namespace {

const char* ClassFor(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "InvalidArgumentError";
    case ErrorCode::kDuplicateId:
      return "DuplicateIdError";
    case ErrorCode::kUnknownId:
      return "UnknownIdError";
    case ErrorCode::kNoArms:
      return "NoArmsError";
    case ErrorCode::kTooLarge:
      return "TooLargeError";
    case ErrorCode::kUnsupported:
      return "UnsupportedError";
    case ErrorCode::kOutdated:
      return "OutdatedError";
    case ErrorCode::kWrongAnswer:
      return "WrongAnswerError";
    case ErrorCode::kIo:
      return "FileError";
    case ErrorCode::kCorrupt:
      return "CorruptFileError";
  }
  return "Error";
}

}  // namespace

void TranslateErrors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown,
                                       void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const FileError& error) {
      const nb::object made =
          nb::module_::import_("manyarms.errors")
              .attr("_file_error")(error.system_error(), error.reason(),
                                   error.path());
      PyErr_SetObject(made.type().ptr(), made.ptr());
    } catch (const Error& error) {
      const nb::object type =
          nb::module_::import_("manyarms.errors").attr(ClassFor(error.code()));
      PyErr_SetString(type.ptr(), error.what());
    }
  });
}

}  // namespace manyarms::python
