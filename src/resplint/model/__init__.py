"""The solved project: the only thing that checks see."""
