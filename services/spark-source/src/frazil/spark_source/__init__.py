"""The source: a Spark worker that brings data from elsewhere into Kafka topics."""
