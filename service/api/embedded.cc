#include "service/api/embedded.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>
#include <cstddef>

namespace manyarms::service {
namespace {

std::string Sha256Base64(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
         digest.data());
  std::array<unsigned char, 64> base64;  // 44 and a zero
  const int length =
      EVP_EncodeBlock(base64.data(), digest.data(), SHA256_DIGEST_LENGTH);
  return {base64.begin(), base64.begin() + length};
}

// The hashes of what stands within all elements of this name that have no
// attributes.
std::string HashesOf(std::string_view page, const std::string& element) {
  const std::string open = '<' + element + '>';
  const std::string close = "</" + element + '>';
  std::string hashes;
  std::size_t at = 0;
  while ((at = page.find(open, at)) != page.npos) {
    at += open.size();
    const std::size_t end = page.find(close, at);
    hashes += " 'sha256-" + Sha256Base64(page.substr(at, end - at)) + '\'';
    at = end;
  }
  return hashes.empty() ? " 'none'" : hashes;
}

}  // namespace

// Compilers need not support strings of this length; those that we use do.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"

std::string_view PageText() {
  static constexpr std::string_view kText =
#include "service/index.html.inc"
      ;
  return kText;
}

std::string_view OpenApiText() {
  static constexpr std::string_view kText =
#include "service/openapi.json.inc"
      ;
  return kText;
}

#pragma GCC diagnostic pop

std::string PolicyOf(std::string_view page) {
  return "default-src 'none'; script-src" + HashesOf(page, "script") +
         "; style-src" + HashesOf(page, "style") +
         "; connect-src 'self'; img-src data:; base-uri 'none'; "
         "form-action 'none'; frame-ancestors 'none'";
}

}  // namespace manyarms::service
