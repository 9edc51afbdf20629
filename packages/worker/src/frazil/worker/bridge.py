"""The doors from Python to the JVM that PySpark keeps private, each named once."""

# ruff: noqa: SLF001
from collections.abc import Callable, Iterator
from typing import Any

from pyspark.errors.exceptions.captured import CapturedException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame
from pyspark.sql.types import StructType
from pyspark.sql.udf import _create_udf
from pyspark.util import PythonEvalType


def jvm(spark: SparkSession) -> Any:
    return spark._jvm


def java_session(spark: SparkSession) -> Any:
    return spark._jsparkSession


def enter_session(spark: SparkSession) -> None:
    """Let the thread at hand know the session, and so its settings; its maker's thread does."""
    jvm(spark).org.apache.spark.sql.classic.SparkSession.setActiveSession(java_session(spark))


def new_array(spark: SparkSession, java_class: Any, length: int) -> Any:
    gateway: Any = spark.sparkContext._gateway
    return gateway.new_array(java_class, length)


def items(java_iterable: Any) -> Iterator[Any]:
    """Go through what Java can iterate over, but Py4J does not know for a collection."""
    iterator = java_iterable.iterator()
    while iterator.hasNext():
        yield iterator.next()


def local_folder(spark: SparkSession) -> str:
    """Return where Spark keeps what it writes to disk on this machine."""
    context = spark.sparkContext._jsc.sc()
    return str(jvm(spark).org.apache.spark.util.Utils.getLocalDir(context.getConf()))


def call_static(spark: SparkSession, class_name: str, method: str) -> Any:
    """Call a static method without arguments that shares its name with another method.

    Py4J looks at one of them only, whichever this Java happens to list first.
    """
    java = jvm(spark).java.lang
    found = java.Class.forName(class_name).getMethod(method, new_array(spark, java.Class, 0))
    return found.invoke(None, new_array(spark, java.Object, 0))


def plan_of(frame: DataFrame) -> Any:
    return frame._jdf.queryExecution().analyzed()


def java_stack(error: CapturedException) -> str:
    """Return the stack of a Java exception with those of its causes."""
    return str(error._stackTrace)


def map_in_arrow(
    frame: DataFrame, function: Callable[..., Any], schema: str | StructType
) -> DataFrame:
    """Make a frame by a function on Arrow's batches; PySpark's own way asks for pandas."""
    udf = _create_udf(function, schema, PythonEvalType.SQL_MAP_ARROW_ITER_UDF)
    columns: Any = udf(*(frame[name] for name in frame.columns))
    made = frame._jdf.mapInArrow(columns._jc, False, None)
    return ClassicDataFrame(made, frame.sparkSession)
