"""Files are written beside their place and then renamed: never through a link that stands there, and never half."""
import errno
import os
import pathlib


def write_file(file, write):
    """write(stream) gives the new file its bytes. A link at its place is replaced, and what it leads to left alone."""
    file = pathlib.Path(file)
    new = file.with_name(f".{file.name}.{os.getpid()}.new")
    if file.exists() and not file.is_file() and not file.is_dir():  # /dev/null is not to become a file
        raise OSError(errno.EINVAL, "a pipe, a socket or a device stands there", str(file))
    try:
        new.unlink(missing_ok=True)
        try:
            with open(new, "xb") as stream:  # x: follows no link
                write(stream)
            os.replace(new, file)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:  # a reader knows the file, not the one beside it
        raise OSError(error.errno, error.strerror, str(file)) from error


def write_text(file, text, errors="strict"):
    write_file(file, lambda stream: stream.write(text.encode("utf-8", errors)))
