#include "service/load/arms_upload.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "service/load/service_calls.h"

namespace manyarms::load {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kArmsAtATime = 8192;

// What numpy.save writes before the values of an array in C order.
std::string NpyHead(const std::string& type, const std::string& shape) {
  constexpr std::size_t kBeforeText = 10;
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                  type, shape);
  text.resize((kBeforeText + text.size()) / 64 * 64 + 63 - kBeforeText, ' ');
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 255);
  head += static_cast<char>(text.size() >> 8);
  return head + text;
}

// Of the first arms; kinds of arms come round and round.
std::size_t LongestName(const World& world, std::uint64_t count) {
  std::size_t longest = 0;
  for (std::uint64_t arm = count; arm < count + World::kKinds; ++arm) {
    longest = std::max(longest, world.NameOf(arm).size());
  }
  return longest;
}

// The body, piece by piece.
class ArmsBody {
 public:
  ArmsBody(const World& world, std::uint64_t count, bool numbered)
      : world_(world),
        count_(count),
        width_(numbered ? sizeof(std::uint64_t) : LongestName(world, count)),
        numbered_(numbered),
        ids_head_(NpyHead(numbered ? "<u8" : fmt::format("|S{}", width_),
                          fmt::format("{},", count))),
        features_head_(
            NpyHead("<f4", fmt::format("{}, {}", count, world.options().dim))),
        row_(world.options().dim) {}

  std::uint64_t Length() const {
    return ids_head_.size() + features_head_.size() +
           count_ * (width_ + row_.size() * sizeof(float));
  }

  std::string_view Next() {
    piece_.clear();
    if (ids_ == 0) piece_ = ids_head_;
    if (ids_ < count_) {
      for (const std::uint64_t end = EndFrom(ids_); ids_ < end; ++ids_) {
        AppendId(ids_);
      }
      return piece_;
    }
    if (rows_ == 0) piece_ = features_head_;
    for (const std::uint64_t end = EndFrom(rows_); rows_ < end; ++rows_) {
      AppendFeatures(rows_);
    }
    return piece_;
  }

 private:
  std::uint64_t EndFrom(std::uint64_t arm) const {
    return std::min(count_, arm + kArmsAtATime);
  }

  void AppendId(std::uint64_t arm) {
    if (numbered_) {
      piece_.append(reinterpret_cast<const char*>(&arm), sizeof(arm));
      return;
    }
    const std::string name = world_.NameOf(arm);
    piece_ += name;
    piece_.append(width_ - name.size(), '\0');
  }

  void AppendFeatures(std::uint64_t arm) {
    world_.Features(arm, row_);
    piece_.append(reinterpret_cast<const char*>(row_.data()),
                  row_.size() * sizeof(float));
  }

  const World& world_;
  const std::uint64_t count_;
  const std::size_t width_;
  const bool numbered_;
  const std::string ids_head_;
  const std::string features_head_;
  std::vector<float> row_;
  std::string piece_;
  std::uint64_t ids_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace

void UploadArms(Client& client, const std::string& bandit, const World& world,
                std::uint64_t count, bool numbered,
                const std::function<void(double)>& progress) {
  ArmsBody body(world, count, numbered);
  const std::uint64_t length = body.Length();
  std::uint64_t sent = 0;
  const Answer answer = client.SendPieces(
      "POST", BanditPath(bandit) + "/arms", "application/x-npy", length, [&] {
        const std::string_view piece = body.Next();
        sent += piece.size();
        if (progress) {
          progress(static_cast<double>(sent) / static_cast<double>(length));
        }
        return piece;
      });
  Expect(answer, {200}, fmt::format("adding {} arms", count));
}

}  // namespace manyarms::load
