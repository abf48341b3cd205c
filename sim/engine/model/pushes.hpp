#pragma once

#include <cstdint>
#include <optional>

#include "sim/engine/model/model_split.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/vocabulary/worker.hpp"

namespace motley {

// What workers send to the server, in a simulation and in a live run alike. `data_samples`: how many the
// worker has.

Push push_of_gradient(Gradient g, std::size_t data_samples, bool wants_model);
/// `kind`: model or update.
Push push_of_trained(const char* kind, Parameters vector, const Trained& y,
                     std::vector<Parameters> more, std::size_t data_samples, bool wants_model);
Push push_of_request();
Push push_of_number(double number);

/// What it takes on the wire to the server of this shard. Where layers of another model are modelled, an encoding is
/// that of the shard as it is there, in single precision.
std::uint64_t push_bytes(const Push& push, const Shard& to, const CostSpec& cost);

/// Of the model at which what it brings was computed; empty of a request or a number.
std::optional<std::uint64_t> version_of(const Push& push);

}  // namespace motley
