#pragma once

#if defined(__SANITIZE_THREAD__)
#define HARDHEAD_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HARDHEAD_THREAD_SANITIZER 1
#endif
#endif

#ifdef HARDHEAD_THREAD_SANITIZER
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace hardhead {

/// Tells the thread sanitizer what it cannot see, because oneTBB's library is not built with it: all that
/// came before a leave() has happened before what comes after a later enter() of the same object. Nothing in
/// other builds.
class ThreadOrder {
 public:
#ifdef HARDHEAD_THREAD_SANITIZER
  /// What came before on this thread has happened.
  void leave() { __tsan_release(this); }
  /// What is behind earlier calls of leave() is seen from here on.
  void enter() { __tsan_acquire(this); }

 private:
  char unused_ = 0;
#else
  /// What came before on this thread has happened.
  void leave() {}
  /// What is behind earlier calls of leave() is seen from here on.
  void enter() {}
#endif
};

}  // namespace hardhead
