"""Changes put into a table by Spark's own MERGE, in a transaction that nobody sees yet (ADR 25).

Whether it rewrites files, writes position deletes or deletion vectors, the table says, by its
version and `write.merge.mode`.
"""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from frazil.spark_sink.catalog import FILES_CATALOG
from frazil.worker.bridge import java_session, jvm, plan_of


class Merge:
    """A transaction for one MERGE, to be committed once, or dropped."""

    def __init__(self, spark: SparkSession, transaction: Any, branch: str) -> None:
        self._spark = spark
        self._java = jvm(spark)
        self._branch = branch
        self.transaction = transaction
        # The transaction's own table cannot be read; one that stands on its metadata can.
        staged = transaction.table()
        self._table = self._java.org.apache.iceberg.BaseTable(staged.operations(), staged.name())
        self._before = self.head

    def run(self, statement: str, changes: DataFrame) -> None:
        """Run a MERGE of `changes` into `target`, words that stand for this table and frame."""
        session = java_session(self._spark)
        plan = session.sessionState().sqlParser().parsePlan(statement)
        logical = self._java.org.apache.spark.sql.catalyst.plans.logical
        target, source = plan.targetTable(), plan.sourceTable()
        merge = logical.MergeIntoTable(
            logical.SubqueryAlias(target.identifier(), self._relation()),
            logical.SubqueryAlias(source.identifier(), plan_of(changes)),
            plan.mergeCondition(),
            plan.matchedActions(),
            plan.notMatchedActions(),
            plan.notMatchedBySourceActions(),
            plan.withSchemaEvolution(),
        )
        self._java.org.apache.spark.sql.classic.Dataset.ofRows(session, merge)

    def _relation(self) -> Any:
        spark = self._java.org.apache.iceberg.spark
        target = spark.source.SparkTable.create(self._table, self._branch)
        option = self._java.scala.Option
        # Rows are put in order by partition; Spark finds transforms such as `days` in a catalog.
        manager = java_session(self._spark).sessionState().catalogManager()
        functions = option.apply(manager.catalog(FILES_CATALOG))
        v2 = self._java.org.apache.spark.sql.execution.datasources.v2
        # Without an identifier: Spark could load a table by it, and that would not be this one.
        return v2.DataSourceV2Relation.create(target, functions, option.empty())

    @property
    def head(self) -> int | None:
        """The snapshot that the transaction leaves the branch at."""
        snapshot = self._table.snapshot(self._branch)
        return None if snapshot is None else int(snapshot.snapshotId())

    def delete_files(self) -> None:
        """Delete what was written, for the transaction is not going to be committed."""
        if self.head == self._before:
            return
        snapshot, io = self._table.snapshot(self._branch), self._table.io()
        for added in (snapshot.addedDataFiles(io), snapshot.addedDeleteFiles(io)):
            for file in list(added):
                io.deleteFile(file.location())
