"""Loads the jars as locked, in a layer of their own: they change less often than our code."""

from frazil.runtime.jars import JarStore
from frazil.runtime.java import find_java
from frazil.runtime.settings import FrazilSettings

settings = FrazilSettings()
JarStore(settings.home).resolve(find_java(settings.java_home), lambda _done, _total: None)
