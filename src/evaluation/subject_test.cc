#include "evaluation/subject.h"

#include <vector>

#include "small_log.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::SmallLog;

// A population would otherwise keep all draws of all its learners.
TEST(Subject, KeepsNoneOfItsDraws) {
  const SmallLog log(1);
  std::vector<LoggedChoice> choices = log.Choices(20);
  for (const EvaluatedOptions& options :
       {EvaluatedOptions(BanditOptions{.dim = SmallLog::kDim}),
        EvaluatedOptions(PopulationOptions{.dim = SmallLog::kDim})}) {
    SCOPED_TRACE(options.index());
    const std::unique_ptr<Subject> subject = MakeSubject(options);
    subject->Add(log.arms().ids, log.arms().features);
    for (std::size_t i = 0; i < choices.size(); ++i) {
      choices[i].learner = std::uint64_t{i % 4};
      EXPECT_EQ(subject->Draw(choices[i], 50).size(), 50U);
      EXPECT_EQ(subject->Pending(choices[i].learner), 0U);
      subject->Play(choices[i]);
      EXPECT_EQ(subject->Pending(choices[i].learner), 0U);
    }
  }
}

// Two arms with features of some magnitude, and a choice of the first whose
// second feature was another by a share of the largest one.
void CheckDifference(float magnitude, float share) {
  const std::vector<float> rows{magnitude, magnitude / 4, 0, 0, 0, magnitude};
  const std::vector<ArmId> ids{0, 1};
  const std::unique_ptr<Subject> subject = MakeSubject(BanditOptions{.dim = 3});
  subject->Add(ids, FeatureRows(rows.data(), 2, 3, {}));
  LoggedChoice choice;
  choice.eligible = 2;
  choice.features = {magnitude, magnitude * (0.25F + share), 0};
  subject->Check(choice);
}

TEST(Subject, ComparesFeaturesByTheLargestOfTheArm) {
  for (const float magnitude : {1e-6F, 1e-3F, 1.0F, 1e3F, 1e6F}) {
    SCOPED_TRACE(magnitude);
    CheckDifference(magnitude, 0);
    CheckDifference(magnitude, 5e-4F);
    CheckDifference(magnitude, -5e-4F);
    for (const float share : {2e-3F, -2e-3F}) {
      testing::ExpectError(ErrorCode::kInvalidArgument,
                           {"feature 1 of the arm was"},
                           [&] { CheckDifference(magnitude, share); });
    }
  }
}

}  // namespace
}  // namespace manyarms
