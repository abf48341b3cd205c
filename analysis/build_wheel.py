"""Makes the wheel of the Python package, as pip asks for it (PEP 517, PEP 660). Needs nothing but Python itself, so that pip
has nothing to fetch. The package motley has the modules that draw inside it; its version is that of the program."""
import base64
import hashlib
import pathlib
import re
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
NEEDS = ("matplotlib", "pandas")
SUMMARY = "Simulates distributed SGD on uneven clusters: run scenarios, read results, draw figures"


def version():
    """Of the project, from its CMakeLists.txt."""
    text = (HERE.parent / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(motley VERSION ([0-9.]+)", text, re.MULTILINE)[1]


def package_files():
    """(name in the wheel, bytes) of the package and of what it draws with."""
    for folder, place in ((HERE / "motley", "motley"), (HERE / "pictures", "motley/pictures")):
        for file in sorted(folder.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                yield f"{place}/{file.relative_to(folder).as_posix()}", file.read_bytes()


def metadata():
    needs = "".join(f"Requires-Dist: {name}\n" for name in NEEDS)
    return f"Metadata-Version: 2.1\nName: motley\nVersion: {version()}\nSummary: {SUMMARY}\nLicense: MIT\nRequires-Python: >=3.9\n{needs}"


def write_wheel(folder, files):
    """Returns the name of the wheel with these files."""
    name = f"motley-{version()}"
    info = f"{name}.dist-info"
    files = [*files, (f"{info}/METADATA", metadata().encode()),
             (f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: motley\nRoot-Is-Purelib: true\nTag: py3-none-any\n")]
    record = "".join(f"{place},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
                     for place, data in files) + f"{info}/RECORD,,\n"
    wheel = f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, data in [*files, (f"{info}/RECORD", record.encode())]:
            archive.writestr(zipfile.ZipInfo(place, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, package_files())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel that only points here."""
    return write_wheel(wheel_directory, [("motley.pth", f"{HERE}\n".encode())])
