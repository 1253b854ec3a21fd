"""The value-flow graph: where Redis objects go, solved forward from where they come from."""
