"""Whether this Python has what the figures are drawn with. Imports nothing itself, so that it can say so anywhere."""
import importlib.util
import sys

PACKAGES = ("matplotlib", "numpy", "pandas")


def need_packages(program):
    """Ends the program with one line that says what to do when a package is not there."""
    absent = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if absent:
        print(f"{program}: {sys.executable or 'this Python'} lacks {', '.join(absent)}: install python3-matplotlib and "
              "python3-pandas and use /usr/bin/python3", file=sys.stderr)
        sys.exit(2)
