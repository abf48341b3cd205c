"""A headless Chromium, spoken to over a pipe in its DevTools protocol: no driver, no network."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Page:
    """One page. `errors` holds what the console complained about, `requests` every address it asked for."""

    def __init__(self, width=1280, height=900, dark=False):
        self._folder = tempfile.TemporaryDirectory(prefix="motley_chromium_", ignore_cleanup_errors=True)
        to_browser, self._in = os.pipe()
        self._out, from_browser = os.pipe()

        def wire():  # Chromium reads descriptor 3 and writes descriptor 4
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self._process = subprocess.Popen(
            [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--hide-scrollbars", f"--user-data-dir={self._folder.name}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._unread, self._sent, self._session = b"", 0, None
        self.errors, self.requests, self._loaded = [], [], False
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            self._call(f"{domain}.enable")
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                   mobile=width < 600)
        self._call("Emulation.setEmulatedMedia",
                   features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._session = None
        self._call("Browser.close")  # its helpers end with it; a kill would leave them writing
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._folder.cleanup()

    def open(self, file):
        self.open_address(file.resolve().as_uri())

    def open_address(self, address):
        self._loaded = False
        self._call("Page.navigate", url=address)
        while not self._loaded:
            self._notice(self._next())

    def evaluate(self, expression):
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def wait_until(self, condition):
        """Until it holds in the page; a test that waits in vain is ended by its time limit."""
        self.evaluate(f"new Promise((resolve) => {{ const look = () => (({condition}) ? resolve(true) : setTimeout(look, 50)); look(); }})")

    def screenshot(self, file):
        answer = self._call("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(answer["data"]))

    def _call(self, method, **parameters):
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._in, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._sent:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._notice(answer)

    def _next(self):
        while b"\0" not in self._unread:
            piece = os.read(self._out, 1 << 20)
            if not piece:
                raise RuntimeError("Chromium has ended")
            self._unread += piece
        message, self._unread = self._unread.split(b"\0", 1)
        return json.loads(message)

    def _notice(self, event):
        kind, parameters = event.get("method"), event.get("params", {})
        if kind == "Page.loadEventFired":
            self._loaded = True
        elif kind == "Runtime.exceptionThrown":
            self.errors.append(parameters["exceptionDetails"])
        elif kind == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.errors.append(parameters["args"])
        elif kind == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(parameters["entry"])
        elif kind == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
