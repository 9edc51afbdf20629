"""ReplaceField: fields are left out, kept or renamed."""

from frazil.contracts.plugins.transforms.chain import Step
from frazil.contracts.plugins.transforms.forms import renamings
from frazil.spark_sink.records.model import Field, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.refusals import refusal
from frazil.spark_sink.records.transforms.schemas import copier, struct_of
from frazil.spark_sink.records.transforms.sides import Fields, FieldsChange, change_fields


def replace_field(step: Step) -> Transform:
    """Compile `exclude`, `include` and `renames`."""
    exclude = frozenset(step.options["exclude"])
    include = frozenset(step.options["include"]) - exclude
    includes_all = not step.options["include"]
    names = renamings(step.options["renames"])
    refuse = refusal(step)

    def replace_map(fields: Fields) -> Fields:
        if includes_all:
            kept = fields.copy()
            for name in exclude:
                kept.pop(name, None)
        else:
            kept = {name: item for name, item in fields.items() if name in include}
        return {names.get(name, name): item for name, item in kept.items()} if names else kept

    def compile_schema(schema: Schema) -> tuple[Schema, FieldsChange]:
        copy = copier(schema, step.options)
        fields = (
            Field(names.get(name, name), inner)
            for name, inner in schema.fields
            if (name not in exclude if includes_all else name in include)
        )
        return struct_of(schema, fields, refuse), lambda struct: replace_map(copy(struct))

    return change_fields(step, "field replacement", replace_map, compile_schema)
