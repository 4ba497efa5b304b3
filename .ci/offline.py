"""Runs a command with the network off and loopback on, where the system allows it.

    python .ci/offline.py COMMAND...

On Linux the command gets a network namespace of its own (for an ordinary user inside a user
namespace that keeps the same uid, so that permission tests still mean something). Where that is
refused the command runs all the same, and the first line printed says that the network is on.
`NONVERBA_NETWORK` tells the tests which.
"""

import errno
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 0x1


def main(command: list[str]) -> None:
    """Replace this process by the command, cut off from every network but loopback."""
    if not command:
        sys.exit("usage: python .ci/offline.py COMMAND...")
    why_not = ""
    for with_user in (False, True):
        why_not = _rehearse(with_user=with_user)
        if not why_not:
            _cut_off(with_user=with_user)
            break
    os.environ["NONVERBA_NETWORK"] = "on" if why_not else "off"
    print(
        f"The tests run with the network ON: this system gives no network namespace ({why_not})."
        if why_not
        else "The tests run with the network off (loopback only).",
        flush=True,
    )
    os.execvp(command[0], command)


def _rehearse(*, with_user: bool) -> str:
    """Try it in a child, since a half-made namespace cannot be left; return why it failed."""
    if not hasattr(os, "unshare"):
        return f"{sys.platform} has none"
    child = os.fork()
    if child == 0:
        try:
            _cut_off(with_user=with_user)
        except OSError as error:
            os._exit(error.errno if error.errno and error.errno < 256 else errno.EPERM)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return "" if code == 0 else os.strerror(abs(code))


def _cut_off(*, with_user: bool) -> None:
    uid, gid = os.geteuid(), os.getegid()
    os.unshare(os.CLONE_NEWNET | (os.CLONE_NEWUSER if with_user else 0))
    if with_user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(control, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))


if __name__ == "__main__":
    main(sys.argv[1:])
