#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace manyarms::cli {
namespace {

// Progress that nobody can read is no reason to stop.
void Print(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() { Erase(); }

void ProgressLine::Begin(const std::string& label) {
  label_ = label;
  start_ = Clock::now();
  drawn_ = {};
  Update(0);
}

void ProgressLine::Update(double done) {
  using namespace std::chrono_literals;
  const Clock::time_point now = Clock::now();
  if (!terminal_ || now - drawn_ < 100ms) return;
  drawn_ = now;
  dirty_ = true;

  constexpr int kWidth = 30;
  const int full = std::clamp(static_cast<int>(done * kWidth), 0, kWidth);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string left =
      done > 0.02 ? fmt::format("{:.0f} s left", elapsed * (1 - done) / done)
                  : "";
  Print(fmt::format("\r\x1b[K{}  [{:=<{}}{:<{}}] {:3.0f} %  {}", label_, "",
                    full, "", kWidth - full, 100 * done, left));
}

void ProgressLine::End(const std::string& outcome) {
  Erase();
  Print(fmt::format("{}  {}\n", label_, outcome));
}

void ProgressLine::Erase() {
  if (!dirty_) return;
  Print("\r\x1b[K");
  dirty_ = false;
}

}  // namespace manyarms::cli
