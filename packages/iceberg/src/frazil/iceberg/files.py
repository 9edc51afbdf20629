"""A FileIO for those who read tables without reading their files."""

from typing import NoReturn

from pyiceberg.io import FileIO


class NoFiles(FileIO):
    """Refuses every file."""

    def new_input(self, location: str) -> NoReturn:
        raise NotImplementedError(f"{location}: files are not read here")

    def new_output(self, location: str) -> NoReturn:
        raise NotImplementedError(f"{location}: files are not written here")

    def delete(self, location: object) -> NoReturn:
        raise NotImplementedError(f"{location}: files are not deleted here")
