"""How far the runs are: in a notebook as a bar that is redrawn, on a terminal as a line, or as calls of a function."""
from __future__ import annotations

import html
import sys
from dataclasses import dataclass, field
from typing import Any, Callable, List, Mapping, Optional, Protocol, Tuple, Union


@dataclass(frozen=True)
class Progress:
    """How far the runs are; or, in the phase "timing", how far their timing on changed clusters is, after the last run."""
    done: int
    total: int
    failed: int = 0
    seconds_left: Optional[float] = None
    running: List[Tuple[str, float]] = field(default_factory=list)  # (run, share of it that is done)
    phase: str = "runs"

    @property
    def share(self) -> float:
        """Of everything, from 0 to 1."""
        if self.total == 0:
            return 1.0
        return min(1.0, (self.done + sum(share for _, share in self.running)) / self.total)

    @staticmethod
    def of(event: Mapping[str, Any]) -> "Progress":
        """From a line of motley run --progress json."""
        left = event.get("seconds_left")
        return Progress(int(event.get("done", 0)), int(event.get("total", 0)), int(event.get("failed", 0)),
                        None if left is None else float(left),
                        [(str(run["run"]), float(run["share"])) for run in event.get("running", [])],
                        "timing" if event.get("event") == "timing" else "runs")

    def __str__(self) -> str:
        text = f"{self.done} of {self.total} " + ("timings on changed clusters" if self.phase == "timing" else "runs")
        if self.failed:
            text += f", {self.failed} failed"
        if self.seconds_left is not None and self.done < self.total:
            text += f", {duration(self.seconds_left)} left"
        return text


def duration(seconds: float) -> str:
    """"45 s", "3 min", "2.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class Display(Protocol):
    """Where progress is shown."""

    def show(self, progress: Progress) -> None: ...

    def say(self, text: str) -> None: ...

    def close(self) -> None: ...


class Silent:
    """Nowhere; what the program complains about is still said."""

    def show(self, progress: Progress) -> None:
        pass

    def say(self, text: str) -> None:
        print(text, file=sys.stderr)

    def close(self) -> None:
        pass


class TerminalLine(Silent):
    """One line that is rewritten."""

    def __init__(self) -> None:
        self._drawn = False

    def show(self, progress: Progress) -> None:
        filled = round(24 * progress.share)
        sys.stderr.write(f"\r\033[K[{'#' * filled}{'.' * (24 - filled)}] {progress}")
        sys.stderr.flush()
        self._drawn = True

    def say(self, text: str) -> None:
        self.close()
        print(text, file=sys.stderr)

    def close(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
        self._drawn = False


class NotebookBar(Silent):
    """A bar below the cell, which is updated in place."""

    def __init__(self) -> None:
        from IPython.display import HTML, display
        self._html = HTML
        self._handle = display(HTML("<progress></progress> starting"), display_id=True)

    def show(self, progress: Progress) -> None:
        names = ", ".join(run for run, _ in progress.running)
        self._handle.update(self._html(f'<progress value="{progress.share:.4f}" max="1" style="width:20em"></progress> '
                                       f"{html.escape(str(progress))} <small>{html.escape(names)}</small>"))


class Called(Silent):
    """A function of the caller's."""

    def __init__(self, function: Callable[[Progress], None]) -> None:
        self._function = function

    def show(self, progress: Progress) -> None:
        self._function(progress)


def is_notebook() -> bool:
    """Whether this runs in a Jupyter kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def display_for(progress: Union[bool, Callable[[Progress], None]]) -> Display:
    """What `progress` of run() asks for: False for nothing, a function to be called, or True for what suits the place."""
    if callable(progress):
        return Called(progress)
    if progress and is_notebook():
        return NotebookBar()
    return TerminalLine() if progress and sys.stderr.isatty() else Silent()
