; Where names of other modules come in, and what this one hands out. The adapter reads both from the node, and finds
; `require("…")` and `import("…")` among the calls.

(import_statement) @import.module

(export_statement) @export
