"""Starting to use resplint in a project: what is there, which files it needs, and what to do next."""

from __future__ import annotations

from resplint.starter.plan import Plan, Step, make_plan
from resplint.starter.survey import Survey, survey

__all__ = ["Plan", "Step", "Survey", "make_plan", "survey"]
