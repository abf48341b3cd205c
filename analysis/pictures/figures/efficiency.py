from . import curves

NAME = "efficiency"
TITLE = "Accuracy and loss per epoch and per update"
HOW_TO_READ = ("The same curves without the clock: how much an algorithm learns per pass over the data (left) and "
               "per update of the global model (right). An algorithm that leads here but not over time loses its "
               "lead to waiting or transfers; one that trails here but leads over time makes up for less effective "
               "updates by making more of them. The update axis is logarithmic where update counts differ by a "
               "factor of ten or more. More than seven algorithms have a panel each, per epoch only.")


def draw(results, look):
    return curves.figure(results, look, [("epochs", "epochs (samples used / training set)"),
                                         ("updates", "updates of the global model")])
