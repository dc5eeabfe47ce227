#include "base/files/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cstdint>

namespace hardhead {

static_assert(std::endian::native == std::endian::little, "digests and files are written little endian");

void Digest::Free::operator()(evp_md_ctx_st* sha) const {
  EVP_MD_CTX_free(sha);
}

Digest::Digest() : sha_(EVP_MD_CTX_new()) {
  EVP_DigestInit_ex(sha_.get(), EVP_sha256(), nullptr);
}

Digest& Digest::add(std::string_view bytes) {
  const std::uint64_t length = bytes.size();
  EVP_DigestUpdate(sha_.get(), &length, sizeof length);
  EVP_DigestUpdate(sha_.get(), bytes.data(), bytes.size());
  return *this;
}

Digest& Digest::add(std::span<const double> values) {
  return add(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
}

std::string Digest::hex() {  // NOLINT(readability-make-member-function-const): it ends the digest
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int length = 0;
  EVP_DigestFinal_ex(sha_.get(), bytes.data(), &length);
  return fmt::format("{:02x}", fmt::join(bytes.begin(), bytes.begin() + length, ""));
}

}  // namespace hardhead
