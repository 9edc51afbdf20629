"""Files that tasks write, and the tables of a Spark session that they are for."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from frazil.spark_sink.records.schema.types import parse_schema
from frazil.spark_sink.tasks.files.data_file import DataFile, data_file_json
from frazil.spark_sink.tasks.files.plan import FilesPlan
from frazil.spark_sink.tasks.partitions import parse_spec
from frazil.worker.bridge import jvm


class JavaTable:
    """An Iceberg table by its Java API."""

    def __init__(self, session: SparkSession, name: str) -> None:
        self.name = name
        self._jvm = jvm(session)
        self._iceberg = self._jvm.org.apache.iceberg
        spark = self._iceberg.spark.Spark3Util
        self.table = spark.loadIcebergTable(session._jsparkSession, name)

    def plan(self) -> FilesPlan:
        schema = json.loads(self._iceberg.SchemaParser.toJson(self.table.schema()))
        spec = json.loads(self._iceberg.PartitionSpecParser.toJson(self.table.spec()))
        columns = parse_schema(schema)
        return FilesPlan(
            schema=columns,
            schema_id=schema["schema-id"],
            spec=parse_spec(spec, columns),
            location=self.table.location(),
            properties=dict(self.table.properties()),
        )

    def data_files(self, plan: FilesPlan, files: Iterable[DataFile]) -> list[Any]:
        """Make Iceberg's own data files of ours: one text for all, one call for each."""
        jackson = self._jvm.org.apache.iceberg.shaded.com.fasterxml.jackson
        feature = jackson.core.JsonParser.Feature.ALLOW_NON_NUMERIC_NUMBERS
        mapper = jackson.databind.ObjectMapper().configure(feature, True)
        text = json.dumps([data_file_json(file, plan.spec) for file in files])
        nodes, specs = mapper.readTree(text), self.table.specs()
        parse = self._iceberg.ContentFileParser.fromJson
        return [parse(nodes.get(index), specs) for index in range(nodes.size())]

    def append(self, plan: FilesPlan, files: Iterable[DataFile]) -> None:
        append = self.table.newAppend()
        for file in self.data_files(plan, files):
            append.appendFile(file)
        append.commit()

    def records(self) -> list[Any]:
        """Read all rows with Iceberg's generic reader, as its records."""
        rows = self._iceberg.data.IcebergGenerics.read(self.table).build()
        try:
            iterator, records = rows.iterator(), []
            while iterator.hasNext():
                records.append(iterator.next())
            return records
        finally:
            rows.close()

    def partition_path(self, record: Any) -> str:
        """Return the folder that Iceberg would write a record to."""
        spec, schema = self.table.spec(), self.table.schema()
        key = self._iceberg.PartitionKey(spec, schema)
        wrapper = self._iceberg.data.InternalRecordWrapper(schema.asStruct())
        key.partition(wrapper.wrap(record))
        return str(spec.partitionToPath(key))

    def metrics_of(self, records: Iterable[Any], path: Path) -> dict[str, Any]:
        """Write records with Iceberg's generic writer, and return what it measures."""
        plain = self._iceberg.encryption.EncryptedFiles.plainAsEncryptedOutput
        output = plain(self._iceberg.Files.localOutput(str(path)))
        factory = self._iceberg.data.GenericFileWriterFactory.Builder(self.table).build()
        writer = factory.newDataWriter(output, self.table.spec(), None)
        for record in records:
            writer.write(record)
        writer.close()
        file = writer.toDataFile()
        return {
            "value_counts": dict(file.valueCounts()),
            "null_value_counts": dict(file.nullValueCounts()),
            "lower_bounds": {key: bytes(v.array()) for key, v in file.lowerBounds().items()},
            "upper_bounds": {key: bytes(v.array()) for key, v in file.upperBounds().items()},
        }
