#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "service/api/embedded.h"
#include "service/api/router.h"
#include "service/api/schema.h"
#include "service/api/url.h"

namespace manyarms::service {
namespace {

using Json = nlohmann::json;

const Json& Document() {
  static const Json document = Json::parse(OpenApiText());
  return document;
}

const Json& OperationOf(const Route& route) {
  std::string method(route.method_name());
  std::ranges::transform(method, method.begin(), [](char c) {
    return static_cast<char>(std::tolower(c));
  });
  return Document().at("paths").at(std::string(route.pattern)).at(method);
}

TEST(OpenApi, HasEveryRouteAndNoOther) {
  std::set<std::string> routes;
  for (const Route& route : Routes()) routes.insert(route.name());
  std::set<std::string> documented;
  for (const auto& [path, operations] : Document().at("paths").items()) {
    for (const auto& [method, operation] : operations.items()) {
      std::string upper = method;
      std::ranges::transform(upper, upper.begin(), [](char c) {
        return static_cast<char>(std::toupper(c));
      });
      upper += ' ';
      upper += path;
      documented.insert(upper);
    }
  }
  EXPECT_EQ(documented, routes);
}

TEST(OpenApi, HasRolesBodiesAndArgumentsOfRoutes) {
  const Schema schema(Document());
  for (const Route& route : Routes()) {
    const Json& operation = OperationOf(route);
    EXPECT_EQ(operation.at("x-role"), RoleName(route.role)) << route.name();
    EXPECT_EQ(operation.at("security").empty(), route.role == Role::kOpen);
    EXPECT_EQ(operation.contains("requestBody"), route.body != Body::kNone)
        << route.name();
    if (route.body != Body::kNone) {
      EXPECT_EQ(operation.at("requestBody").at("required"),
                route.body != Body::kOptionalJson);
      EXPECT_EQ(operation.at("requestBody").at("content").size(),
                route.body == Body::kArms ? 3U : 1U);
    }
    std::set<std::string> arguments;
    for (const std::string_view segment : SegmentsOf(route.pattern)) {
      if (segment.starts_with('{')) {
        arguments.emplace(segment.substr(1, segment.size() - 2));
      }
    }
    std::set<std::string> documented;
    for (const Json& parameter : operation.value("parameters", Json::array())) {
      const Json& resolved = schema.Resolved(parameter);
      if (resolved.at("in") == "path") documented.insert(resolved.at("name"));
    }
    EXPECT_EQ(documented, arguments) << route.name();
  }
}

void ExpectReferences(const Json& value, std::set<std::string>& used) {
  if (value.is_object() && value.contains("$ref")) {
    const std::string reference = value.at("$ref");
    EXPECT_TRUE(Document().contains(Json::json_pointer(reference.substr(1))))
        << reference;
    used.insert(reference);
  }
  if (!value.is_structured()) return;
  for (const Json& element : value) ExpectReferences(element, used);
}

TEST(OpenApi, RefersToWhatItHasAndHasNothingElse) {
  std::set<std::string> used;
  ExpectReferences(Document(), used);
  for (const char* kind : {"schemas", "responses", "parameters"}) {
    for (const auto& [name, value] :
         Document().at("components").at(kind).items()) {
      EXPECT_TRUE(
          used.contains("#/components/" + std::string(kind) + '/' + name))
          << name;
    }
  }
}

// Statuses that no operation lists, because any request can get them.
TEST(OpenApi, SaysWhichAnswersAnyRequestCanGet) {
  const std::string description = Document().at("info").at("description");
  for (const char* status : {"405", "414", "431"}) {
    EXPECT_NE(description.find(status), std::string::npos) << status;
  }
}

TEST(OpenApi, GivesOperationsNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Route& route : Routes()) {
    EXPECT_TRUE(names.insert(OperationOf(route).at("operationId")).second);
  }
}

}  // namespace
}  // namespace manyarms::service
