"""`python -m frazil.spark_sink RUN_FOLDER`: run the sink that the folder's assignment describes."""

import sys
from pathlib import Path

from frazil.worker.connector import jobs_in
from frazil.worker.loop import run_worker


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(run_worker(Path(sys.argv[1]), jobs_in("frazil.spark_sink")))


if __name__ == "__main__":
    main()
