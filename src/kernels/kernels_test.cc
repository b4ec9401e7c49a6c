#include "kernels/kernels.h"

#include <hwy/targets.h>

#include <Eigen/Dense>
#include <cmath>
#include <ostream>
#include <set>

#include "kernels/triangular.h"
#include "testing.h"

namespace manyarms::kernels {
namespace {

// Features are small integers, so that sums are exact in float in whatever
// order they are taken, and results can be compared for equality.
class IntegerArms {
 public:
  IntegerArms(std::size_t dim, std::uint32_t blocks, std::uint64_t seed)
      : dim_(dim),
        features_(static_cast<float*>(
            std::aligned_alloc(64, blocks * dim * kLanes * sizeof(float)))),
        ids_(std::size_t{blocks} * kLanes) {
    RandomStream random(seed, RandomStream::Role::kArm, dim);
    for (std::size_t i = 0; i < blocks * dim * kLanes; ++i) {
      features_.get()[i] = static_cast<float>(random.Below(9)) - 4;
    }
    for (ArmId& id : ids_) id = random.Bits();
    feature_chunk_ = features_.get();
    id_chunk_ = ids_.data();
    for (std::uint32_t b = 0; b < blocks; ++b) {
      masked_.push_back(
          {b, static_cast<std::uint32_t>(random.Below(1 << kLanes))});
    }
  }

  BlockTable table() const { return {&feature_chunk_, &id_chunk_, 20, dim_}; }
  const std::vector<MaskedBlock>& masked() const { return masked_; }

  float Feature(Slot slot, std::size_t j) const {
    return features_.get()[(BlockOf(slot) * dim_ + j) * kLanes + LaneOf(slot)];
  }

  // The obvious way: every arm on its own, ids compared on equality.
  template <class Score>
  Hit Best(const Score& score) const {
    Hit best;
    for (const MaskedBlock& masked : masked_) {
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if ((masked.lanes >> lane & 1U) == 0) continue;
        const Slot slot = masked.block * kLanes + lane;
        const float value = score(slot);
        if (best.slot == kNoSlot || value > best.score ||
            (value == best.score && ids_[slot] < ids_[best.slot])) {
          best = {slot, value};
        }
      }
    }
    return best;
  }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };

  std::size_t dim_;
  std::unique_ptr<float, Free> features_;
  std::vector<ArmId> ids_;
  const float* feature_chunk_;
  const ArmId* id_chunk_;
  std::vector<MaskedBlock> masked_;
};

// A vector instruction set, as Highway numbers them.
struct Target {
  std::int64_t number;

  const char* name() const { return hwy::TargetName(number); }
  friend std::ostream& operator<<(std::ostream& out, const Target& target) {
    return out << target.name();
  }
};

std::vector<Target> AllTargets() {
  std::vector<Target> targets;
  for (const std::int64_t number : hwy::SupportedAndGeneratedTargets()) {
    targets.push_back({number});
  }
  return targets;
}

// Each test runs once for every instruction set, with that one forced.
class Kernels : public ::testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    hwy::SetSupportedTargetsForTest(GetParam().number);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    ASSERT_EQ(InstructionSet(), GetParam().name());
  }
  void TearDown() override {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }

  static std::vector<float> Direction(std::size_t dim) {
    std::vector<float> direction(dim);
    RandomStream random(2, RandomStream::Role::kTheta, dim);
    for (float& v : direction) v = static_cast<float>(random.Below(7)) - 3;
    return direction;
  }

  // Column-major; above the diagonal lies what must not be read.
  static std::vector<double> Lower(std::size_t dim) {
    std::vector<double> lower(dim * dim, std::nan(""));
    RandomStream random(3, RandomStream::Role::kTheta, dim);
    for (std::size_t j = 0; j < dim; ++j) {
      for (std::size_t i = j; i < dim; ++i) {
        lower[j * dim + i] = static_cast<double>(random.Below(5)) - 2;
      }
    }
    return lower;
  }

  static float Linear(const IntegerArms& arms, Slot slot,
                      const std::vector<float>& direction) {
    float sum = 0;
    for (std::size_t j = 0; j < direction.size(); ++j) {
      sum += direction[j] * arms.Feature(slot, j);
    }
    return sum;
  }

  static float Form(const IntegerArms& arms, Slot slot,
                    const std::vector<double>& lower, std::size_t dim) {
    double form = 0;
    for (std::size_t i = 0; i < dim; ++i) {
      double row = 0;
      for (std::size_t j = 0; j <= i; ++j) {
        row += lower[j * dim + i] * arms.Feature(slot, j);
      }
      form += row * row;
    }
    return static_cast<float>(form);
  }
};

constexpr std::size_t kDims[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64};

TEST_P(Kernels, BestInnerProductAgreesWithTheObvious) {
  for (const std::size_t dim : kDims) {
    for (const std::uint32_t blocks : {1U, 2U, 9U, 40U}) {
      const IntegerArms arms(dim, blocks, blocks);
      const auto direction = Direction(dim);
      const Hit expected =
          arms.Best([&](Slot slot) { return Linear(arms, slot, direction); });
      const Hit found =
          BestInnerProduct(arms.table(), arms.masked(), direction);
      EXPECT_EQ(found.slot, expected.slot) << dim << " " << blocks;
      EXPECT_EQ(found.score, expected.score);
    }
  }
}

TEST_P(Kernels, BestQuadraticFormAgreesWithTheObvious) {
  for (const std::size_t dim : kDims) {
    const IntegerArms arms(dim, 20, dim);
    const auto lower = Lower(dim);
    const Hit expected =
        arms.Best([&](Slot slot) { return Form(arms, slot, lower, dim); });
    const Hit found = BestQuadraticForm(arms.table(), arms.masked(),
                                        PackedFactor(lower.data(), dim));
    EXPECT_EQ(found.slot, expected.slot) << dim;
    EXPECT_EQ(found.score, expected.score);
  }
}

TEST_P(Kernels, BestOptimismAgreesWithTheObvious) {
  for (const std::size_t dim : kDims) {
    const IntegerArms arms(dim, 20, dim);
    const auto lower = Lower(dim);
    const auto direction = Direction(dim);
    const Hit expected = arms.Best([&](Slot slot) {
      return Linear(arms, slot, direction) +
             std::sqrt(Form(arms, slot, lower, dim));
    });
    const Hit found = BestOptimism(arms.table(), arms.masked(), direction,
                                   PackedFactor(lower.data(), dim));
    EXPECT_EQ(found.slot, expected.slot) << dim;
    EXPECT_EQ(found.score, expected.score);
  }
}

// All arms by falling score, equal ones by the smaller id.
template <class Score>
std::vector<Hit> Ranked(const IntegerArms& arms, const Score& score) {
  std::vector<Hit> hits;
  for (const MaskedBlock& masked : arms.masked()) {
    ForEachLane(masked.lanes, [&](std::uint32_t lane) {
      const Slot slot = masked.block * kLanes + lane;
      hits.push_back({slot, score(slot)});
    });
  }
  std::ranges::sort(hits, [&](const Hit& one, const Hit& other) {
    if (one.score != other.score) return one.score > other.score;
    return arms.table().Id(one.slot) < arms.table().Id(other.slot);
  });
  return hits;
}

void ExpectTop(const TopHits& top, const std::vector<Hit>& ranked) {
  const std::vector<Hit> found = top.Sorted();
  ASSERT_EQ(found.size(), std::min(top.count(), ranked.size()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].slot, ranked[i].slot) << i;
    EXPECT_EQ(found[i].score, ranked[i].score) << i;
  }
}

TEST_P(Kernels, TheTopAgreesWithTheObvious) {
  for (const std::size_t dim : {1U, 2U, 5U, 16U}) {  // few features: many ties
    for (const std::uint32_t blocks : {1U, 2U, 9U, 40U}) {
      const IntegerArms arms(dim, blocks, dim);
      const auto lower = Lower(dim);
      const PackedFactor factor(lower.data(), dim);
      const auto direction = Direction(dim);
      for (const std::size_t count : {1U, 2U, 7U, 100U, 1000U}) {
        TopHits product(count);
        TopInnerProduct(arms.table(), arms.masked(), direction, product);
        ExpectTop(product, Ranked(arms, [&](Slot slot) {
                    return Linear(arms, slot, direction);
                  }));
        TopHits form(count);
        TopQuadraticForm(arms.table(), arms.masked(), factor, form);
        ExpectTop(form, Ranked(arms, [&](Slot slot) {
                    return Form(arms, slot, lower, dim);
                  }));
        TopHits optimism(count);
        TopOptimism(arms.table(), arms.masked(), direction, factor, optimism);
        ExpectTop(optimism, Ranked(arms, [&](Slot slot) {
                    return Linear(arms, slot, direction) +
                           std::sqrt(Form(arms, slot, lower, dim));
                  }));
      }
    }
  }
}

TEST_P(Kernels, TiesGoToTheSmallerId) {
  const IntegerArms arms(3, 30, 1);
  const std::vector<float> zero(3, 0.0F);
  const Hit expected = arms.Best([](Slot) { return 0.0F; });
  EXPECT_EQ(BestInnerProduct(arms.table(), arms.masked(), zero).slot,
            expected.slot);
}

TEST_P(Kernels, NothingIsFoundAmongNoArms) {
  const IntegerArms arms(3, 2, 1);
  const std::vector<MaskedBlock> empty = {{0, 0}, {1, 0}};
  const std::vector<float> ones(3, 1.0F);
  EXPECT_EQ(BestInnerProduct(arms.table(), empty, ones).slot, kNoSlot);
  EXPECT_EQ(BestInnerProduct(arms.table(), {}, ones).slot, kNoSlot);
}

TEST_P(Kernels, BlockMomentsAgreeWithTheObvious) {
  for (const std::size_t dim : kDims) {
    const IntegerArms arms(dim, 1, dim);
    const auto lower = Lower(dim);
    const auto direction = Direction(dim);
    Moments moments;
    BlockMoments(arms.table().Features(0), direction,
                 PackedFactor(lower.data(), dim), moments);
    for (Slot slot = 0; slot < kLanes; ++slot) {
      EXPECT_EQ(moments.mean[slot], Linear(arms, slot, direction));
      EXPECT_EQ(moments.form[slot], Form(arms, slot, lower, dim));
    }
  }
}

TEST_P(Kernels, BestQuadraticFormOfEachIsThatOfEachAlone) {
  for (const std::size_t dim : kDims) {
    for (const std::uint32_t blocks : {1U, 2U, 7U}) {
      const IntegerArms arms(dim, blocks, dim);
      const auto lower = Lower(dim);
      const PackedFactor factor(lower.data(), dim);
      std::vector<Hit> best(blocks);
      BestQuadraticFormOfEach(arms.table(), arms.masked(), factor, best);
      for (std::uint32_t b = 0; b < blocks; ++b) {
        const Hit alone =
            BestQuadraticForm(arms.table(), {&arms.masked()[b], 1}, factor);
        EXPECT_EQ(best[b].slot, alone.slot);
        EXPECT_EQ(best[b].score, alone.score);
      }
    }
  }
}

// Slacks and scale are powers of two, so that bounds are exact as well.
BoundTerms Terms(const std::vector<float>& direction,
                 const PackedFactor& factor) {
  return {.direction = direction,
          .factor = &factor,
          .centre_slack = 0.5F,
          .width_slack = 0.25F,
          .width_scale = 2,
          .tiny = 0.125F};
}

TEST_P(Kernels, BoundsAgreeWithTheObvious) {
  for (const std::size_t dim : kDims) {
    const IntegerArms arms(dim, 1, dim);
    const auto lower = Lower(dim);
    const PackedFactor factor(lower.data(), dim);
    for (const auto& direction : {Direction(dim), std::vector<float>()}) {
      BlockBounds bounds;
      BoundsOf(arms.table().Features(0), Terms(direction, factor), bounds);
      for (Slot slot = 0; slot < kLanes; ++slot) {
        float square = 0;
        for (std::size_t j = 0; j < dim; ++j) {
          square += arms.Feature(slot, j) * arms.Feature(slot, j);
        }
        const float length = std::sqrt(square) + 0.125F;
        const float root = std::sqrt(Form(arms, slot, lower, dim)) + 0.125F;
        EXPECT_FLOAT_EQ(bounds.centre[slot],
                        Linear(arms, slot, direction) + 0.5F * length + 0.125F);
        EXPECT_FLOAT_EQ(bounds.width[slot], 2 * root + 0.25F * length);
      }
    }
  }
}

TEST_P(Kernels, SurveyDividesArmsAndRaisesTheCeilingOfTheRest) {
  for (const std::size_t dim : {1U, 5U, 16U}) {
    for (const std::uint32_t blocks : {1U, 2U, 11U}) {
      const IntegerArms arms(dim, blocks, dim);
      const auto direction = Direction(dim);
      const auto lower = Lower(dim);
      const PackedFactor factor(lower.data(), dim);
      SurveyTerms terms{
          .bounds = Terms(direction, factor), .radius = 2, .cutoff = 40};
      for (std::size_t r = 0; r < kRadii; ++r) {
        terms.radii[r] = static_cast<float>(r);
      }
      std::vector<BlockBounds> bounds(blocks);
      std::vector<std::uint32_t> reaching(blocks);
      Ceiling rest = kNoCeiling;
      Survey(arms.table(), arms.masked(), terms, bounds, reaching, rest);

      Ceiling expected = kNoCeiling;
      for (std::uint32_t b = 0; b < blocks; ++b) {
        BlockBounds alone;
        BoundsOf(arms.table().Features(b), terms.bounds, alone);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
          const float centre = alone.centre[lane];
          const float width = alone.width[lane];
          EXPECT_EQ(bounds[b].centre[lane], centre);
          EXPECT_EQ(bounds[b].width[lane], width);
          const bool member = (arms.masked()[b].lanes >> lane & 1U) != 0;
          const bool high = std::fma(2.0F, width, centre) >= 40;
          EXPECT_EQ((reaching[b] >> lane & 1U) != 0, member && high);
          if (!member || high) continue;
          for (std::size_t r = 0; r < kRadii; ++r) {
            expected.height[r] = std::max(
                expected.height[r], std::fma(terms.radii[r], width, centre));
          }
          expected.widest = std::max(expected.widest, width);
        }
      }
      for (std::size_t r = 0; r < kRadii; ++r) {
        EXPECT_FLOAT_EQ(rest.height[r], expected.height[r]);
      }
      EXPECT_EQ(rest.widest, expected.widest);
    }
  }
}

TEST_P(Kernels, InvertLowerInverts) {
  for (const std::size_t dim : kDims) {
    const std::size_t stride = dim + 1;  // as in the posterior
    const auto n = static_cast<Eigen::Index>(dim);
    Eigen::MatrixXd lower = Eigen::MatrixXd::Constant(n + 1, n, std::nan(""));
    RandomStream random(5, RandomStream::Role::kTheta, dim);
    for (Eigen::Index j = 0; j < n; ++j) {
      for (Eigen::Index i = j; i < n; ++i) lower(i, j) = random.Gaussian();
      lower(j, j) = 3 + random.Gaussian() / 4;
    }
    Eigen::MatrixXd inverse(n, n);
    InvertLower(lower.data(), stride, dim, 2.0, inverse.data());
    const Eigen::MatrixXd whole =
        lower.topRows(n).triangularView<Eigen::Lower>();
    EXPECT_LT((whole * inverse - 2 * Eigen::MatrixXd::Identity(n, n)).norm(),
              1e-9)
        << dim;
    for (Eigen::Index j = 1; j < n; ++j) EXPECT_EQ(inverse(j - 1, j), 0.0);
  }
}

TEST_P(Kernels, RowKernelsAgreeWithTheObviousAtAnyLengthAndAlignment) {
  std::vector<float> a(300);
  std::vector<float> b(300);
  RandomStream random(4, RandomStream::Role::kArm, 0);
  for (float& v : a) v = static_cast<float>(random.Below(9)) - 4;
  for (float& v : b) v = static_cast<float>(random.Below(9)) - 4;
  for (const std::size_t n : {4U, 8U, 12U, 16U, 20U, 28U, 32U, 36U, 140U}) {
    for (std::size_t shift = 0; shift < 9; ++shift) {
      float distance = 0;
      float product = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const float difference = a[shift + i] - b[2 * shift + i];
        distance += difference * difference;
        product += a[shift + i] * b[2 * shift + i];
      }
      EXPECT_EQ(SquaredDistance(&a[shift], &b[2 * shift], n), distance);
      EXPECT_EQ(InnerProduct(&a[shift], &b[2 * shift], n), product);
    }
  }
}

// Thresholds are integers too, so that many inner products are equal to one.
// Beyond the last direction lies what reaches any threshold but is not there.
TEST_P(Kernels, DirectionsReachedAgreesWithTheObvious) {
  for (const std::size_t dim : kDims) {
    const IntegerArms arms(dim, kDirectionGroup / kLanes, dim);
    const auto vector = Direction(dim);
    for (std::size_t count = 1; count <= kDirectionGroup; ++count) {
      for (const float threshold : {-3.0F, 0.0F, 2.0F, kNoBar}) {
        std::uint64_t expected = 0;
        for (Slot slot = 0; slot < count; ++slot) {
          if (Linear(arms, slot, vector) >= threshold) {
            expected |= std::uint64_t{1} << slot;
          }
        }
        ASSERT_EQ(DirectionsReached(arms.table().Features(0), count, vector,
                                    threshold),
                  expected)
            << dim << " features, " << count << " directions, " << threshold;
      }
    }
  }
}

// The vector is each direction in turn: it reaches its own square and not the
// next number above.
TEST_P(Kernels, DirectionsReachedTakesEqualityForReaching) {
  constexpr std::size_t kDim = 5;
  const IntegerArms arms(kDim, kDirectionGroup / kLanes, 3);
  for (Slot slot = 0; slot < kDirectionGroup; ++slot) {
    std::vector<float> vector(kDim);
    for (std::size_t j = 0; j < kDim; ++j) vector[j] = arms.Feature(slot, j);
    const float square = Linear(arms, slot, vector);
    const auto reached = [&](float threshold) {
      return DirectionsReached(arms.table().Features(0), kDirectionGroup,
                               vector, threshold) >>
                 slot &
             1U;
    };
    EXPECT_EQ(reached(square), 1U);
    EXPECT_EQ(reached(std::nextafter(square, 1e9F)), 0U);
  }
}

TEST_P(Kernels, PlainReadSumsEverything) {
  const std::vector<float> ones(std::size_t{kLanes} * 7, 1.0F);
  EXPECT_EQ(PlainRead(ones.data(), ones.size()),
            static_cast<float>(ones.size()));
}

// Real numbers this time. All instruction sets with fused multiply-add round
// alike, and so do all without.
TEST_P(Kernels, ScoresAreTakenInOneFixedOrder) {
  const std::set<std::string> unfused = {"SCALAR", "EMU128", "SSSE3", "SSE4"};
  const bool fused = !unfused.contains(InstructionSet());
  constexpr std::size_t kDim = 19;
  ArmStore store(kDim);
  const auto rows = testing::GaussianRows(100, kDim, 8);
  store.Add(testing::FirstIds(100), rows);
  const auto direction = testing::GaussianRows(1, kDim, 9);
  std::vector<MaskedBlock> blocks;
  for (std::uint32_t slot = 0; slot < 100; ++slot) {
    blocks = {{BlockOf(slot), 1U << LaneOf(slot)}};
    float expected = 0;
    for (std::size_t j = 0; j < kDim; ++j) {
      const float x = rows[slot * kDim + j];
      expected = fused ? std::fma(direction[j], x, expected)
                       : direction[j] * x + expected;
    }
    EXPECT_EQ(BestInnerProduct(store.blocks(), blocks, direction).score,
              expected);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryInstructionSet, Kernels,
                         ::testing::ValuesIn(AllTargets()),
                         [](const auto& c) { return c.param.name(); });

}  // namespace
}  // namespace manyarms::kernels
