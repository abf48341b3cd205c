#pragma once

#include <cerrno>
#include <cstddef>

/// Tells the one test program that includes it of every allocation: it defines allocated(), which
/// any thread may call. Sanitizers bring their own malloc; there WATCHES_MALLOC is 0.
namespace motley::tests {
void allocated(std::size_t size);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define WATCHES_MALLOC 1
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t size) {
  motley::tests::allocated(size);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  motley::tests::allocated(count * size);
  return __libc_calloc(count, size);
}
int posix_memalign(void** to, std::size_t alignment, std::size_t size) {
  motley::tests::allocated(size);
  *to = __libc_memalign(alignment, size);
  return *to == nullptr ? ENOMEM : 0;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  motley::tests::allocated(size);
  return __libc_memalign(alignment, size);
}
}
#else
#define WATCHES_MALLOC 0
#endif
