#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace manyarms::cli {
namespace {

// Ignores errors: the work should go on even if standard error is closed.
void Print(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

std::string Duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() { Erase(); }

void ProgressLine::Begin(const std::string& label) {
  label_ = label;
  start_ = Clock::now();
  // A bar is drawn at once; the first line comes after half a minute.
  drawn_ = terminal_ ? Clock::time_point() : start_;
  Update(0);
}

void ProgressLine::Update(double done) {
  using namespace std::chrono_literals;
  const Clock::time_point now = Clock::now();
  const auto pause = terminal_ ? 100ms : 30000ms;
  if (now - drawn_ < pause) return;
  drawn_ = now;

  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string left =
      done > 0.005
          ? fmt::format("{} left", Duration(elapsed * (1 - done) / done))
          : "";
  if (!terminal_) {
    Print(fmt::format("{}  {:.0f} %  {}\n", label_, 100 * done, left));
    return;
  }
  dirty_ = true;
  constexpr int kWidth = 30;
  const int full = std::clamp(static_cast<int>(done * kWidth), 0, kWidth);
  Print(fmt::format("\r\x1b[K{}  [{:=<{}}{:<{}}] {:3.0f} %  {}", label_, "",
                    full, "", kWidth - full, 100 * done, left));
}

void ProgressLine::Say(const std::string& line) {
  Erase();
  Print(line + '\n');
}

void ProgressLine::Erase() {
  if (!dirty_) return;
  Print("\r\x1b[K");
  dirty_ = false;
}

}  // namespace manyarms::cli
