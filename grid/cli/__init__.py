"""The command line: composition root, the only place that knows everybody.

Every failure ends in one plain sentence that says what to do next, and an exit code: 0 fine,
1 finding, 2 usage or configuration, 3 no valid evidence or the harness itself failed. `--debug`
shows the traceback.
"""

import errno
import io
import os
import sys
import traceback
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from grid.cli.baseline import baseline_app
from grid.cli.check import check_command
from grid.cli.compare import compare_command
from grid.cli.console import CUT_OFF, say, tell
from grid.cli.doctor import doctor_command
from grid.cli.export import export_command
from grid.cli.gate import gate_command
from grid.cli.judge import judge_command
from grid.cli.listing import list_command
from grid.cli.plan import plan_command
from grid.cli.proxy import proxy_command
from grid.cli.replay import replay_command
from grid.cli.run import run_command
from grid.cli.show import show_command
from grid.cli.verify import verify_command
from grid.display import visible
from grid.errors import NonverbaError
from grid.extensions import load_entry_points

DEBUG = "--debug"
STOPPED = 130

app = typer.Typer(
    name="nonverba",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Runs the same injection and substitution scenarios across agent frameworks behind a "
    "recording proxy, and judges each run by what the tools did, never by what the agent said.",
)


def _version(asked: bool) -> None:
    if asked:
        say(f"nonverba {version('nonverba')}")
        raise typer.Exit


@app.callback()
def take_options(
    debug: Annotated[bool, typer.Option(DEBUG, help="Show the traceback of an error.")] = False,
    shown: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Take the options that stand before the command."""


app.command("run")(run_command)
app.command("plan")(plan_command)
app.command("verify")(verify_command)
app.command("replay")(replay_command)
app.command("show")(show_command)
app.command("judge")(judge_command)
app.command("check")(check_command)
app.command("compare")(compare_command)
app.command("gate")(gate_command)
app.add_typer(baseline_app, name="baseline")
app.command("list")(list_command)
app.command("proxy")(proxy_command)
app.command("export")(export_command)
app.command("doctor")(doctor_command)


def main() -> None:
    """Run the command line and exit."""
    debug = DEBUG in sys.argv
    arguments = [argument for argument in sys.argv[1:] if argument != DEBUG]
    if sys.stdout is None:  # it was closed before we began
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # not every terminal can show every character
            stream.reconfigure(errors="backslashreplace")
    try:
        load_entry_points()
        app(arguments, prog_name="nonverba")
    except SystemExit as end:
        if type(sys.stdout).__name__ == "PacifyFlushWrapper":  # typer met a closed pipe: no finding
            sys.exit(CUT_OFF)
        if end.code == STOPPED:  # typer makes it of Ctrl-C
            tell("nonverba: stopped.")
        raise
    except Exception as error:  # noqa: BLE001 - every failure is a sentence and an exit code
        if debug:
            traceback.print_exc()
        else:
            tell(f"nonverba: {_sentence(error)}")
        sys.exit(_exit_code(error))


def _sentence(error: Exception) -> str:
    if isinstance(error, NonverbaError):
        return visible(str(error), 4000, lines=True)
    if isinstance(error, OSError):
        return visible(_os_sentence(error))
    what = visible(f"{type(error).__name__}: {error}", 300)
    return f"a mistake of nonverba itself ({what}); --debug shows where: please report it."


def _exit_code(error: Exception) -> int:
    if isinstance(error, NonverbaError):
        return error.exit_code
    return 2 if isinstance(error, OSError) and error.errno != errno.ENOSPC else 3


def _os_sentence(error: OSError) -> str:
    where = f" ({error.filename})" if error.filename else ""
    if error.errno == errno.ENOSPC:
        return f"the disk is full{where}; free some space, then run again with --resume."
    if isinstance(error, PermissionError):
        return f"no permission{where}; choose another folder with -o or change its permissions."
    return f"{error.strerror or error}{where}."
