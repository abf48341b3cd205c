#pragma once

namespace motley {

/// Sees to it that the descriptors of stdin, stdout and stderr are taken: else the next file that
/// is opened would become one of them, and what is printed would go into that file. Call it first.
void open_standard_streams();

/// Whether all that was printed on stdout has gone out. Call it last.
bool standard_output_is_written();

}  // namespace motley
