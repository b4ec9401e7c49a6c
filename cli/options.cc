// Lists all policies and searches with their options, for readers and for
// docs/options.md.

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "field_text.h"
#include "output.h"
#include "policy/kinds.h"
#include "search/kinds.h"

namespace manyarms::cli {
namespace {

struct OptionLine {
  std::string name;
  std::string flag;
  std::string values;
  std::string default_text;
  bool decides;
  std::string help;
};

struct Section {
  std::string title;
  std::string summary;
  std::vector<OptionLine> options;
};

template <class Fields, class Options>
std::vector<OptionLine> Lines(const Fields& fields, const Options& defaults) {
  std::vector<OptionLine> lines;
  ForEachField(fields, defaults,
               [&](const About& about, const auto& domain, const auto& value) {
                 lines.push_back({std::string(about.name), FlagName(about),
                                  DomainText(domain), ValueText(domain, value),
                                  about.decides, std::string(about.help)});
               });
  return lines;
}

template <class Kinds>
void AppendSections(const std::string& family, std::vector<Section>& sections) {
  Kinds::ForEach([&](auto kind, const auto& defaults) {
    sections.push_back({fmt::format("{} {}", family, kind.kName),
                        std::string(kind.kSummary),
                        Lines(kind.kFields, defaults)});
  });
}

std::vector<Section> AllSections() {
  std::vector<Section> sections;
  AppendSections<PolicyKinds>("policy", sections);
  Section theory{"exploration theory",
                 "The radius of the confidence sets that the paper's analysis "
                 "needs, far larger than what works best in practice.",
                 Lines(kTheoryRadiusFields, TheoryRadius{})};
  for (OptionLine& line : theory.options) {
    if (line.name != "horizon") continue;
    line.flag = "--steps";
    line.default_text = "none";
  }
  sections.push_back(std::move(theory));
  AppendSections<SearchKinds>("search", sections);
  return sections;
}

void PrintText(const std::vector<Section>& sections, Output& output) {
  for (const Section& section : sections) {
    output.Line(fmt::format("{}: {}", section.title, section.summary));
    for (const OptionLine& line : section.options) {
      output.Line(fmt::format("  {:<14}{:<17}{} [{}]; {}", line.name, line.flag,
                              line.help, line.default_text, line.values));
    }
  }
}

void PrintMarkdown(const std::vector<Section>& sections, Output& output) {
  output.Line("# The options of policies and searches\n");
  output.Line(
      "Made by `build/manyarms options --markdown`. The names are those of the "
      "structs in `include/manyarms/policy/` and `include/manyarms/search/`, "
      "and of the arguments in Python; the flags are those of `manyarms "
      "simulate`. An option that changes decisions can change which arm is "
      "chosen; the others change only time, memory and checks. d is the number "
      "of features.");
  for (const Section& section : sections) {
    output.Line(fmt::format("\n## {}\n\n{}", section.title, section.summary));
    if (section.options.empty()) continue;
    output.Line(
        "\n| option | flag | values | default | changes decisions | meaning "
        "|\n|---|---|---|---|---|---|");
    for (const OptionLine& line : section.options) {
      output.Line(fmt::format("| `{}` | `{}` | {} | {} | {} | {} |", line.name,
                              line.flag, line.values, line.default_text,
                              line.decides ? "yes" : "no", line.help));
    }
  }
}

}  // namespace

void AddOptions(CLI::App& app) {
  auto markdown = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "options", "List all policies and searches with their options");
  command->add_flag("--markdown", *markdown, "As docs/options.md has them");
  command->callback([markdown] {
    Output output("");
    if (*markdown) {
      PrintMarkdown(AllSections(), output);
    } else {
      PrintText(AllSections(), output);
    }
  });
}

}  // namespace manyarms::cli
