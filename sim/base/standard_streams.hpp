#pragma once

namespace motley {

/// Makes sure that the descriptors of stdin, stdout and stderr are in use: otherwise the next file
/// opened would become one of them, and what is printed would go into it. Call it first.
void open_standard_streams();

/// Whether all that was printed on stdout has gone out. Call it last.
bool standard_output_is_written();

}  // namespace motley
