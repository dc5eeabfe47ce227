#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace hardhead {

/// SHA-256 (OpenSSL) of a sequence of byte strings. Every piece is preceded by its length (64 bits, little
/// endian), so that ("ab","c") and ("a","bc") differ.
class Digest {
 public:
  Digest();
  ~Digest();
  /// Moves the state of the computation; what is moved from can only be destroyed or assigned to.
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;  ///< as the move constructor

  Digest& add(std::string_view bytes);          ///< one more piece
  Digest& add(std::span<const double> values);  ///< their IEEE-754 bytes, little endian

  /// 64 hexadecimal digits. Ends the computation: nothing can be added afterwards.
  std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace hardhead
