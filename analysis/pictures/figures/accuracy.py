from . import curves

NAME = "accuracy"
TITLE = "Accuracy and loss over virtual time"
HOW_TO_READ = ("Each line is the mean over an algorithm's replicas at that virtual time. The shaded band is its 95 % "
               "confidence interval; with fewer than five replicas, each of them is a thin line instead. A line ends "
               "where its first replica ends; where runs stop at the target, thin lines follow each of the others to its "
               "own end, a dot. The dashed line is the target, and the large markers on it are the mean times at which it "
               "was reached (open: not by every run; of algorithms that never merge their workers' models, with the time it takes to average them). The time axis ends a little after the last has "
               "reached the target, and later where some never do. Thin dots show what a merge at that moment would have "
               "given (an oracle); no worker holds that model, and it does not count for the target. The target's measure comes first. For a sweep, up to four points are shown, with that measure "
               "only (without a target accuracy, or else loss); more than seven algorithms have a panel each (of a sweep, "
               "at its first point).")


def draw(results, look):
    return curves.figure(results, look, [("time_s", "virtual time (s)")])
