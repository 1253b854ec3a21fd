"""Throw broken code at resplint: `python -m fuzzing` (mutations of fixtures), `python -m fuzzing.guided` (by coverage).

Whatever comes in, a scan ends in time, fails nowhere, and points at places that exist.
"""
