"""`python -m frazil.spark_source RUN_FOLDER`: run the source of the folder's assignment."""

import sys
from pathlib import Path

from frazil.worker.connector import jobs_in
from frazil.worker.loop import run_worker


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(run_worker(Path(sys.argv[1]), jobs_in("frazil.spark_source")))


if __name__ == "__main__":
    main()
