"""The sink's decisions, as functions of data: no Spark, no Kafka, no tables in here."""
