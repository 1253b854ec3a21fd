"""Scans of real packages that use Redis: what resplint says about them, what has changed since the recorded run, and
how often what it says is right.
"""
