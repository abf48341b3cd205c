from . import curves

NAME = "efficiency"
TITLE = "Accuracy and loss against epochs and against updates"
HOW_TO_READ = ("The same curves without the clock: how much an algorithm learns from a pass over the data "
               "(left) and from an update of the model (right). Who leads here but not against time pays "
               "with waiting or transfers; who trails here but leads against time is faster than it is good. Updates "
               "that differ tenfold between algorithms are on a log scale.")


def draw(results, look):
    return curves.figure(results, look, [("epochs", "epochs (samples used / training set)"),
                                         ("updates", "updates of the global model")])
