#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <motley_vocabulary.hpp>

#include "sim/learning/data/catalog.hpp"
#include "sim/learning/models/catalog.hpp"
#include "sim/vocabulary/algorithm.hpp"

/// Plug-ins: shared libraries that bring algorithms, models and kinds of data. One ends with
///
///   MOTLEY_PLUGIN(motley::patient())
///
/// which names what it brings: AlgorithmInfo, ModelKind, DataKind, as many as there are. It is compiled
/// against these headers and takes everything else from the program that loads it.
namespace motley {

/// What a plug-in brings.
struct PluginContents {
  std::vector<AlgorithmInfo> algorithms;
  std::vector<ModelKind> models;
  std::vector<DataKind> data;

  void add(AlgorithmInfo info) { algorithms.push_back(std::move(info)); }
  void add(ModelKind kind) { models.push_back(std::move(kind)); }
  void add(DataKind kind) { data.push_back(std::move(kind)); }
};

/// What a plug-in and the program must agree on before anything of it is called; the first four members
/// are the same in every version.
struct PluginFacts {
  std::uint32_t size;      ///< of this struct
  const char* version;     ///< of the program it was compiled for
  const char* vocabulary;  ///< digest of the headers
  const char* compiler;
  std::uint32_t alignment;  ///< that Eigen gives its vectors: it depends on the machine code in use
  void (*describe)(PluginContents& contents);
};

}  // namespace motley

/// Of the file that is being compiled. A macro: of a function, the program's own would be called.
#define MOTLEY_PLUGIN_FACTS(DESCRIBE)                                                         \
  {                                                                                           \
    sizeof(::motley::PluginFacts), MOTLEY_VOCABULARY_VERSION, MOTLEY_VOCABULARY, __VERSION__, \
        EIGEN_MAX_ALIGN_BYTES, DESCRIBE                                                       \
  }

/// What the library brings; once in each.
#define MOTLEY_PLUGIN(...)                                                                         \
  extern "C" __attribute__((visibility("default"))) const ::motley::PluginFacts* motley_plugin() { \
    static const ::motley::PluginFacts facts =                                                     \
        MOTLEY_PLUGIN_FACTS([](::motley::PluginContents& contents) {                               \
          const auto add = [&contents](auto&&... all) { (contents.add(all), ...); };               \
          add(__VA_ARGS__);                                                                        \
        });                                                                                        \
    return &facts;                                                                                 \
  }
