"""The training run behind the class-data archive: one small job, so that later ones start fast."""
