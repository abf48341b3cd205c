from . import curves

NAME = "accuracy"
TITLE = "Accuracy and loss against virtual time"
HOW_TO_READ = ("Each line is the mean over an algorithm's replicas at that moment of virtual time, the shade "
               "its 95 % confidence band (none with one replica); a line ends where its first replica ends. "
               "The dashed line is the target: who crosses it first, wins. Runs that stop at the target end before "
               "their mean gets there. Of a sweep up to four points, and of each the accuracy alone (or the loss, "
               "where there is none).")


def draw(results, look):
    return curves.figure(results, look, [("time_s", "virtual time (s)")])
