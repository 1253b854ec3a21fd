"""What an application's settings files say: ``application.properties``, ``application.yml``, MicroProfile's file, XML
that describes beans.

They are read as text, and only when somebody asks.
"""

from __future__ import annotations

from resplint.application.index import SettingsIndex
from resplint.application.records import BeanSetting, Setting

__all__ = ["BeanSetting", "Setting", "SettingsIndex"]
