#pragma once
#include <cstdint>
#include <cstring>
#include <string>

namespace hardhead::attention {

/// A header length as the container writes it.
inline std::string raw_length(std::uint64_t length) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes;
}

/// A safetensors file byte by byte, right or wrong.
inline std::string raw_safetensors(const std::string& header, const std::string& data) {
  return raw_length(header.size()) + header + data;
}

/// A header with one tensor, "x".
inline std::string tensor_x(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"x":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

}  // namespace hardhead::attention
