#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace hardhead {

/// Bytes of a line of the cache, and of the widest vectors.
inline constexpr std::size_t cache_line_bytes = 64;

/// Allocates arrays that begin with a line of the cache.
template <class T>
struct CacheLineAllocator {
  using value_type = T;  ///< as the standard asks of an allocator

  CacheLineAllocator() = default;
  /// Every allocator of this kind is as good as another.
  template <class Other>
  CacheLineAllocator(const CacheLineAllocator<Other>&) {}

  /// `count` objects. Throws std::bad_alloc.
  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{cache_line_bytes}));
  }
  /// What allocate() gave.
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, std::align_val_t{cache_line_bytes}); }

  bool operator==(const CacheLineAllocator&) const = default;  ///< always true
};

/// A vector whose data begin with a line of the cache.
template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace hardhead
