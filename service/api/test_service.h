#ifndef MANYARMS_SERVICE_API_TEST_SERVICE_H_
#define MANYARMS_SERVICE_API_TEST_SERVICE_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "in_a_folder.h"
#include "service/api/embedded.h"
#include "service/api/router.h"
#include "service/api/schema.h"
#include "service/api/service.h"
#include "service/http/raw_client.h"

namespace manyarms::service {

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.
struct TestRequest {
  std::string method = "GET";
  std::string path = "/v1";
  std::string body = {};
  std::string type = {};  ///< of the body; empty: it has none
  std::string token = {};
  std::vector<std::string> headers = {};
  std::string host = "127.0.0.1";
};
// NOLINTEND(readability-redundant-member-init)

struct TestAnswer {
  unsigned status = 0;
  std::string head;
  std::string body;

  nlohmann::json json() const { return nlohmann::json::parse(body); }
  std::string code() const { return json().at("error").at("code"); }
  std::string message() const { return json().at("error").at("message"); }
};

/// A service on a free port with a store in a folder of its own. Every answer
/// is compared with the OpenAPI document.
class TestService : public testing::InAFolder {
 protected:
  using Json = nlohmann::json;

  TestService() {
    options_.store.place = (folder_ / "test.db").string();
    options_.server.port = 0;
    options_.server.threads = 2;
    options_.log = [this](const std::string& line) {
      const std::scoped_lock lock(mutex_);
      log_.push_back(line);
    };
  }

  void Start() {
    service_.reset();
    service_ = std::make_unique<Service>(options_);
    port_ = service_->port();
    client_.reset();
  }
  void End() {
    client_.reset();
    service_.reset();
  }

  TestAnswer Ask(const TestRequest& request) {
    if (!client_) client_.emplace(port_);
    client_->Send(TextOf(request));
    const auto answer = client_->Read(request.method == "HEAD");
    if (!answer) {
      ADD_FAILURE() << "no answer to " << request.method << ' ' << request.path;
      client_.reset();
      return {};
    }
    if (answer->Header("Connection") == "close") client_.reset();
    TestAnswer result{static_cast<unsigned>(answer->status), answer->head,
                      answer->body};
    Compare(request, result);
    return result;
  }
  TestAnswer Get(const std::string& path) { return Ask({.path = path}); }
  TestAnswer Post(const std::string& path, const std::string& body) {
    return Ask({"POST", path, body, "application/json"});
  }
  TestAnswer Put(const std::string& path, const std::string& body) {
    return Ask({"PUT", path, body, "application/json"});
  }

  /// A bandit of two features with three arms: a, b (red), c (red, blue).
  void MakeShop(const std::string& settings = R"({"dim":2})") {
    ASSERT_EQ(Put("/v1/bandits/shop", settings).status, 201U);
    ASSERT_EQ(Post("/v1/bandits/shop/arms",
                   R"({"arms":[{"arm":"a","features":[1,0]},)"
                   R"({"arm":"b","features":[0,1],"tags":["red"]},)"
                   R"({"arm":"c","features":[1,1],"tags":["red","blue"]}]})")
                  .status,
              200U);
  }

  static std::string TextOf(const TestRequest& request) {
    std::string text = request.method + ' ' + request.path +
                       " HTTP/1.1\r\nHost: " + request.host + "\r\n";
    if (!request.token.empty()) {
      text += "Authorization: Bearer " + request.token + "\r\n";
    }
    for (const std::string& header : request.headers) text += header + "\r\n";
    if (!request.type.empty()) {
      text += "Content-Type: " + request.type + "\r\n";
    }
    if (!request.type.empty() || !request.body.empty()) {
      text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
    }
    return text + "\r\n" + request.body;
  }

  static const Json& Document() {
    static const Json document = Json::parse(OpenApiText());
    return document;
  }

  /// Whether the log has a line with this event.
  bool HasLogged(const std::string& event) {
    const std::scoped_lock lock(mutex_);
    return std::ranges::any_of(log_, [&](const std::string& line) {
      return Json::parse(line).at("event") == event;
    });
  }

  // The service writes into the log until it has ended.
  std::mutex mutex_;
  std::vector<std::string> log_;
  ServiceOptions options_;
  std::unique_ptr<Service> service_;
  std::uint16_t port_ = 0;
  std::optional<http::testing::RawClient> client_;

 private:
  static http::Method MethodOf(const std::string& name) {
    for (const Route& route : Routes()) {
      if (route.method_name() == name) return route.method;
    }
    return name == "HEAD" ? http::Method::kHead : http::Method::kOther;
  }

  // The answer must be one that the document has for the route.
  static void Compare(const TestRequest& request, const TestAnswer& answer) {
    const std::string path = request.path.substr(0, request.path.find('?'));
    Match match;
    try {
      match = FindRoute(MethodOf(request.method), path);
    } catch (...) {
      return;
    }
    const Schema schema(Document());
    if (match.route == nullptr || answer.status == 500) {
      EXPECT_NE(answer.status, 500U) << request.path << answer.body;
      return;
    }
    std::string method(match.route->method_name());
    std::ranges::transform(method, method.begin(), [](char c) {
      return static_cast<char>(std::tolower(c));
    });
    const Json& operation =
        Document().at("paths").at(std::string(match.route->pattern)).at(method);
    const std::string status = std::to_string(answer.status);
    ASSERT_TRUE(operation.at("responses").contains(status))
        << match.route->name() << " must not answer " << status << ": "
        << answer.body;
    const Json& response =
        schema.Resolved(operation.at("responses").at(status));
    if (answer.body.empty()) return;
    const std::string type =
        answer.head.substr(answer.head.find("Content-Type: ") + 14, 16);
    if (type != "application/json") return;
    const std::string flaw =
        schema.Flaw(answer.json(),
                    response.at("content").at("application/json").at("schema"));
    EXPECT_EQ(flaw, "") << match.route->name() << ": " << answer.body;
  }
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_TEST_SERVICE_H_
