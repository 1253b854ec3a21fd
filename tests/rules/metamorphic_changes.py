"""The changes to Java, Kotlin, JavaScript and TypeScript files, by name."""

from __future__ import annotations

from tests.rules.metamorphic import Change
from tests.rules.metamorphic_fields import rename_fields
from tests.rules.metamorphic_helpers import make_in_helper
from tests.rules.metamorphic_layout import (
    add_comments,
    as_typescript,
    byte_order_mark,
    indent_with_tabs,
    reverse_functions,
    swap_quotes,
    windows_lines,
    wrap_in_block,
    wrap_module,
)
from tests.rules.metamorphic_renames import (
    alias_imports,
    drop_imports,
    import_namespaces,
    import_packages,
    qualify_names,
    rename_locals,
)

_EVERYWHERE: dict[str, Change] = {
    "rename-locals": rename_locals,
    "rename-fields": rename_fields,
    "add-comments": add_comments,
    "windows-lines": windows_lines,
    "byte-order-mark": byte_order_mark,
    "indent-with-tabs": indent_with_tabs,
    "make-in-helper": make_in_helper,
    "wrap-in-block": wrap_in_block,
    "reverse-functions": reverse_functions,
}
_SCRIPTS: dict[str, Change] = {
    **_EVERYWHERE,
    "alias-imports": alias_imports,
    "import-namespaces": import_namespaces,
    "swap-quotes": swap_quotes,
    "wrap-module": wrap_module,
}
_JVM: dict[str, Change] = {
    **_EVERYWHERE,
    "qualify-names": qualify_names,
    "drop-imports": drop_imports,
    "import-packages": import_packages,
}

KEEPING: dict[str, dict[str, Change]] = {
    "java": _JVM,
    "kotlin": {**_JVM, "alias-imports": alias_imports},
    "javascript": {**_SCRIPTS, "as-typescript": as_typescript},
    "typescript": _SCRIPTS,
}
"""Changes of each language after which every finding must still be there, on its line, and no new one."""
