"""Refuses what an expression may not do, by the plan that Spark has made of it.

A text cannot be understood without Spark; a plan names each thing by its class.
"""

import json
from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame

from frazil.worker.bridge import jvm, plan_of

_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical."
# What makes one row of each row; anything else sees several, or reads something else.
_PLANS = {f"{_LOGICAL}Project", f"{_LOGICAL}SubqueryAlias"}
_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions."
# Functions that Spark implements by a call of its own classes are allowed, others are not.
_CALL = f"{_EXPRESSIONS}objects.StaticInvoke"
_OWN_CLASSES = "org.apache.spark."
_REFUSED = {
    "CallMethodViaReflection": "calls Java",
    "TryReflect": "calls Java",
    "ApplyFunctionExpression": "calls a function that is not Spark's own",
    "ScalaUDF": "calls a function that is not Spark's own",
    "PythonUDF": "calls a function that is not Spark's own",
    "PythonUDAF": "calls a function that is not Spark's own",
    "PythonUDTF": "calls a function that is not Spark's own",
    "UnresolvedPolymorphicPythonUDTF": "calls a function that is not Spark's own",
    "InputFileName": "asks for a file",
    "InputFileBlockStart": "asks for a file",
    "InputFileBlockLength": "asks for a file",
    "FromAvro": "may read a file",
    "SchemaOfAvro": "may read a file",
    "ToAvro": "may read a file",
    "FromProtobuf": "may read a file",
    "ToProtobuf": "may read a file",
    "XmlToStructs": "may read a file",
    "SchemaOfXml": "may read a file",
    "Exists": "reads another table",
    "ListQuery": "reads another table",
    "InSubquery": "reads another table",
}


class RefusedPlanError(Exception):
    """Says in a few words what an expression does."""


def check_plan(frame: DataFrame, relation: DataFrame) -> None:
    """Raise RefusedPlanError unless the frame is a projection of the relation by harmless means."""
    expressions = jvm(frame.sparkSession).org.apache.spark.sql.catalyst.expressions
    plan, end = plan_of(frame), plan_of(relation)
    while not plan.fastEquals(end):
        name = plan.getClass().getName()
        if name not in _PLANS:
            raise RefusedPlanError(f"needs more than one record ({_simple(name)})")
        # As one, for each call to Java takes its time.
        whole = expressions.CreateStruct.apply(plan.expressions())
        for node in _nodes(json.loads(whole.toJSON())):
            _check(node)
        plan = plan.child()


def _check(node: dict[str, Any]) -> None:
    name = node["class"]
    simple = _simple(name)
    if "Subquery" in simple:
        raise RefusedPlanError("reads another table")
    if simple.startswith("XPath"):
        # Java fetches the definition that a document names, from whichever address.
        raise RefusedPlanError("may fetch what a document names")
    if simple in _REFUSED:
        raise RefusedPlanError(_REFUSED[simple])
    is_own = name.startswith(_EXPRESSIONS)
    if not is_own or (name == _CALL and not str(node["staticObject"]).startswith(_OWN_CLASSES)):
        raise RefusedPlanError(f"calls a function that is not Spark's own ({simple})")


def _nodes(found: Any) -> Iterator[dict[str, Any]]:
    """Find the expressions in what Spark says of one, however deep they are."""
    if isinstance(found, dict):
        if "num-children" in found:
            yield found
        found = list(found.values())
    if isinstance(found, list):
        for part in found:
            yield from _nodes(part)


def _simple(name: str) -> str:
    return name.rpartition(".")[2]
