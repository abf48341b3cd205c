#pragma once

#include <string>

namespace motley {

/// Set by a signal that asks the program to end: its number.
int interrupting_signal();
/// From now on SIGINT and SIGTERM are such signals, and nobody who reads what is written is no reason to end.
void watch_signals();
/// What is called by such a signal in its handler, in this process and in none that it forks. Only what may be
/// called in handlers may be called there.
void on_interrupt(void (*act)(int signal));
/// In words: how a run has ended.
std::string interruption(int signal);

}  // namespace motley
