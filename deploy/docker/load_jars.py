"""Loads the jars as locked and prints the folder of the broker's.

In the image they are a layer of their own: they change less often than our code.
"""

import sys

from frazil.runtime.jars import JarStore
from frazil.runtime.java import find_java
from frazil.runtime.settings import FrazilSettings

settings = FrazilSettings()
store = JarStore(settings.home)
store.resolve(find_java(settings.java_home), lambda _done, _total: None)
sys.stdout.write(f"{store.folder('broker')}\n")
