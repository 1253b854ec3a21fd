"""Redis objects of a project: what makes them, the commands they send, the batches they fill."""
