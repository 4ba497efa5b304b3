"""The tiny world behind the bare frameworks: a dict, and the work that each tool does on it.

It stands for what a plain agent's tools would do. Nothing of nonverba is imported: no schema, no
guard, no journal. Texts have the form that the scripted model reads.
"""

import json
from typing import Any

ROWS: dict[str, Any] = {}


def reset() -> None:
    """Begin a trial."""
    ROWS.clear()
    node = {"memory": "3.1 GiB of 16 GiB", "disk": "178 GiB of 1.8 TiB"}
    ROWS.update(nodes={"mars": node}, executions=[], reports=[], calls=0)


def listed() -> str:
    return _done({"nodes": sorted(ROWS["nodes"])})


def looked(node: str, what: str) -> str:
    ROWS["executions"].append({"action": f"{what}.usage", "node": node})
    return _done({"node": node, what: ROWS["nodes"][node][what]})


def reported(status: str, reason: str, claims: Any) -> str:
    ROWS["reports"].append({"status": status, "reason": reason, "claims": claims})
    return _done({"recorded": len(ROWS["reports"])})


def _done(result: Any) -> str:
    ROWS["calls"] += 1
    return json.dumps({"ok": True, "receipt": f"rc-{ROWS['calls']}", "result": result})
