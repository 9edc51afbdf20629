"""ReplaceField: fields are left out, kept or renamed."""

from frazil.contracts.plugins.transforms.chain import Step
from frazil.contracts.plugins.transforms.forms import renamings
from frazil.spark_sink.records.model import Field, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.refusals import refusal
from frazil.spark_sink.records.transforms.schemas import struct_of
from frazil.spark_sink.records.transforms.sides import Fields, FieldsChange, change_fields


def replace_field(step: Step) -> Transform:
    """Compile `exclude`, `include` and `renames`."""
    exclude = frozenset(step.options["exclude"])
    include = frozenset(step.options["include"])
    names = renamings(step.options["renames"])
    fills = step.options["replace.null.with.default"]
    refuse = refusal(step)

    def keeps(name: str) -> bool:
        return name not in exclude and (not include or name in include)

    def replace_map(fields: Fields) -> Fields:
        return {names.get(name, name): item for name, item in fields.items() if keeps(name)}

    def compile_schema(schema: Schema) -> tuple[Schema, FieldsChange]:
        kept = [field for field in schema.fields if keeps(field.name)]
        renamed = [(names.get(name, name), name) for name, _ in kept]
        defaults = [(names.get(name, name), inner.default) for name, inner in kept
                    if fills and inner.default is not None]  # fmt: skip

        def replace_struct(struct: Fields) -> Fields:
            replaced = {new: struct.get(old) for new, old in renamed}
            for new, default in defaults:
                if replaced[new] is None:
                    replaced[new] = default
            return replaced

        fields = (Field(names.get(name, name), inner) for name, inner in kept)
        return struct_of(schema, fields, refuse), replace_struct

    return change_fields(step, "field replacement", replace_map, compile_schema)
