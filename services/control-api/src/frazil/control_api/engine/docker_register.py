"""Which members each host was given, as the notes in the hosts' volumes say."""

from collections.abc import Collection

from frazil.control_api.engine.docker import Daemon, GoneError, TooLargeError
from frazil.control_api.engine.docker_host_spec import NOTES, Note, host_key, notes_in


class Register:
    """Who has sole charge is the only one to write notes, and reads those of a host but once."""

    def __init__(self, daemon: Daemon, installation_key: str) -> None:
        self._daemon = daemon
        self._installation_key = installation_key
        self._notes: dict[str, list[Note]] = {}
        self._sole = False

    def trust(self, *, sole: bool) -> None:
        """Begin or end to believe that nobody else writes."""
        if sole and not self._sole:
            self._notes.clear()
        self._sole = sole

    def key_of(self, salt: str) -> str:
        """Return the key that seals the notes of a host."""
        return host_key(self._installation_key, salt)

    async def notes(self, host: str, salt: str) -> list[Note]:
        """Return the notes that are sealed with the host's key."""
        if not (self._sole and host in self._notes):
            await self._read(host, salt)
        return list(self._notes[host])

    async def noticed(self, host: str, salt: str) -> list[Note]:
        """Return what was known last, also of a host that is gone."""
        if host not in self._notes:
            await self._read(host, salt)
        return list(self._notes[host])

    def add(self, host: str, note: Note) -> None:
        """Note what has been written; of a host that is still to be read it will be found there."""
        if host in self._notes and note not in self._notes[host]:
            self._notes[host].append(note)

    def drop(self, host: str, note: Note) -> None:
        if host in self._notes:
            self._notes[host] = [one for one in self._notes[host] if one != note]

    def keep(self, hosts: Collection[str]) -> None:
        """Forget all other hosts."""
        self._notes = {host: notes for host, notes in self._notes.items() if host in hosts}

    async def _read(self, host: str, salt: str) -> None:
        try:
            found = notes_in(await self._daemon.get(host, NOTES), self.key_of(salt))
        except (GoneError, TooLargeError):
            found = []
        # What was written while it was being read is of those who are believed.
        written = self._notes.get(host, []) if self._sole else []
        self._notes[host] = [*found, *(note for note in written if note not in found)]
