"""HTTP only: Kafka Connect's routes, bodies and errors. No decisions are taken here."""
