"""`python -m frazil.spark_sink FOLDER`: run the sinks of a run folder or a host's."""

from frazil.worker.program import main

if __name__ == "__main__":
    main("frazil.spark_sink")
