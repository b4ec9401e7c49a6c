#include "bandit_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>

#include "commands.h"
#include "field_text.h"
#include "manyarms/error.h"
#include "policy/kinds.h"
#include "search/kinds.h"

namespace manyarms::cli {
namespace {

using Flag = BanditFlags::Flag;

[[noreturn]] void Refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

Flag* Find(std::vector<Flag>& flags, std::string_view name) {
  const auto found = std::ranges::find(flags, name, &Flag::name);
  return found != flags.end() ? &*found : nullptr;
}

// An option that keeps what it was given as text.
CLI::Option* AddText(CLI::App& command, const std::string& name,
                     const char* type) {
  return command.add_option(name, [](const CLI::results_t&) { return true; })
      ->type_name(type);
}

CLI::Option* AddFor(CLI::App& command, const std::string& name, const Counts&) {
  return AddText(command, name, "UINT")->check(Count());
}
CLI::Option* AddFor(CLI::App& command, const std::string& name, const Reals&) {
  return AddText(command, name, "FLOAT")->check(CLI::Number);
}
CLI::Option* AddFor(CLI::App& command, const std::string& name, const Switch&) {
  return command.add_flag(name);
}
CLI::Option* AddFor(CLI::App& command, const std::string& name,
                    const Explorations&) {
  return AddText(command, name, "TEXT");
}
template <class Value>
CLI::Option* AddFor(CLI::App& command, const std::string& name,
                    const Choices<Value>& choices) {
  return AddText(command, name, "TEXT")
      ->check(CLI::IsMember(ChoiceNames(choices)));
}

std::string FlagHelp(const About& about, const Switch& either) {
  return std::string(either.flag_help.empty() ? about.help : either.flag_help);
}
std::string FlagHelp(const About& about, const auto&) {
  return std::string(about.help);
}

// Adds a flag for each field that has none yet.
struct FlagAdder {
  CLI::App& command;
  std::vector<Flag>& flags;
  std::string family;
  std::string name;

  template <class Domain, class Value>
  void operator()(const About& about, const Domain& domain,
                  const Value& value) const {
    const std::string flag_name = FlagName(about);
    Flag* flag = Find(flags, flag_name);
    if (flag == nullptr) {
      flags.push_back({flag_name, {}, AddFor(command, flag_name, domain)});
      flag = &flags.back();
    }
    const bool owned =
        std::ranges::any_of(flag->owners, [this](const Flag::Owner& owner) {
          return owner.family == family && owner.name == name;
        });
    if (!owned) {
      flag->owners.push_back(
          {family, name, FlagHelp(about, domain), ValueText(domain, value)});
    }
    if constexpr (std::is_same_v<Domain, Explorations>) AddTheory();
  }

  // The horizon has no flag of its own: it is --steps.
  void AddTheory() const {
    const FlagAdder theory{command, flags, "exploration", "theory"};
    const TheoryRadius defaults;
    ForEachField(
        kTheoryRadiusFields, defaults,
        [&](const About& about, const auto& domain, const auto& value) {
          if (about.name != "horizon") theory(about, domain, value);
        });
  }
};

// "search lsh or lsh-theory".
std::string OwnersText(const Flag& flag, std::string_view between) {
  std::vector<std::string> parts;
  std::string family;
  for (const Flag::Owner& owner : flag.owners) {
    const std::string part =
        owner.family == family ? owner.name : owner.family + " " + owner.name;
    family = owner.family;
    parts.push_back(part);
  }
  return fmt::format("{}", fmt::join(parts, between));
}

// One text if it is the same for all owners, and otherwise one for each.
std::string Agreed(const Flag& flag, std::string Flag::Owner::*text,
                   const char* each) {
  std::string all;
  std::set<std::string> seen;
  for (const Flag::Owner& owner : flag.owners) {
    if (!seen.insert(owner.*text).second) continue;
    all += fmt::format(fmt::runtime(each), all.empty() ? "" : "; ", owner.name,
                       owner.*text);
  }
  return seen.size() == 1 ? flag.owners.front().*text : all;
}

void Describe(const Flag& flag) {
  const std::string& family = flag.owners.front().family;
  std::string group = OwnersText(flag, ", ");
  group[0] = static_cast<char>(std::toupper(group[0]));
  const bool of_all_policies =
      family == "exploration" ||
      (family == "policy" && flag.owners.size() == PolicyKinds::Names().size());
  flag.option->description(Agreed(flag, &Flag::Owner::help, "{}{}: {}"))
      ->group(of_all_policies ? "Bandit" : group);
  if (flag.option->get_expected_min() > 0) {
    flag.option->default_str(
        Agreed(flag, &Flag::Owner::default_text, "{}{}: {}"));
  }
}

template <class Kinds>
std::string Summaries() {
  std::string text;
  Kinds::ForEach([&text](auto kind, const auto&) {
    text += fmt::format("\n{}: {}", kind.kName, kind.kSummary);
  });
  return text;
}

template <class Kinds>
void AddChoiceOfKind(CLI::App& command, const std::string& flag,
                     std::string& name, const std::string& help) {
  std::vector<std::string> names;
  for (const std::string_view each : Kinds::Names()) names.emplace_back(each);
  name = names.front();
  command.add_option(flag, name, help + Summaries<Kinds>())
      ->check(CLI::IsMember(names))
      ->group("Bandit");
}

template <class Kinds>
void AddFlags(CLI::App& command, const std::string& family,
              std::vector<Flag>& flags) {
  Kinds::ForEach([&](auto kind, const auto& defaults) {
    ForEachField(kind.kFields, defaults,
                 FlagAdder{command, flags, family, std::string(kind.kName)});
  });
}

// Sets each field whose flag is given, and adds the flag to `used`.
struct FieldSetter {
  const std::vector<Flag>& flags;
  std::uint64_t steps;
  std::set<std::string>& used;

  template <class Domain, class Value>
  void operator()(const About& about, const Domain& domain, Value& value) {
    const auto flag = std::ranges::find(flags, FlagName(about), &Flag::name);
    if (flag == flags.end() || !flag->given()) return;
    used.insert(flag->name);
    Set(*flag->option, domain, value);
  }

  static void Set(const CLI::Option& option, const Counts&,
                  std::uint64_t& value) {
    value = option.as<std::uint64_t>();
  }
  static void Set(const CLI::Option& option, const Reals&, double& value) {
    value = option.as<double>();
  }
  static void Set(const CLI::Option&, const Switch&, bool& value) {
    value = !value;
  }
  template <class Value>
  static void Set(const CLI::Option& option, const Choices<Value>& choices,
                  Value& value) {
    value = choices.Find(std::string_view(option.as<std::string>()))->value;
  }
  void Set(const CLI::Option& option, const Explorations&,
           Exploration& exploration) {
    const auto text = option.as<std::string>();
    if (text == "theory") {
      TheoryRadius theory{.horizon = steps};
      ForEachField(kTheoryRadiusFields, theory, *this);
      exploration = theory;
      return;
    }
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) {
      Refuse(fmt::format("exploration is '{}', must be a number or 'theory'",
                         text));
    }
    exploration = value;
  }
};

}  // namespace

bool Flag::given() const {
  return option->count() > 0 &&
         (option->get_expected_min() > 0 || option->as<bool>());
}

BanditFlags::BanditFlags(CLI::App& command) {
  AddChoiceOfKind<PolicyKinds>(command, "--policy", policy_,
                               "How arms are chosen.");
  AddChoiceOfKind<SearchKinds>(command, "--search", search_,
                               "How the best arm is found.");
  AddFlags<PolicyKinds>(command, "policy", flags_);
  AddFlags<SearchKinds>(command, "search", flags_);
  for (const Flag& flag : flags_) Describe(flag);
}

BanditFlags::Chosen BanditFlags::Parse(std::uint64_t steps) const {
  Chosen chosen{PolicyKinds::Named(policy_).value(),
                SearchKinds::Named(search_).value()};
  std::set<std::string> used;
  const auto set = [&](auto kind, auto& options) {
    ForEachField(kind.kFields, options, FieldSetter{flags_, steps, used});
  };
  PolicyKinds::Visit(chosen.policy, set);
  SearchKinds::Visit(chosen.search, set);
  for (const Flag& flag : flags_) {
    if (!flag.given() || used.contains(flag.name)) continue;
    Refuse(fmt::format("{} is for {}, not for policy {} with search {}",
                       flag.name, OwnersText(flag, " or "), policy_, search_));
  }
  return chosen;
}

}  // namespace manyarms::cli
