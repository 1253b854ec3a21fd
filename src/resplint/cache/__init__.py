"""What one run leaves for the next: sealed entries in a folder outside the scanned tree.

An entry is found under a kind and a key, and whoever asks puts everything into the key that the entry depends on. What
cannot be read, is damaged, or was not written by this installation is as good as not there; what cannot be written is
left. So a cache changes how long a scan takes and nothing else.
"""

from __future__ import annotations

from resplint.cache.folders import CACHE_DIR, CACHE_KEY, UnusableCacheError
from resplint.cache.identity import tool_identity
from resplint.cache.store import Store, Usage, open_store

__all__ = ["CACHE_DIR", "CACHE_KEY", "Store", "UnusableCacheError", "Usage", "open_store", "tool_identity"]
