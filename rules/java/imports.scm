; The package, and where names of other packages come in. The adapter reads the names from the node.

(package_declaration
  [
    (identifier)
    (scoped_identifier)
  ] @name) @package

(import_declaration) @import.names
