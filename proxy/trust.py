"""Where the certificate lies that clients of the forward proxy have to trust.

Known to the proxy, which writes it, and to the runner, which sees that nothing is left of it.
"""

import shutil
from contextlib import suppress
from pathlib import Path


def certificate_in(directory: Path) -> Path:
    """Return the file of the certificate, alone in its own folder in the proxy's one."""
    return directory / "authority" / "ca.pem"


def remove_certificate(directory: Path) -> None:
    """Take away the certificate and its folder; no harm if there is nothing."""
    with suppress(OSError):  # nothing in it is secret
        shutil.rmtree(certificate_in(directory).parent)
