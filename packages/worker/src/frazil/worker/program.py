"""The command line of every kind of worker."""

import sys
from pathlib import Path

from frazil.contracts.assignment import LOG_FILE
from frazil.contracts.hosting import HOSTING_FILE
from frazil.worker.connector import Jobs
from frazil.worker.host import run_host
from frazil.worker.log_bound import bound_log
from frazil.worker.loop import run_worker


def main(package: str) -> None:
    """Run jobs of a package: the one of a run folder, or those that a host's folder links to."""
    match sys.argv[1:]:
        case [name]:
            folder, jobs = Path(name), Jobs(package)
            bound_log(folder / LOG_FILE)
            if (folder / HOSTING_FILE).exists():
                sys.exit(run_host(folder, jobs))
            sys.exit(run_worker(folder, jobs.make))
        case _:
            sys.exit(f"python -m {package} FOLDER")
