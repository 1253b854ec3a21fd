"""JavaScript and TypeScript: what comes from other modules, and what a module hands out, in both of their notations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tree_sitter import Node

from resplint.contracts import facts
from resplint.languages.common import named, span
from resplint.languages.javascript_names import HERE, module_text, property_name, required_name
from resplint.languages.javascript_patterns import is_name, targets
from resplint.languages.lowering import Entry, Lowering

_LOADERS: Final = (b"require", b"import")
_VARIABLES: Final = ("lexical_declaration", "variable_declaration")


@dataclass
class Modules:
    """Imports and exports of one file."""

    low: Lowering
    _required: dict[int, str] = field(default_factory=dict)
    """Node id of `require("x")` or `import("x")` -> "x"."""
    _chosen: dict[int, list[str]] = field(default_factory=dict)
    """Node id of `require(test ? "x" : "y")` -> "x" and "y"."""
    _bound: set[int] = field(default_factory=set)
    """Those of them that are bound to a name, which then is the import's."""

    # -- what comes in -------------------------------------------------------------------------------------------------

    def find(self) -> None:
        """Tell the calls that load a module from the other ones."""
        low = self.low
        calls = low.each("expr.call")
        for entry in calls:
            callee = entry.parts["callee"][0]
            if low.source[callee.start_byte : callee.end_byte] in _LOADERS:
                literals = _specifiers(low, entry.parts["arguments"][0])
                if len(literals) == 1:
                    self._required[entry.node.id] = module_text(low, literals[0])
                    low.entries[entry.node.id] = Entry("import.call", entry.node, {"module": literals})
                elif literals:
                    self._chosen[entry.node.id] = [module_text(low, literal) for literal in literals]
                    low.entries[entry.node.id] = Entry("import.choice", entry.node, {"module": literals})
        loaded = self._required.keys() | self._chosen.keys()
        if loaded:
            low.by_main["expr.call"] = [entry for entry in calls if entry.node.id not in loaded]

    def record(self) -> None:
        """Record the import statements."""
        low = self.low
        for entry in low.each("import.module"):
            node = entry.node
            source = node.child_by_field_name("source")
            for clause in named(node):
                if clause.type == "import_clause" and source is not None:
                    self._imports(clause, module_text(low, source))
                elif clause.type == "import_require_clause":
                    module, children = clause.child_by_field_name("source"), named(clause)
                    if module is not None and children:
                        self._import(node, module_text(low, module), "", low.text(children[0]))

    def _imports(self, clause: Node, module: str) -> None:
        low = self.low
        for child in named(clause):
            if child.type == "identifier":
                self._import(child, module, "default", low.text(child))
            elif child.type == "namespace_import":
                self._import(child, module, "", low.text(named(child)[0]) if named(child) else "")
            elif child.type == "named_imports":
                for specifier in named(child):
                    name, alias = self._renamed(specifier)
                    self._import(specifier, module, name, alias)

    def _renamed(self, specifier: Node) -> tuple[str, str]:
        """Name and alias of `a as b`."""
        name, alias = specifier.child_by_field_name("name"), specifier.child_by_field_name("alias")
        own = (property_name(self.low, name) or "") if name is not None else ""
        return own, (property_name(self.low, alias) or "") if alias is not None else own

    def _import(self, at: Node, module: str, name: str, alias: str, scope: int | None = None) -> None:
        block = self.low.regions.block_at(at.start_byte)
        if scope is None:
            scope = self.low.regions.drafts[block].scope_index
        self.low.imports.append(facts.Import(module, name, alias, 0, scope, block, at.start_byte, at.end_byte))

    def bind(self, target: Node, value: Node, scope: int) -> bool:
        """Whether a declaration or assignment does nothing but name what `require` gives; it is recorded then."""
        if not self._required:
            return False
        low = self.low
        value = low.resolve(value)
        name, loaded = "", value
        if value.type == "member_expression":
            inner, member = value.child_by_field_name("object"), value.child_by_field_name("property")
            if inner is not None and member is not None:
                loaded, name = low.resolve(inner), low.text(member)
        module = self._required.get(loaded.id)
        if module is None:
            return False
        if is_name(target):
            self._import(target, module, name, low.text(target), scope)
            self._bound.add(loaded.id)
            return True
        parts = list(targets(low, target))
        if name or any(len(part.path) != 1 or part.is_rest or not is_name(part.node) for part in parts):
            return False
        for part in parts:
            self._import(part.node, module, str(part.path[0]), low.text(part.node), scope)
        self._bound.add(loaded.id)
        return True

    def record_unnamed(self) -> None:
        """Give a name to the modules that are loaded without one."""
        seen: set[str] = set()
        unbound = [(number, module) for number, module in self._required.items() if number not in self._bound]
        unbound += [(number, module) for number, modules in self._chosen.items() for module in modules]
        for number, module in unbound:
            if module not in seen:
                seen.add(module)
                start = self.low.entries[number].node.start_byte
                self.low.imports.append(facts.Import(module, "", required_name(module), 0, 0, 0, start))

    # -- what goes out -------------------------------------------------------------------------------------------------

    def record_exports(self) -> None:
        """Record what the export statements hand out, and let expressions that read exports find them."""
        for entry in self.low.each("export"):
            self._export(entry.node)
        if b"exports" in self.low.source:
            self._read_exports()

    def _export(self, node: Node) -> None:
        low = self.low
        source = node.child_by_field_name("source")
        is_default = any(child.type == "default" for child in node.children)
        declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
        if source is not None:
            self._reexport(node, module_text(low, source))
        elif declaration is not None:
            for name, given in self._declared(declaration):
                self._bind(f"exports.{'default' if is_default else low.text(name)}", name, given)
        elif value is not None:
            self._bind("exports.default", node, low.expr(value))
        elif any(child.type == "=" for child in node.children):
            children = named(node)
            if children:
                self._bind("exports", node, low.expr(children[-1]))
        else:
            for clause in named(node):
                for specifier in named(clause) if clause.type == "export_clause" else ():
                    own, alias = self._renamed(specifier)
                    self._bind(f"exports.{alias}", specifier, low.add(facts.Name(*low.where(specifier), own)))

    def _reexport(self, node: Node, module: str) -> None:
        clauses = [child for child in named(node) if child.type in ("namespace_export", "export_clause")]
        if not clauses:
            self._import(node, module, "*", "*")
        for clause in clauses:
            for child in named(clause):
                if clause.type == "namespace_export":
                    self._import(child, module, "", f"exports.{property_name(self.low, child)}")
                else:
                    name, alias = self._renamed(child)
                    self._import(child, module, name, f"exports.{alias}")

    def _bind(self, exported: str, at: Node, value: int) -> None:
        low = self.low
        block = low.regions.block_at(at.start_byte)
        low.bindings.append(facts.Binding(exported, 0, block, value, "assign", *span(at)))

    def _declared(self, declaration: Node) -> list[tuple[Node, int]]:
        """Names that an exported declaration binds, and the expressions that stand for them outside."""
        low = self.low
        if declaration.type == "ambient_declaration":
            children = named(declaration)
            return self._declared(children[0]) if children and children[0].type != "ambient_declaration" else []
        if declaration.type not in _VARIABLES:
            name = declaration.child_by_field_name("name")
            return [(name, self._local(name))] if name is not None and declaration.type != "internal_module" else []
        found = []
        constant = declaration.children[0].type == "const"
        for declarator in named(declaration):
            name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
            if name is None:
                continue
            typed = declarator.child_by_field_name("type") is not None
            if constant and value is not None and is_name(name) and not typed and not self._is_import(value):
                found.append((name, low.expr(value)))
                continue
            nodes = [target.node for target in targets(low, name) if is_name(target.node)]
            found += [(node, self._local(node)) for node in nodes]
        return found

    def _is_import(self, value: Node) -> bool:
        """Whether a value was recorded as the import of the name it is bound to."""
        value = self.low.resolve(value)
        inner = value.child_by_field_name("object") if value.type == "member_expression" else value
        return inner is not None and self.low.resolve(inner).id in self._bound

    def _local(self, name: Node) -> int:
        return self.low.add(facts.Name(*self.low.where(name), self.low.text(name)))

    def _read_exports(self) -> None:
        """``module.exports.x`` is the same as what it was assigned, also where the module itself uses it."""
        low = self.low
        low.exported.update(binding.name for binding in low.bindings if binding.name.startswith("exports"))


def _specifiers(low: Lowering, arguments: Node) -> list[Node]:
    """What names the module: a literal, one behind the folder of the file, or one for each side of a choice."""
    children = named(arguments) if arguments.type == "arguments" else [arguments]
    given = low.resolve(children[0]) if children else None
    if given is None:
        return []
    if given.type == "ternary_expression":
        sides = [given.child_by_field_name(name) for name in ("consequence", "alternative")]
        found = [literal for side in sides if side is not None for literal in _specifiers(low, side)]
        return found if len(found) == len(sides) else []
    if given.type == "binary_expression":
        left, right = given.child_by_field_name("left"), given.child_by_field_name("right")
        is_here = left is not None and low.text(left) == HERE
        return [right] if is_here and right is not None and right.type == "string" else []
    if given.type not in ("string", "template_string"):
        return []
    if any(child.type == "template_substitution" for child in given.named_children):
        return []
    return [given]
