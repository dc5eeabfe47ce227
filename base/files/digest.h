#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace hardhead {

/// SHA-256 (OpenSSL) of a sequence of byte strings. Every piece is preceded by its length (64 bits, little
/// endian), so that ("ab","c") and ("a","bc") differ.
class Digest {
 public:
  Digest();

  Digest& add(std::string_view bytes);          ///< one more piece
  Digest& add(std::span<const double> values);  ///< their IEEE-754 bytes, little endian

  /// 64 hexadecimal digits. Ends the computation: nothing can be added afterwards.
  std::string hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* sha) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> sha_;
};

}  // namespace hardhead
