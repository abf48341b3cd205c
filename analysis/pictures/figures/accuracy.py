from . import curves

NAME = "accuracy"
TITLE = "Accuracy and loss over virtual time"
HOW_TO_READ = ("Each line is the mean over an algorithm's replicas at that virtual time. The shaded band is its 95 % "
               "confidence interval; with fewer than five replicas, each of them is a thin line instead. A line ends "
               "where its first replica ends. The dashed line is the target, and the large markers on it are the mean "
               "times at which it was reached (open: not by every run). Runs that stop at the target "
               "end before their mean reaches it. Once everybody has reached the target, the time axis ends. Thin "
               "dashes show a model that was never merged (an oracle), which does not count for the target. For a "
               "sweep, up to four points are shown, with accuracy only (or loss, if there is no accuracy); more than "
               "seven algorithms have a panel each (of a sweep, at its last point).")


def draw(results, look):
    return curves.figure(results, look, [("time_s", "virtual time (s)")])
