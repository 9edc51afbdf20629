"""The source's decisions, as functions of data: no Spark, no Kafka, no files in here."""
