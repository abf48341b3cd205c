#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/// The two matrix products of a training step, and the one place to replace them by another
/// library's.
///
/// They are written for thin products (a mini-batch of tens of rows): operands are used where they
/// lie, while a general GEMM packs them first, which so little arithmetic does not repay. Every
/// element of a result is summed in an order fixed by the length of the sum and the vector width
/// compiled for, with explicit fused multiply-adds, so its bits depend on neither alignment, nor
/// the position in the tiling, nor the other rows and columns. Little stack, no allocation.
namespace motley {

/// Row i starts at first + i * stride.
struct EvenRows {
  const float* first;
  std::size_t stride;
  const float* operator[](std::size_t i) const { return first + i * stride; }
};

/// Row i is row number index[i] of `all`: a gather without copying.
struct PickedRows {
  EvenRows all;
  const std::uint32_t* index;
  const float* operator[](std::size_t i) const { return all[index[i]]; }
};

/// A row-major result, apart from all operands (but see Combination::kept).
struct ResultRows {
  float* first;
  std::size_t stride;
  float* operator[](std::size_t i) const { return first + i * stride; }
};

/// What combine() computes, for m < height and n < width:
///   result[m][n] = keep * kept[m][n] + sum over k < terms of factor(m, k) * rows[k][n]
/// where factor(m, k) = factors[m * row_step + k * term_step].
struct Combination {
  std::size_t height, width, terms;
  const float* factors;
  std::size_t row_step, term_step;
  float keep;
  EvenRows kept;  ///< may be the result itself; not read when keep is 0
  ResultRows result;
};

namespace product {

// A vector's floats, and the tiles whose sums fill the registers: rows x vectors of combine(), rows
// x columns of multiply_transposed(), whose rows stay in the first-level cache while all columns go
// by: the more rows, the less often.
#if defined(__AVX512F__)
inline constexpr std::size_t lanes = 16, combine_rows = 8, combine_vectors = 3;
inline constexpr std::size_t dot_rows = 8, dot_columns = 3;
#elif defined(__AVX__)
inline constexpr std::size_t lanes = 8, combine_rows = 4, combine_vectors = 3;
inline constexpr std::size_t dot_rows = 4, dot_columns = 2;
#else
inline constexpr std::size_t lanes = 4, combine_rows = 4, combine_vectors = 3;
inline constexpr std::size_t dot_rows = 2, dot_columns = 2;
#endif

using Vector [[gnu::vector_size(lanes * sizeof(float))]] = float;

inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

inline void store(float* to, Vector v) {
  std::memcpy(to, &v, sizeof v);
}

/// Keeps the compiler from loading a value again for each of its uses, which it believes to be
/// free: the loads would then take longer than the arithmetic.
inline Vector in_register(Vector v) {
#if defined(__AVX2__)
  asm("" : "+v"(v));
#endif
  return v;
}

inline Vector broadcast(float value) {
  return value - Vector{};
}

#if defined(__AVX512F__)

inline __mmask16 first_lanes(std::size_t count) {
  return static_cast<__mmask16>((1U << count) - 1U);
}

/// The first `count` lanes; the others are zero and their memory is not touched.
inline Vector load_first(const float* from, std::size_t count) {
  return _mm512_maskz_loadu_ps(first_lanes(count), from);
}

inline void store_first(float* to, Vector v, std::size_t count) {
  _mm512_mask_storeu_ps(to, first_lanes(count), v);
}

inline Vector fused(Vector a, Vector b, Vector c) {
  return _mm512_fmadd_ps(a, b, c);
}

#else

inline Vector load_first(const float* from, std::size_t count) {
  Vector v{};
  for (std::size_t i = 0; i < count; ++i) v[i] = from[i];
  return v;
}

inline void store_first(float* to, Vector v, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = v[i];
}

#if defined(__FMA__)
inline Vector fused(Vector a, Vector b, Vector c) {
  return _mm256_fmadd_ps(a, b, c);
}
#else
inline Vector fused(Vector a, Vector b, Vector c) {
  return a * b + c;
}
#endif

#endif

/// body(0), ..., body(N - 1) written out with constant arguments: arrays indexed by them alone are
/// kept in registers, which the compiler does not manage for loops it unrolls later. Callers are
/// [[gnu::flatten]], so that no call remains.
template <std::size_t N, class Body>
void repeat(const Body& body) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (body(std::integral_constant<std::size_t, I>{}), ...);
  }
  (std::make_index_sequence<N>{});
}

/// Adds neighbouring lanes of a (where bit `Step` of the lane is clear) and of b (where it is set).
template <std::size_t Step, std::size_t... L>
Vector fold(Vector a, Vector b, std::index_sequence<L...>) {
  const Vector own = __builtin_shufflevector(a, b, ((L & Step) ? lanes + L : L)...);
  const Vector other =
      __builtin_shufflevector(a, b, ((L & Step) ? lanes + (L ^ Step) : (L ^ Step))...);
  return own + other;
}

/// Lane i of the result is the sum of the lanes of v[i], always the same tree of additions.
template <std::size_t Step = 1>
Vector sum_lanes(Vector (&v)[lanes]) {
  if constexpr (Step == lanes) {
    return v[0];
  } else {
    repeat<lanes / Step / 2>([&](auto i) {
      v[i] = fold<Step>(v[2 * i], v[2 * i + 1], std::make_index_sequence<lanes>{});
    });
    return sum_lanes<2 * Step>(v);
  }
}

/// Calls body.operator()<n>(begin) over [0, count) in pieces of n <= Most, as even as can be: a
/// last piece of one row would leave most of the registers unused.
template <std::size_t Most, class Body>
void for_even_pieces(std::size_t count, const Body& body) {
  const std::size_t pieces = (count + Most - 1) / Most;
  for (std::size_t piece = 0, begin = 0; piece < pieces; ++piece) {
    const std::size_t size = (count - begin) / (pieces - piece);
    [&]<std::size_t... N>(std::index_sequence<N...>) {
      (void)((size == N + 1 && (body.template operator()<N + 1>(begin), true)) || ...);
    }
    (std::make_index_sequence<Most>{});
    begin += size;
  }
}

/// Vectors run along the sums, and are added up at the end, as many at a time as one has lanes.
template <std::size_t M, std::size_t N, class A>
[[gnu::flatten]] void dot_tile(const A& a, std::size_t row, EvenRows b, std::size_t column,
                               std::size_t length, ResultRows c) {
  constexpr std::size_t groups = (M * N + lanes - 1) / lanes;
  const float* p[M];
  const float* q[N];
  Vector sums[groups][lanes];
  repeat<M>([&](auto m) { p[m] = a[row + m]; });
  repeat<N>([&](auto n) { q[n] = b[column + n]; });
  repeat<groups>([&](auto g) { repeat<lanes>([&](auto i) { sums[g][i] = Vector{}; }); });
  const auto add = [&](const auto& get) {
    Vector right[N];
    repeat<N>([&](auto n) { right[n] = in_register(get(q[n])); });
    repeat<M>([&](auto m) {
      const Vector left = in_register(get(p[m]));
      repeat<N>([&](auto n) {
        constexpr std::size_t i = m * N + n;
        Vector& sum = sums[i / lanes][i % lanes];
        sum = fused(left, right[n], sum);
      });
    });
  };
  std::size_t k = 0;
  for (; k + lanes <= length; k += lanes) {
    add([k](const float* from) { return load(from + k); });
  }
  if (k < length) add([k, length](const float* from) { return load_first(from + k, length - k); });
  float result[groups * lanes];
  repeat<groups>([&](auto g) { store(result + g * lanes, sum_lanes(sums[g])); });
  for (std::size_t m = 0; m < M; ++m) {
    std::memcpy(c[row + m] + column, result + m * N, N * sizeof(float));
  }
}

/// N vectors of M rows of the result from `column` on; only `tail` lanes of the one vector if Tail.
template <std::size_t M, std::size_t N, bool Tail, class R>
[[gnu::flatten]] void combine_tile(const Combination& job, const R& rows, std::size_t row,
                                   std::size_t column, std::size_t tail) {
  const auto get = [&](const float* from) {
    if constexpr (Tail) {
      return load_first(from, tail);
    } else {
      return load(from);
    }
  };
  Vector sums[M][N];
  const Vector keep = broadcast(job.keep);
  repeat<M>([&](auto m) {
    const float* kept = job.kept[row + m] + column;
    repeat<N>(
        [&](auto n) { sums[m][n] = job.keep == 0 ? Vector{} : keep * get(kept + n * lanes); });
  });
  const float* factors = job.factors + row * job.row_step;
  const std::size_t row_step = job.row_step;
  const std::size_t term_step = job.term_step;
  const std::size_t terms = job.terms;
  for (std::size_t k = 0; k < terms; ++k, factors += term_step) {
    const float* from = rows[k] + column;
    Vector right[N];
    repeat<N>([&](auto n) { right[n] = get(from + n * lanes); });
    repeat<M>([&](auto m) {
      const Vector factor = broadcast(factors[m * row_step]);
      repeat<N>([&](auto n) { sums[m][n] = fused(factor, right[n], sums[m][n]); });
    });
  }
  repeat<M>([&](auto m) {
    float* to = job.result[row + m] + column;
    repeat<N>([&](auto n) {
      if constexpr (Tail) {
        store_first(to + n * lanes, sums[m][n], tail);
      } else {
        store(to + n * lanes, sums[m][n]);
      }
    });
  });
}

}  // namespace product

/// c[m][n] = sum over k < length of a[m][k] * b[n][k], for m < rows, n < columns.
template <class A>
void multiply_transposed(const A& a, std::size_t rows, EvenRows b, std::size_t columns,
                         std::size_t length, ResultRows c) {
  using namespace product;
  for_even_pieces<dot_rows>(rows, [&]<std::size_t M>(std::size_t row) {
    for_even_pieces<dot_columns>(columns, [&]<std::size_t N>(std::size_t column) {
      dot_tile<M, N>(a, row, b, column, length, c);
    });
  });
}

template <class R>
void combine(const Combination& job, const R& rows) {
  using namespace product;
  const std::size_t vectors = job.width / lanes;
  const std::size_t tail = job.width % lanes;
  // A narrow panel of `rows` stays in the first-level cache while the factors go by.
  for_even_pieces<combine_vectors>(vectors, [&]<std::size_t N>(std::size_t vector) {
    for_even_pieces<combine_rows>(job.height, [&]<std::size_t M>(std::size_t row) {
      combine_tile<M, N, false>(job, rows, row, vector * lanes, 0);
    });
  });
  if (tail > 0) {
    for_even_pieces<combine_rows>(job.height, [&]<std::size_t M>(std::size_t row) {
      combine_tile<M, 1, true>(job, rows, row, vectors * lanes, tail);
    });
  }
}

}  // namespace motley
