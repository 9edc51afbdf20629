"""`python -m frazil.spark_source FOLDER`: run the sources of a run folder or a host's."""

from frazil.worker.program import main

if __name__ == "__main__":
    main("frazil.spark_source")
