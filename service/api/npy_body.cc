#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "manyarms/error.h"
#include "research/npy_header.h"
#include "service/api/arms_body.h"
#include "service/api/http_error.h"
#include "service/api/npy_ids.h"
#include "service/api/numbered.h"
#include "service/engine/limits.h"

namespace manyarms::service {
namespace {

[[noreturn]] void FailInvalid(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

class NpyBody : public ArmsBody {
 public:
  explicit NpyBody(ArmsBodyOptions options) : options_(std::move(options)) {}

  void Take(std::string_view piece) override {
    while (!piece.empty()) {
      if (array_ == Array::kNone) {
        throw Error(ErrorCode::kCorrupt,
                    "something follows the rows of features");
      }
      piece.remove_prefix(in_header_ ? TakeHeader(piece) : TakeValues(piece));
    }
  }

  void End() override {
    if (array_ == Array::kNone) return;
    if (in_header_) {
      throw Error(
          ErrorCode::kCorrupt,
          fmt::format("the body ends before the rows of {}", NameOfArray()));
    }
    throw Error(ErrorCode::kCorrupt,
                fmt::format("the body ends in {}, of which {} of {} are there",
                            NameOfArray(), done_, rows_));
  }

 private:
  enum class Array { kIds, kFeatures, kNone };

  const char* NameOfArray() const {
    return array_ == Array::kIds ? "the array of ids" : "the array of features";
  }

  template <class Parse>
  auto InHeader(Parse parse, std::string_view text) const {
    try {
      return parse(text);
    } catch (const Error& error) {
      throw Error(error.code(),
                  fmt::format("{}: {}", NameOfArray(), error.what()));
    }
  }

  // These return how many bytes they took.
  std::size_t TakeHeader(std::string_view piece) {
    const std::size_t wanted = buffer_.size() < kNpyPrefix
                                   ? kNpyPrefix
                                   : InHeader(&NpyHeaderLength, buffer_);
    const std::size_t take = std::min(wanted - buffer_.size(), piece.size());
    buffer_ += piece.substr(0, take);
    if (buffer_.size() >= kNpyPrefix &&
        buffer_.size() == InHeader(&NpyHeaderLength, buffer_)) {
      const NpyHeader header = InHeader(&ParseNpyHeader, buffer_);
      buffer_.clear();
      in_header_ = false;
      BeginArray(header);
    }
    return take;
  }

  std::size_t TakeValues(std::string_view piece) {
    if (!buffer_.empty()) {
      const std::size_t take = std::min(width_ - buffer_.size(), piece.size());
      buffer_ += piece.substr(0, take);
      if (buffer_.size() == width_) {
        TakeRow(buffer_);
        buffer_.clear();
      }
      return take;
    }
    std::size_t taken = 0;
    while (!in_header_ && array_ != Array::kNone &&
           piece.size() - taken >= width_) {
      TakeRow(piece.substr(taken, width_));
      taken += width_;
    }
    if (taken == 0) {
      buffer_ = piece;
      taken = piece.size();
    }
    return taken;
  }

  void BeginArray(const NpyHeader& header) {
    done_ = 0;
    if (array_ == Array::kIds) {
      BeginIds(header);
    } else {
      BeginFeatures(header);
    }
    if (rows_ == 0) EndArray();
  }

  void BeginIds(const NpyHeader& header) {
    if (header.shape.size() != 1) {
      FailInvalid(fmt::format("the ids have {} dimensions, must have 1",
                              header.shape.size()));
    }
    rows_ = header.shape[0];
    if (rows_ > options_.most_arms) {
      throw Refused(Refusal::kTooMany,
                    fmt::format("{} arms are given, a bandit may have at most "
                                "{}",
                                rows_, options_.most_arms));
    }
    ids_.emplace(header.type, options_.named);
    width_ = ids_->width();
  }

  void BeginFeatures(const NpyHeader& header) {
    is_float_ = header.type == "<f4";
    if (!is_float_ && header.type != "<f8") {
      FailInvalid(
          fmt::format("the type of the features is '{}', must be "
                      "float32 or float64 (little-endian)",
                      Shortened(header.type)));
    }
    if (header.fortran) {
      FailInvalid("the features are in Fortran order, must be in C order");
    }
    if (header.shape.size() != 2 || header.shape[0] != rows_ ||
        header.shape[1] != options_.dim) {
      FailInvalid(
          fmt::format("the shape of the features is ({}), must be "
                      "({}, {})",
                      fmt::join(header.shape, ", "), rows_, options_.dim));
    }
    width_ = options_.dim * (is_float_ ? sizeof(float) : sizeof(double));
  }

  void EndArray() {
    in_header_ = true;
    array_ = array_ == Array::kIds ? Array::kFeatures : Array::kNone;
  }

  void TakeRow(std::string_view bytes) {
    Numbered("row", done_, [&] {
      if (array_ == Array::kIds) {
        ids_->Take(bytes);
      } else {
        options_.use(
            {.arm = ids_->Release(done_), .features = Features(bytes)});
      }
    });
    if (++done_ == rows_) EndArray();
  }

  std::vector<float> Features(std::string_view bytes) const {
    std::vector<float> features(options_.dim);
    if (is_float_) {
      std::memcpy(features.data(), bytes.data(), bytes.size());
      return features;
    }
    for (std::size_t i = 0; i < features.size(); ++i) {
      double value = 0;
      std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
      features[i] = static_cast<float>(value);
    }
    return features;
  }

  const ArmsBodyOptions options_;
  Array array_ = Array::kIds;
  bool in_header_ = true;
  std::string buffer_;  // what has come of a header, or of a row
  std::size_t rows_ = 0;
  std::size_t width_ = 0;  // bytes of a row
  std::size_t done_ = 0;   // rows
  std::optional<NpyIds> ids_;
  bool is_float_ = false;
};

}  // namespace

std::unique_ptr<ArmsBody> MakeNpyBody(const ArmsBodyOptions& options) {
  return std::make_unique<NpyBody>(options);
}

}  // namespace manyarms::service
