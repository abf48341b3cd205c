"""Figures of a sweep that has no target: what each had at the end."""
import pathlib
import unittest

from figure_case import RATIO, FigureCase, lines
from pictures import figures
from pictures.look import Look
from pictures.results import NoData, Results
from results_fixture import write_results


class Ends(FigureCase):
    def results(self, name, replicas=5):
        folder = pathlib.Path(self.place.name) / name
        return Results(write_results(folder, replicas=replicas, axes={RATIO: [1, 4, 16]}, trace=False))

    def test_accuracy_loss_and_time_of_an_epoch_have_a_panel_each(self):
        results = self.results("ends")
        accuracy, loss, epoch = self.draw(figures.final, results).axes
        self.assertEqual([ax.get_ylabel().split(" (")[0] for ax in (accuracy, loss, epoch)],
                         ["final test accuracy", "final test loss", "time per epoch"])
        rows = results.summary[results.summary["algorithm"] == "async"]
        self.assertEqual(list(lines(accuracy)["async"].get_ydata()), list(rows["final_accuracy_mean"]))
        self.assertEqual(list(lines(loss)["async"].get_ydata()), list(rows["final_loss_mean"]))
        runs = results.runs[results.runs["algorithm"] == "async"]
        for place, mean in zip([1, 4, 16], lines(epoch)["async"].get_ydata()):
            here = runs[runs[RATIO] == place]
            self.assertAlmostEqual(mean, (here["virtual_s"] / here["epochs"]).mean())
        self.assertTrue(accuracy.collections)  # bands, of five replicas
        self.assertFalse(self.draw(figures.final, self.results("few", replicas=3)).axes[0].collections)

    def test_where_nothing_is_learnt_only_the_time_of_an_epoch_is_drawn(self):
        results = self.results("timed")
        results.summary[[c for c in results.summary if c.startswith("final_")]] = None
        axes = self.draw(figures.final, results).axes
        self.assertEqual([ax.get_ylabel() for ax in axes], ["time per epoch (s)"])
        self.assertEqual(axes[0].get_ylim()[0], 0)

    def test_where_runs_stop_at_the_target_their_ends_are_not_compared(self):
        results = Results(self.sweep.folder)
        results.scenario["stop"] = {"time": "10s", "at_target": True}
        with self.assertRaisesRegex(NoData, "stop at the target"):
            figures.final.draw(results, Look.of(results))

    def test_without_a_target_nobody_is_the_best(self):
        results = Results(self.sweep.folder)
        del results.scenario["target"]
        with self.assertRaisesRegex(NoData, "no target"):
            figures.best.draw(results, Look.of(results))


if __name__ == "__main__":
    unittest.main()
