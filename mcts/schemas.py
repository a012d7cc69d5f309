"""Whether plain data fits a JSON Schema, as far as a protocol engine needs one to describe itself.

Words of a schema that are not known here ask for nothing.
"""

from __future__ import annotations

from typing import Any

#: what a type of JSON Schema is in plain data; bytes stand for text in base64
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str, bytes), "boolean": (bool,), "null": (type(None),),
    "integer": (int,), "number": (int, float),
}


def misfit(value: object, schema: Any) -> str | None:
    """Where and why the value does not fit; None: it fits."""
    try:
        return differs(value, schema, schema, "result")
    except (AttributeError, KeyError, TypeError, RecursionError) as error:
        return f"the schema cannot be read: {type(error).__name__}: {error}"


def differs(value: Any, schema: Any, root: Any, path: str) -> str | None:
    if "$ref" in schema:
        return differs(value, target(root, schema["$ref"]), root, path)
    if "anyOf" in schema:
        fits = any(differs(value, each, root, path) is None for each in schema["anyOf"])
        return None if fits else f"{path} fits none of {len(schema['anyOf'])} choices"
    if "type" in schema and not is_of(value, schema["type"]):
        return f"{path} is no {schema['type']}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{path} is none of {schema['enum']}"
    if isinstance(value, int | float) and not (
            schema.get("minimum", value) <= value <= schema.get("maximum", value)):
        return f"{path} is out of its range"
    return next((found for part, of, place in inside(value, schema, path)
                 if (found := differs(part, of, root, place)) is not None), missing(value, schema, path))


def target(root: Any, reference: str) -> Any:
    """What `#/$defs/Name` points to."""
    for name in reference.split("/")[1:]:
        root = root[name]
    return root


def is_of(value: object, kind: str) -> bool:
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def missing(value: Any, schema: Any, path: str) -> str | None:
    lost = [name for name in schema.get("required", ()) if isinstance(value, dict) and name not in value]
    return f"{path}.{lost[0]} is missing" if lost else None


def inside(value: Any, schema: Any, path: str) -> list[tuple[Any, Any, str]]:
    """The parts of a map or a list with their schemas and places."""
    if isinstance(value, list):
        return [(each, schema["items"], f"{path}[{index}]") for index, each in enumerate(value)
                if isinstance(schema.get("items"), dict)]
    if not isinstance(value, dict):
        return []
    known, others = schema.get("properties", {}), schema.get("additionalProperties")
    return [(each, known.get(name, others), f"{path}.{name}") for name, each in value.items()
            if isinstance(known.get(name, others), dict)]
