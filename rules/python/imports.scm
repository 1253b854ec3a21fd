; Where names of other modules come in. The adapter reads names and aliases from the node.

(import_statement) @import.module

(import_from_statement
  module_name: (_) @module) @import.names
