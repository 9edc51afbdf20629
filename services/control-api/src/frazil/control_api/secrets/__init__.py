"""What `${...}` references stand for. Nobody else looks into the places where secrets are."""
