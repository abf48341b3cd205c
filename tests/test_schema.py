"""The schema is the one the program prints, accepts every shipped scenario and refuses slips.

usage: test_schema.py MOTLEY SOURCE_DIR
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    sys.exit("test_schema.py: needs Debian's python3-jsonschema ('./motley test --packages' installs it)")

MOTLEY, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SCENARIOS = SOURCE / "scenarios"
SCHEMA = json.loads((SCENARIOS / "schema.json").read_text())

VALID = {
    "name": "small",
    "data": {"kind": "synthetic", "partition": {"kind": "dirichlet", "alpha": 0.3}},
    "model": {"kind": "softmax"},
    "cluster": {
        "workers": [{"name": "w", "count": 4, "speed": "1Tf", "spread": {"law": "ratio", "ratio": 4}}],
        "server": {"speed": "1Tf"},
        "link": {"bandwidth": "1Gbps", "latency": "10us"},
        "fabric": {"kind": "racks", "racks": [{"count": 2, "hosts": {"w": 2}}, {"hosts": {"server": 1}}],
                   "uplink": {"oversubscription": 4, "latency": "1us"}},
        "noise": {"law": "lognormal", "sigma": 0.1},
    },
    "stop": {"updates": 10},
    "defaults": {"batch_size": 8, "step_size": 0.1},
    "algorithms": [{"name": "sync"}, {"name": "local", "label": "mine", "local_steps": 4}],
}

# Slips that both the schema and the program must refuse: where, and what is put there.
SLIPS = [
    ("/sede", 1),
    ("/seed", -1),
    ("/seed", 1.5),
    ("/name", 7),
    ("/data/kind", "synthetc"),
    ("/data/path", "x"),
    ("/data/train", 0),
    ("/data/features", 1e15),
    ("/data/separation", 1e300),
    ("/data/partition/alpha", 0),
    ("/data/partition/kind", "iid"),
    ("/model/hidden", [3]),
    ("/model", {"kind": "mlp"}),
    ("/model", {"kind": "mlp", "hidden": [1e9]}),
    ("/model", {}),
    ("/cluster/workers/0/speed", 10),
    ("/cluster/workers/0/speed", "10Gbps"),
    ("/cluster/workers/0/speeed", "1Tf"),
    ("/cluster/workers/0/spread/law", "linear"),
    ("/cluster/workers/0/spread/ratio", 0.5),
    ("/cluster/workers/0/spread", {"ratio": 4}),
    ("/cluster/workers/0/noise", {"law": "pareto"}),
    ("/cluster/noise/mean", 1),
    ("/cluster/link/latency", "-1us"),
    ("/cluster/link", {"bandwidth": "1Gbps"}),
    ("/cluster/link/bandwidth", {"up": "1Gbps"}),
    ("/cluster/link/bandwidth", {"up": "1Gbps", "down": "1Gf"}),
    ("/cluster/workers/0/per_node", 0),
    ("/cluster/workers/0/inside", {"bandwith": "1Gbps", "latency": "1us"}),
    ("/cluster/server/on", 1),
    ("/cluster/fabric", {"kind": "ring"}),
    ("/cluster/fabric/sites", []),
    ("/cluster/fabric/racks/0/hosts/w", 0),
    ("/cluster/fabric/racks/0/hosts", {}),
    ("/cluster/fabric/uplink/oversubscription", 0.25),
    ("/cost", {"flops_per_sample": "atuo"}),
    ("/network", "udp"),
    ("/evaluate", {"every": 0}),
    ("/evaluate", {"every": "3 parsecs"}),
    ("/stop/update", 3),
    ("/stop/at_target", "yes"),
    ("/defaults/step_sise", 0.1),
    ("/defaults/step_size", 0),
    ("/algorithms", []),
    ("/algorithms/0", {}),
    ("/algorithms/0/name", "snyc"),
    ("/algorithms/0/local_steps", 4),
    ("/algorithms/1/local_step", 4),
    ("/algorithms/1/schedule", {"kind": "step"}),
    ("/algorithms/1/label", 3),
    ("/tune", {"step_sise": [0.1, 0.2]}),
    ("/tune", {"step_size": [0.1, 0.2], "run": 8}),
    ("/algorithms/0/tune", {"local_steps": [1, 2]}),
    ("/algorithms/1/tune", {"local_step": [1, 2]}),
    ("/algorithms/1/tune", {"local_steps": 3}),
]

# What must stay allowed.
SITES = [{"name": "a", "hosts": {"w": 4}}, {"name": "b", "hosts": {"server": 1}}]
VARIANTS = [
    ("/$schema", "schema.json"),
    ("/baseline", "mine"),
    ("/cluster/workers/0/spread/slow_share", 0.25),
    ("/cluster/workers/0/speed", "1e3 Gf"),
    ("/cluster/workers/0/spread/keep", "total"),
    ("/cluster/workers/0", {"name": "w", "count": 4, "speed": "1Tf", "per_node": 2,
                            "inside": {"bandwidth": "10GBps", "latency": "1us"}}),
    ("/cluster/link/bandwidth", {"up": "20Mbps", "down": "100Mbps"}),
    ("/cluster/fabric", {"kind": "switch"}),
    ("/cluster/fabric/racks/1/uplink", {"bandwidth": {"up": "1Gbps", "down": "2Gbps"}, "latency": "0s"}),
    ("/cluster/fabric", {"kind": "sites", "sites": SITES, "link": {"bandwidth": "1Gbps", "latency": "20ms"}}),
    ("/cluster/fabric", {"kind": "sites", "sites": SITES,
                         "links": [{"between": ["b", "a"], "bandwidth": "1Gbps", "latency": "20ms"}]}),
    ("/cost", {"flops_per_sample": "auto", "model_size": "1.5MB"}),
    ("/approximate", {"port_flows": "all"}),
    ("/approximate", {"port_flows": 16}),
    ("/evaluate", {"every": "3s"}),
    ("/evaluate", {"every": 10}),
    ("/data/partition", {"//": "the default kind"}),
    ("/algorithms/1/schedule", {"kind": "cosine", "epochs": 5}),
    ("/tune", {"//": "for all", "momentum": [0, 0.9], "runs": 8, "at": "first_point"}),
]


def with_change(pointer, value):
    scenario = copy.deepcopy(VALID)
    *path, last = pointer[1:].split("/")
    place = scenario
    for key in path:
        place = place[int(key) if isinstance(place, list) else key]
    place[int(last) if isinstance(place, list) else last] = value
    return scenario


def objects_of(value):
    """Every object in a JSON value, itself included."""
    if isinstance(value, dict):
        yield value
        for member in value.values():
            yield from objects_of(member)
    elif isinstance(value, list):
        for element in value:
            yield from objects_of(element)


class SchemaTest(unittest.TestCase):
    def setUp(self):
        self.validator = jsonschema.Draft7Validator(SCHEMA)

    def motley_accepts(self, scenario):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "s.json"
            file.write_text(json.dumps(scenario))
            outcome = subprocess.run([MOTLEY, "validate", file], capture_output=True, text=True, check=False)
            self.assertIn(outcome.returncode, (0, 2), outcome.stderr)
            return outcome.returncode == 0

    def test_the_committed_schema_is_the_one_the_program_prints(self):
        printed = subprocess.run([MOTLEY, "schema"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(printed, (SCENARIOS / "schema.json").read_text(),
                         "bring it up to date with: motley schema > scenarios/schema.json")

    def test_the_schema_is_a_schema(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)

    def test_every_shipped_scenario_names_the_schema_and_is_valid(self):
        files = [f for f in sorted(SCENARIOS.rglob("*.json")) if f != SCENARIOS / "schema.json"]
        self.assertGreaterEqual(len(files), 3)
        for file in files:
            with self.subTest(file=file.name):
                scenario = json.loads(file.read_text())
                self.assertEqual((file.parent / scenario["$schema"]).resolve(), (SCENARIOS / "schema.json").resolve())
                self.validator.validate(scenario)

    def test_slips_are_refused_by_the_schema_and_by_the_program(self):
        for pointer, value in SLIPS:
            with self.subTest(pointer=pointer, value=value):
                scenario = with_change(pointer, value)
                self.assertFalse(self.validator.is_valid(scenario))
                self.assertFalse(self.motley_accepts(scenario))

    def test_what_is_right_is_accepted_by_both(self):
        for pointer, value in [("/name", "small"), *VARIANTS]:
            with self.subTest(pointer=pointer, value=value):
                scenario = with_change(pointer, value)
                self.validator.validate(scenario)
                self.assertTrue(self.motley_accepts(scenario))

    def test_comments_are_allowed_in_every_object(self):
        scenario = copy.deepcopy(VALID)
        for place in list(objects_of(scenario)):
            place["//"] = "a comment"
            place["//more"] = ["of", {"any": "shape"}]
        self.validator.validate(scenario)
        self.assertTrue(self.motley_accepts(scenario))

    def test_every_key_is_documented_and_of_a_known_shape(self):
        for place in objects_of(SCHEMA):
            for name, value in place.get("properties", {}).items():
                if value and "const" not in value:  # a full description, not a mere mention
                    with self.subTest(key=name):
                        self.assertTrue(value.get("description"))
                        self.assertTrue({"type", "enum", "anyOf", "oneOf", "allOf"} & value.keys())

    def test_a_new_scenario_is_valid_and_comes_with_the_schema(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([MOTLEY, "new", "mine"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            scenario = json.loads((pathlib.Path(folder) / "mine.json").read_text())
            self.validator.validate(scenario)
            self.assertEqual((pathlib.Path(folder) / scenario["$schema"]).read_text(),
                             (SCENARIOS / "schema.json").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
