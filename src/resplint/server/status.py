"""What the protocol has no message for: what a folder is at, and its Redis clients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from resplint.contracts.findings import Level
from resplint.inventory.json_form import client_object
from resplint.inventory.records import Inventory
from resplint.output.escape import escape
from resplint.server.projects import OpenProject
from resplint.server.scanning import Scanned

STATUS = "resplint/status"
"""A notification to editors that declare `experimental.resplint.status`."""
CLIENTS = "resplint/clients"
"""A request without parameters."""

Message = Mapping[str, object]


def scanning(project: OpenProject) -> Message:
    """A scan began."""
    return {"uri": project.uri, "state": "scanning"}


def idle(project: OpenProject, scanned: Scanned) -> Message:
    """A scan ended well; how many findings of each level there are in the folder."""
    levels = Counter(result.level for results in scanned.results.values() for result in results)
    return {
        "uri": project.uri,
        "state": "idle",
        "findings": {level.value: levels[level] for level in reversed(Level)},
        "files": {"discovered": scanned.report.files_discovered, "analysed": scanned.report.files_analysed},
        "mistake": escape(str(scanned.mistake)) if scanned.mistake is not None else None,
    }


def failed(project: OpenProject, error: Exception) -> Message:
    """A scan ended with an error of ours."""
    return {"uri": project.uri, "state": "failed", "error": escape(f"{type(error).__name__}: {error}")}


def inventory_object(project: OpenProject, inventory: Inventory) -> Message:
    """The clients of one folder, each as in `resplint clients --format json`; paths are relative to the folder."""
    return {"uri": project.uri, "clients": [client_object(entry) for entry in inventory.clients]}
