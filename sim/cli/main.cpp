#include "sim/cli/command_line.hpp"

int main(int argc, char** argv) {
  return motley::motley_main({argv, argv + argc});
}
