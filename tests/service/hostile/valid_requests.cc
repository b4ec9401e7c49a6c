#include "tests/service/hostile/valid_requests.h"

#include "tests/service/hostile/numpy_bodies.h"

namespace manyarms::hostile {
namespace {

constexpr const char* kJson = "application/json";

// One of the two bandits, and what it takes.
struct Bandit {
  bool named = true;

  std::string path() const {
    return std::string("/v1/bandits/") + (named ? "names" : "numbers");
  }
  std::string Arm(Chance& chance) const {
    return named ? "\"a" + chance.Number(60) + "\"" : chance.Number(60);
  }
  std::string ArmInPath(Chance& chance) const {
    return (named ? "a" : "") + chance.Number(60);
  }
  std::string Features(Chance& chance) const {
    std::string text = "[0." + chance.Number(1000) + ",-1";
    return text + (named ? "]" : ",2.5]");
  }
  std::string Context() const {
    std::string text;
    if (!named) text = R"(,"context":[0.5,-0.25])";
    return text;
  }
};

std::string Learner(Chance& chance) {
  return R"("learner":"u)" + chance.Number(40) + "\"";
}

std::string ArmBody(const Bandit& bandit, Chance& chance) {
  static constexpr const char* kTags[] = {"", "\"red\"", R"("red","new")",
                                          "\"\xc3\xa9t\xc3\xa9\""};
  return "\"features\":" + bandit.Features(chance) + ",\"tags\":[" +
         chance.Of(kTags) + "]";
}

std::string ArmWithId(const Bandit& bandit, Chance& chance) {
  return "{\"arm\":" + bandit.Arm(chance) + "," + ArmBody(bandit, chance) + "}";
}

std::string Choice(const Bandit& bandit, Chance& chance) {
  static constexpr const char* kTags[] = {"red", "red and not new",
                                          "not (red or new)",
                                          "\\\"\xc3\xa9t\xc3\xa9\\\""};
  std::string text = "{" + Learner(chance) + bandit.Context();
  if (chance.OneIn(3)) text += ",\"count\":" + chance.Number(5);
  if (chance.OneIn(4)) text += ",\"arms\":[" + bandit.Arm(chance) + "]";
  if (chance.OneIn(4))
    text += std::string(R"(,"tags":")") + chance.Of(kTags) + "\"";
  if (chance.OneIn(3)) text += R"(,"event":"e)" + chance.Number(5000) + "\"";
  if (chance.OneIn(5)) text += ",\"active\":false";
  return text + "}";
}

std::string About(Chance& chance) {
  return chance.OneIn(2) ? "\"decision\":" + chance.Number(200'000)
                         : R"("event":"e)" + chance.Number(5000) + "\"";
}

std::string Reward(Chance& chance) {
  std::string text =
      "{" + About(chance) + ",\"reward\":0." + chance.Number(100);
  if (chance.OneIn(2)) text += R"(,"id":"r)" + chance.Number(5000) + "\"";
  return text + "}";
}

template <class Make>
std::string Several(Chance& chance, const char* name, const Make& make) {
  std::string text = std::string("{\"") + name + "\":[";
  const std::size_t count = chance.Below(5);
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + make();
  return text + "]}";
}

Request Post(const std::string& target, std::string body) {
  return {"POST", target, kJson, std::move(body)};
}

Request ManyArms(const Bandit& bandit, Chance& chance) {
  const std::string path =
      bandit.path() + "/arms" + (chance.OneIn(4) ? "?progress=true" : "");
  if (chance.OneIn(2)) {
    return {"POST", path, "application/x-npy",
            ArmsAsNumpy(bandit.named, chance)};
  }
  if (chance.OneIn(2)) {
    return Post(path, Several(chance, "arms",
                              [&] { return ArmWithId(bandit, chance); }));
  }
  std::string lines;
  for (std::size_t i = chance.Below(5); i > 0; --i) {
    lines += ArmWithId(bandit, chance) + "\n";
  }
  return {"POST", path, "application/x-ndjson", lines};
}

Request OfArms(const Bandit& bandit, Chance& chance) {
  const std::string arm = bandit.path() + "/arms/" + bandit.ArmInPath(chance);
  switch (chance.Below(7)) {
    case 0:
      return {"GET", arm, "", ""};
    case 1:
      return {"PUT", arm, kJson, "{" + ArmBody(bandit, chance) + "}"};
    case 2:
      return {"DELETE", arm, "", ""};
    case 3:
      return {"GET",
              bandit.path() + "/arms?from=" + chance.Number(50) + "&limit=10",
              "", ""};
    case 4:
      return {"GET", bandit.path() + "/tags", "", ""};
    case 5:
      return Post(bandit.path() + "/remove-arms",
                  Several(chance, "arms", [&] { return bandit.Arm(chance); }));
    default:
      return ManyArms(bandit, chance);
  }
}

Request OfDecisions(const Bandit& bandit, Chance& chance) {
  const std::string& path = bandit.path();
  switch (chance.Below(8)) {
    case 0:
      return Post(path + "/choose", Choice(bandit, chance));
    case 1:
      return Post(path + "/choices", Several(chance, "choices", [&] {
                    return Choice(bandit, chance);
                  }));
    case 2:
      return Post(path + "/reward", Reward(chance));
    case 3:
      return Post(path + "/rewards",
                  Several(chance, "rewards", [&] { return Reward(chance); }));
    case 4:
      return Post(path + "/activate", "{" + About(chance) + "}");
    case 5:
      return Post(path + "/dismiss", "{" + About(chance) + "}");
    case 6:
      return Post(path + "/observe", "{" + Learner(chance) +
                                         ",\"arm\":" + bandit.Arm(chance) +
                                         bandit.Context() + ",\"reward\":1}");
    default:
      return {"GET", path + "/decisions/" + chance.Number(200'000), "", ""};
  }
}

Request OfLearners(const Bandit& bandit, Chance& chance) {
  const std::string learner = bandit.path() + "/learners/u" + chance.Number(40);
  switch (chance.Below(5)) {
    case 0:
      return {"GET", bandit.path() + "/learners?limit=5", "", ""};
    case 1:
      return {"GET", learner, "", ""};
    case 2:
      return {"DELETE", learner, "", ""};
    case 3:
      return Post(bandit.path() + "/predict",
                  "{" + Learner(chance) + bandit.Context() + ",\"best\":3}");
    default:
      return Post(bandit.path() + "/predict",
                  "{" + Learner(chance) + bandit.Context() + ",\"rows\":[" +
                      bandit.Features(chance) + "]}");
  }
}

// What costs the service most, and changes most.
Request Rare(const Bandit& bandit, Chance& chance) {
  const std::string snapshot =
      bandit.path() + "/snapshots/s" + chance.Number(4);
  const std::string other = "/v1/bandits/other" + chance.Number(6);
  switch (chance.Below(10)) {
    case 0:
      return {"PUT", snapshot, "", ""};
    case 1:
      return {"DELETE", snapshot, "", ""};
    case 2:
      return Post(snapshot + "/restore", "{}");
    case 3:
      return {"GET", bandit.path() + "/snapshots", "", ""};
    case 4:
      return {"PUT", other, kJson,
              R"({"dim":4,"policy":"ucb","search":"scan","reward_wait":0.5})"};
    case 5:
      return {"DELETE", other, "", ""};
    case 6:
      return {"PATCH", other, kJson,
              R"({"aggregation":"sum","default_reward":0})"};
    case 7:
      return {"GET", "/v1/live", "", ""};
    case 8:
      return Post("/v1/backup", R"({"file":"copy.db"})");
    default:
      return Post(bandit.path() + "/evaluate", R"({"policy":"ucb"})");
  }
}

}  // namespace

Request ValidRequest(Chance& chance) {
  static constexpr const char* kOpen[] = {
      "/",   "/healthz",         "/readyz",     "/metrics",
      "/v1", "/v1/openapi.json", "/v1/bandits", "/v1/bandits/names"};
  const Bandit bandit{.named = chance.OneIn(2)};
  const std::size_t kind = chance.Below(100);
  if (kind < 8)
    return {chance.OneIn(4) ? "HEAD" : "GET", chance.Of(kOpen), "", ""};
  if (kind < 38) return OfArms(bandit, chance);
  if (kind < 82) return OfDecisions(bandit, chance);
  if (kind < 98) return OfLearners(bandit, chance);
  return Rare(bandit, chance);
}

}  // namespace manyarms::hostile
