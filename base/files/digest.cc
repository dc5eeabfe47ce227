#include "base/files/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cstdint>

namespace hardhead {

static_assert(std::endian::native == std::endian::little, "digests and files are written little endian");

struct Digest::Context {
  EVP_MD_CTX* sha = EVP_MD_CTX_new();
  Context() { EVP_DigestInit_ex(sha, EVP_sha256(), nullptr); }
  ~Context() { EVP_MD_CTX_free(sha); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  std::string hex() {  // NOLINT(readability-make-member-function-const): it ends the digest
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int length = 0;
    EVP_DigestFinal_ex(sha, bytes.data(), &length);
    return fmt::format("{:02x}", fmt::join(bytes.begin(), bytes.begin() + length, ""));
  }
};

Digest::Digest() : context_(std::make_unique<Context>()) {}
Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

Digest& Digest::add(std::string_view bytes) {
  const std::uint64_t length = bytes.size();
  EVP_DigestUpdate(context_->sha, &length, sizeof length);
  EVP_DigestUpdate(context_->sha, bytes.data(), bytes.size());
  return *this;
}

Digest& Digest::add(std::span<const double> values) {
  return add(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
}

std::string Digest::hex() {
  return context_->hex();
}

}  // namespace hardhead
