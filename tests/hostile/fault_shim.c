/* Makes one call of a function of the C library fail, for tests: the call number FAULT_AT (from 1) of
 * FAULT_CALL, which is write, fsync, rename, open or malloc, with the error FAULT_ERRNO. Only calls within
 * main() count. Calls on descriptors 0 to 2 do not count, nor does what is opened for reading. Loaded by
 * LD_PRELOAD. The file FAULT_LOG comes to be when the call has failed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static const char* chosen;
static int in_main;
static long at;
static int error;
static atomic_long count;

__attribute__((constructor)) static void read_environment(void) {
  const char *call = getenv("FAULT_CALL"), *number = getenv("FAULT_AT"), *code = getenv("FAULT_ERRNO");
  if (call == NULL || number == NULL || code == NULL) return;
  at = atol(number);
  error = atoi(code);
  chosen = call;
}

/* The next definition of a function: that of the C library. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Calls before main() do not count: nobody could say that they failed. */
static int (*real_main)(int, char**, char**);
static int counted_main(int argc, char** argv, char** environment) {
  in_main = 1;
  const int code = real_main(argc, argv, environment);
  in_main = 0;
  return code;
}
int __libc_start_main(int (*body)(int, char**, char**), int argc, char** argv, void (*init)(void),
                      void (*end)(void), void (*end_loader)(void), void* stack) {
  real_main = body;
  int (*real)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void),
              void*) = dlsym(RTLD_NEXT, "__libc_start_main");
  return real(counted_main, argc, argv, init, end, end_loader, stack);
}

static int fails(const char* call) {
  if (!in_main || chosen == NULL || strcmp(chosen, call) != 0 || atomic_fetch_add(&count, 1) + 1 != at)
    return 0;
  const char* log = getenv("FAULT_LOG");
  if (log != NULL) close(REAL(open)(log, O_CREAT | O_WRONLY, 0600));
  errno = error;
  return 1;
}

ssize_t write(int file, const void* bytes, size_t size) {
  return file > 2 && fails("write") ? -1 : REAL(write)(file, bytes, size);
}

ssize_t writev(int file, const struct iovec* pieces, int pieces_count) {
  return file > 2 && fails("write") ? -1 : REAL(writev)(file, pieces, pieces_count);
}

int fsync(int file) {
  return fails("fsync") ? -1 : REAL(fsync)(file);
}

int rename(const char* from, const char* to) {
  return fails("rename") ? -1 : REAL(rename)(from, to);
}

static int opened(int (*real)(const char*, int, ...), const char* path, int flags, mode_t mode) {
  return (flags & O_ACCMODE) != O_RDONLY && fails("open") ? -1 : real(path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened(REAL(open), path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened(REAL(open64), path, flags, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  return strchr(mode, 'r') == NULL && fails("open") ? NULL : REAL(fopen64)(path, mode);
}

FILE* fopen(const char* path, const char* mode) {
  return strchr(mode, 'r') == NULL && fails("open") ? NULL : REAL(fopen)(path, mode);
}

extern void* __libc_malloc(size_t size);

void* malloc(size_t size) {
  return size >= 4096 && fails("malloc") ? NULL : __libc_malloc(size);
}
