#pragma once

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
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t size) {
  motley::tests::allocated(size);
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  motley::tests::allocated(size);
  return __libc_memalign(alignment, size);
}
}
#else
#define WATCHES_MALLOC 0
#endif
