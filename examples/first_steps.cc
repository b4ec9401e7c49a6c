// A reader's taste is learned by showing one of a thousand articles at a time.

#include <manyarms/bandit.h>
#include <manyarms/random.h>

#include <iostream>
#include <vector>

int main() {
  using manyarms::ArmId;
  using manyarms::RandomStream;

  constexpr std::size_t kDim = 8;
  const std::vector<float> taste = {1, -1, 0.5F, 0, 0, 2, -0.5F, 1};

  // The defaults are Thompson sampling and certified search.
  manyarms::Bandit bandit({.dim = kDim, .seed = 7});

  std::vector<std::vector<float>> articles(1000, std::vector<float>(kDim));
  for (ArmId id = 0; id < articles.size(); ++id) {
    RandomStream(1, RandomStream::Role::kArm, id).Gaussians(articles[id]);
    bandit.Add(id, articles[id]);
  }

  double total = 0;
  for (std::uint64_t step = 1; step <= 1000; ++step) {
    const manyarms::Decision decision = bandit.Choose();
    double reward =
        RandomStream(1, RandomStream::Role::kNoise, step).Gaussian();
    for (std::size_t j = 0; j < kDim; ++j) {
      reward += taste[j] * articles[decision.arm][j];
    }
    bandit.Learn(decision, reward);
    total += reward;
    if (step % 250 == 0) {
      std::cout << "steps " << step - 249 << " to " << step << ": mean reward "
                << total / 250 << '\n';
      total = 0;
    }
  }

  // An article is removed while somebody is still reading it. Its reward can be
  // learned all the same.
  const manyarms::Decision late = bandit.Choose();
  bandit.Remove(late.arm);
  bandit.Learn(late, 5.0);
  std::cout << bandit.size() << " articles left\n";
}
