"""What a wheel has that a checkout has not: knowledge in the form that is read quickly."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledKnowledge(BuildHookInterface):
    """Adds the file that `resplint.knowledge.compiled` reads."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # the first scan writes it, and again when the rules change
        sys.path.insert(0, str(Path(self.root, "src")))
        try:
            from resplint.knowledge.compiling import compiled  # noqa: PLC0415
        finally:
            sys.path.pop(0)
        target = Path(self.root, "build", "compiled.msgpack")
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(compiled())
        build_data["force_include"][str(target)] = "resplint/_rules/compiled.msgpack"
