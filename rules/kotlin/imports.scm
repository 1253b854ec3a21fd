; Where names of other files come in.

(package_header
  (qualified_identifier) @name) @package

(import
  (qualified_identifier) @module) @import.names
