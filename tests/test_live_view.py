"""motley run --serve: a page for who has its address, and for nobody else. The program is MOTLEY_BINARY."""
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest
import urllib.parse

import chromium

PROGRAM = os.environ["MOTLEY_BINARY"]
# Ends when it is stopped, or after far more than the test takes.
ENDLESS = {
    "name": "endless",
    "data": {"kind": "synthetic", "train": 400, "test": 100, "features": 5, "classes": 3},
    "model": {"kind": "softmax"},
    "cluster": {"workers": [{"name": "node", "count": 2, "speed": "1Gf"}], "server": {"speed": "10Gf"},
                "link": {"bandwidth": "1Gbps", "latency": "50us"}},
    "stop": {"updates": 1000000000},
    "evaluate": {"every": 1000},
    "defaults": {"batch_size": 8, "step_size": 0.1},
    "algorithms": [{"name": "async"}],
}


def is_built_in():
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run([PROGRAM, "run", "none.json", "--serve"], cwd=folder, capture_output=True, text=True).stderr
    return "built without it" not in said


class Served(unittest.TestCase):
    """A scenario that is run with a live view."""
    scenario, options = ENDLESS, ["--no-whatif"]

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        folder = pathlib.Path(place.name)
        (folder / "s.json").write_text(json.dumps(self.scenario))
        self.process = subprocess.Popen([PROGRAM, "run", "s.json", "--serve", "--progress", "none", *self.options], cwd=folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        line = self.process.stderr.readline()
        self.address = re.search(r"Live view: (http://127\.0\.0\.1:\d+/[0-9a-f]{32}/)\n", line)[1]
        parts = urllib.parse.urlsplit(self.address)
        self.host, self.port, self.path = f"127.0.0.1:{parts.port}", parts.port, parts.path

    def end(self):
        self.process.kill()
        self.process.communicate()

    def ask(self, path, method="GET", **headers):
        """(status, text)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.putrequest(method, path, skip_host=True)
        for name, value in {"Host": self.host, **headers}.items():
            connection.putheader(name, value)
        connection.putheader("Content-Length", "0")
        connection.endheaders()
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def state_when(self, holds):
        """What the page is told, once that holds of it."""
        while True:
            state = json.loads(self.ask(self.path + "state")[1])
            if holds(state):
                return state


@unittest.skipUnless(is_built_in(), "built without libcpp-httplib-dev")
class LiveView(Served):
    def test_who_has_the_address_sees_how_far_it_is(self):
        status, page = self.ask(self.path)
        self.assertEqual(status, 200)
        self.assertIn("<progress", page)
        state = self.state_when(lambda told: told.get("total"))
        self.assertEqual((state["name"], state["done"], state["total"]), ("endless", 0, 1))
        self.assertFalse(state["over"])

    def test_a_wrong_token_is_refused(self):
        wrong = "/" + "0" * 32 + "/"
        for path in (wrong, wrong + "state", "/", "/state", self.path[:-2] + "/"):
            self.assertEqual(self.ask(path)[0], 403, path)
        self.assertEqual(self.ask(wrong + "stop", "POST")[0], 403)
        self.assertIsNone(self.process.poll())

    def test_another_host_or_origin_is_refused(self):
        self.assertEqual(self.ask(self.path, Host="evil.example")[0], 403)
        self.assertEqual(self.ask(self.path, Host=f"evil.example:{self.port}")[0], 403)
        self.assertEqual(self.ask(self.path + "stop", "POST", Origin="http://evil.example")[0], 403)
        self.assertIsNone(self.process.poll())

    def test_it_listens_on_this_machine_only(self):
        # /proc/net/tcp has addresses as hexadecimal numbers, the lowest byte first; state 0A listens.
        listening = [line.split()[1] for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"]
        mine = [address for address in listening if address.endswith(f":{self.port:04X}")]
        self.assertEqual(mine, [f"0100007F:{self.port:04X}"])

    def test_the_button_stops_the_runs_and_they_say_how_to_go_on(self):
        if chromium.PROGRAM is None:
            self.skipTest("Chromium is not installed")
        with chromium.Page() as page:
            page.open_address(self.address)
            page.wait_until("document.getElementById('line').textContent.includes('0 of 1 runs done')")
            page.evaluate("document.getElementById('stop').click()")
            out, err = self.process.communicate()
            page.wait_until("document.getElementById('line').textContent.includes('it has ended')")
            self.assertTrue(page.evaluate("document.getElementById('stop').disabled"))
        self.assertEqual(self.process.returncode, 130)
        self.assertIn("the same command does the rest", err)


@unittest.skipUnless(is_built_in(), "built without libcpp-httplib-dev")
class ManyAtOnce(Served):
    # More than a pipe takes in one piece: 28 runs with long names.
    scenario = {**ENDLESS, "algorithms": [{"name": "async", "label": f"{i:02}_" + "long" * 24, "step_size": 0.1 + 0.001 * i} for i in range(28)]}
    options = ["--no-whatif", "--jobs", "28", "--threads", "1"]

    def test_all_runs_under_way_are_told(self):
        state = self.state_when(lambda told: len(told.get("running", [])) == 28)
        self.assertGreater(len(json.dumps(state["running"])), 4096)


@unittest.skipUnless(is_built_in() and chromium.PROGRAM, "built without libcpp-httplib-dev, or no Chromium")
class ToTheEnd(Served):
    scenario = {**ENDLESS, "name": "short", "stop": {"updates": 50000}, "evaluate": {"every": 10000}}
    options = []

    def test_who_looks_on_sees_the_end_and_the_whole_report(self):
        self.process.send_signal(signal.SIGSTOP)  # until the browser is there: where nobody looks on, it ends at once
        with chromium.Page() as page:
            page.open_address(self.address)
            self.process.send_signal(signal.SIGCONT)
            page.wait_until("document.getElementById('line').textContent === 'all is done; it has ended'")
            self.assertEqual(page.evaluate("document.getElementById('bar').value"), 1)
            page.wait_until("document.getElementById('report').contentDocument?.querySelector('h1')")
            self.assertFalse(page.evaluate("document.getElementById('report').hidden"))
            self.assertIn("async", page.evaluate("document.getElementById('summary').textContent"))
            self.process.communicate()
        self.assertEqual(self.process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
