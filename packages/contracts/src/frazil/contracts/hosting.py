"""How a worker is told of connectors that come and go while it runs: files in its folder.

Such a worker is a host. Each link in its folder `members` leads to a run folder, with an assignment
that it is to take up; a file in a run folder asks for that member's end.
"""

from pydantic import BaseModel, ConfigDict

HOSTING_FILE = "hosting.json"
MEMBERS_FOLDER = "members"
# In the run folder of a member it leads to the folder of its host.
HOST_LINK = "host"
# Beside the folders of connectors, none of which has such a name: a sign of percent is always
# followed by two digits there.
HOSTS_FOLDER = "%hosts"
STOP_FILE = "stop"
KILL_FILE = "kill"


class Hosting(BaseModel):
    """What a host is started for: the connectors of a group, or, with None, one that comes later.

    `memory` is the heap of the driver, `cores` what it works with; one that comes later brings its
    own number of cores.
    """

    model_config = ConfigDict(frozen=True)

    group: str | None = None
    memory: str
    cores: int = 1
