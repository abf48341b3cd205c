from . import curves

NAME = "accuracy"
TITLE = "Accuracy and loss over virtual time"
HOW_TO_READ = ("Each line is the mean over an algorithm's replicas at that virtual time; the shaded band is its 95 % "
               "confidence interval (absent with a single replica). A line ends where its first replica ends. The "
               "dashed line is the target: the first algorithm to cross it wins. Runs that stop at the target end "
               "before their mean reaches it. For a sweep, up to four points are shown, with accuracy only (or loss, "
               "if there is no accuracy).")


def draw(results, look):
    return curves.figure(results, look, [("time_s", "virtual time (s)")])
