#include "shards/survey_schedule.h"

#include <gtest/gtest.h>

namespace manyarms {
namespace {

// How many choices are sent until a survey is due.
int SentUntilDue(SurveySchedule& schedule) {
  int sent = 0;
  for (; !schedule.due(); ++sent) schedule.Chose(true);
  return sent;
}

TEST(SurveySchedule, CountsChoicesThatWereSent) {
  SurveySchedule schedule;
  for (int i = 0; i < 1000; ++i) schedule.Chose(false);
  EXPECT_FALSE(schedule.due());
  EXPECT_EQ(SentUntilDue(schedule), 8);
}

TEST(SurveySchedule, WaitsLongerWhileSurveysDoNotPay) {
  SurveySchedule schedule;
  for (const int sent : {8, 16, 32, 64, 128, 256, 512, 512, 512}) {
    EXPECT_EQ(SentUntilDue(schedule), sent);
    schedule.Failed();
  }
}

TEST(SurveySchedule, WaitsLongerAfterSurveysOfNoUse) {
  SurveySchedule schedule;
  EXPECT_EQ(SentUntilDue(schedule), 8);
  schedule.Adopted();  // the choices before the first say nothing about it
  EXPECT_EQ(SentUntilDue(schedule), 8);
  schedule.Adopted();
  EXPECT_EQ(SentUntilDue(schedule), 16);
  for (int i = 0; i < 100; ++i) schedule.Chose(false);
  schedule.Adopted();  // the one before it was of use
  EXPECT_EQ(SentUntilDue(schedule), 8);
}

}  // namespace
}  // namespace manyarms
