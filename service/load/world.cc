#include "service/load/world.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "manyarms/error.h"
#include "research/synthetic_arms.h"

namespace manyarms::load {
namespace {

struct Kind {
  std::string_view name;
  std::string_view department;
};

constexpr std::array<Kind, World::kKinds> kKindNames = {
    Kind{"espresso-machine", "kitchen"}, Kind{"tea-kettle", "kitchen"},
    Kind{"bread-knife", "kitchen"},      Kind{"frying-pan", "kitchen"},
    Kind{"desk-lamp", "home"},           Kind{"wool-blanket", "home"},
    Kind{"picture-frame", "home"},       Kind{"bookshelf", "home"},
    Kind{"garden-hose", "garden"},       Kind{"flower-pot", "garden"},
    Kind{"bird-feeder", "garden"},       Kind{"deck-chair", "garden"},
    Kind{"running-shoes", "sports"},     Kind{"yoga-mat", "sports"},
    Kind{"bicycle-bell", "sports"},      Kind{"tennis-racket", "sports"},
    Kind{"rain-jacket", "clothes"},      Kind{"linen-shirt", "clothes"},
    Kind{"winter-scarf", "clothes"},     Kind{"leather-belt", "clothes"},
    Kind{"crime-novel", "books"},        Kind{"cook-book", "books"},
    Kind{"travel-guide", "books"},       Kind{"picture-book", "books"}};
constexpr std::array<std::string_view, 6> kColours = {
    "red", "blue", "green", "black", "white", "yellow"};

// Streams of arms, learners and kinds.
constexpr auto kArm = RandomStream::Role::kArm;
constexpr auto kLearner = RandomStream::Role::kLearner;
constexpr auto kTheta = RandomStream::Role::kTheta;

// Features have a length of about 1, and a learner's liking of the arms has a
// standard deviation of about 1. An arm is clicked in one of eight visits on
// average, and the best ones mostly.
constexpr double kKindShare = 0.6;
constexpr double kCommonShare = 0.7;
constexpr double kNoise = 0.1;
constexpr double kClickConstant = -2.5;
constexpr double kClickSlope = 1.4;

double Other(double share) { return std::sqrt(1 - share * share); }

}  // namespace

World::World(const WorldOptions& options)
    : options_(options),
      law_(options.learners, options.zipf),
      kinds_(kKinds * options.dim),
      common_(options.dim) {
  RandomStream(options.seed, kTheta, 0).Gaussians(std::span(kinds_));
  RandomStream(options.seed, kTheta, 1).Gaussians(std::span(common_));
}

std::size_t World::KindOf(std::uint64_t arm) const { return arm % kKinds; }

std::string World::NameOf(std::uint64_t arm) const {
  return fmt::format("{}-{:04}", kKindNames[KindOf(arm)].name, arm);
}

std::optional<std::uint64_t> World::NumberOf(std::string_view name) const {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::uint64_t arm = 0;
  const char* end = name.data() + name.size();
  const auto [last, error] = std::from_chars(name.data() + dash + 1, end, arm);
  if (error != std::errc() || last != end) return std::nullopt;
  if (name.substr(0, dash) != kKindNames[KindOf(arm)].name) return std::nullopt;
  return arm;
}

std::vector<std::string> World::TagsOf(std::uint64_t arm) const {
  // A second stream of the arm, beside that of its features.
  RandomStream random(options_.seed ^ 1, kArm, arm);
  std::vector<std::string> tags = {
      std::string(kKindNames[KindOf(arm)].department),
      std::string(kColours[random.Below(kColours.size())])};
  if (random.Below(10) == 0) tags.emplace_back("sale");
  return tags;
}

void World::Features(std::uint64_t arm, std::span<float> out) const {
  RandomStream(options_.seed, kArm, arm).Gaussians(out);
  const std::size_t dim = options_.dim;
  const auto kind = std::span(kinds_).subspan(KindOf(arm) * dim, dim);
  const double scale = 1 / std::sqrt(static_cast<double>(dim));
  for (std::size_t i = 0; i < dim; ++i) {
    out[i] = static_cast<float>(
        scale * (kKindShare * kind[i] + Other(kKindShare) * double{out[i]}));
  }
  // Models have no constant of their own, and clicks are rare.
  if (options_.clicks) out[dim - 1] = 1;
}

std::string World::LearnerName(std::uint64_t learner) {
  return fmt::format("user-{}", learner);
}

std::uint64_t World::DrawLearner(RandomStream& random) const {
  return law_.Draw(random);
}

// The inner product of taste and features.
double World::Liking(std::uint64_t learner, std::uint64_t arm) const {
  std::array<float, 64> few{};
  std::array<double, 64> few_tastes{};
  std::vector<float> many;
  std::vector<double> many_tastes;
  const std::size_t dim = options_.dim;
  if (dim > few.size()) {
    many.resize(dim);
    many_tastes.resize(dim);
  }
  const std::span features =
      dim > few.size() ? std::span(many) : std::span(few).first(dim);
  const std::span tastes = dim > few.size() ? std::span(many_tastes)
                                            : std::span(few_tastes).first(dim);
  Features(arm, features);
  RandomStream(options_.seed, kLearner, learner).Gaussians(tastes);
  const std::size_t tasted = options_.clicks ? dim - 1 : dim;
  double product = 0;
  for (std::size_t i = 0; i < tasted; ++i) {
    product += (kCommonShare * common_[i] + Other(kCommonShare) * tastes[i]) *
               double{features[i]};
  }
  return product;
}

double World::Expected(std::uint64_t learner, std::uint64_t arm) const {
  const double liking = Liking(learner, arm);
  if (!options_.clicks) return liking;
  return 1 / (1 + std::exp(-kClickConstant - kClickSlope * liking));
}

double World::Reward(std::uint64_t learner, std::uint64_t arm,
                     RandomStream& random) const {
  const double expected = Expected(learner, arm);
  if (options_.clicks) return random.Uniform() < expected ? 1 : 0;
  return expected + kNoise * random.Gaussian();
}

}  // namespace manyarms::load
