"""The JSON of TF Serving's predict call: requests to arrays, arrays to answers.

Reference: https://www.tensorflow.org/tfx/serving/api_rest
"""

import base64
import json

import numpy as np

DEFAULT_SIGNATURE = "serving_default"


class RestError(Exception):
    """A request that is answered with an HTTP status and `{"error": message}`."""

    def __init__(self, status, message):
        self.status = status
        self.message = message
        super().__init__(message)


def read_request(body):
    """Reads the body of a predict call.

    Args:
        body: bytes.

    Returns:
        `(signature, form, values)`: the signature's name; `"instances"` for
        the row form or `"inputs"` for the column form; what stands under it.

    Raises:
        RestError: a body that is no such JSON.

    Example:

    >>> read_request(b'{"instances": ["play hey jude"]}')
    ('serving_default', 'instances', ['play hey jude'])
    """
    try:
        request = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RestError(400, f"JSON Parse error: {error}") from None
    if not isinstance(request, dict):
        raise RestError(400, "The request is not a JSON object")
    signature = request.get("signature_name", DEFAULT_SIGNATURE)
    if not isinstance(signature, str):
        raise RestError(400, "'signature_name' key must be a string value")
    forms = [form for form in ("instances", "inputs") if form in request]
    if len(forms) != 1:
        raise RestError(400, "Expecting exactly one of the keys 'inputs', 'instances'")
    return signature or DEFAULT_SIGNATURE, forms[0], request[forms[0]]


def read_inputs(form, values, specs):
    """Makes arrays of the values of a request.

    Args:
        form: str. `"instances"` or `"inputs"`.
        values: what the request holds under `form`.
        specs: dict, for each input `(dtype, rank)`: `object` for strings or an
            integer NumPy dtype, and the number of dimensions with the batch.

    Returns:
        dict of arrays; strings become bytes.

    Raises:
        RestError: values that do not fit `specs`.

    Example:

    >>> read_inputs("instances", [[4, 8], [15, 0]], {"token_ids": ("int32", 2)})
    {'token_ids': array([[ 4,  8], [15,  0]], dtype=int32)}
    """
    columns = _columns(values, specs) if form == "instances" else values
    if not _is_object(columns):
        columns = {_only(specs, form): columns}
    if columns.keys() != specs.keys():
        raise RestError(
            400,
            f"'{form}' must have the keys {', '.join(sorted(specs))}. "
            f"Received: {', '.join(sorted(columns)) or 'none'}",
        )
    return {name: _array(name, columns[name], *specs[name]) for name in specs}


def _columns(instances, specs):
    """Turns a list of instances into one list for each input."""
    if not isinstance(instances, list) or not instances:
        raise RestError(400, "'instances' must be a list of at least one value")
    kinds = {_is_object(instance) for instance in instances}
    if len(kinds) > 1:
        raise RestError(400, "'instances' must not mix objects and plain values")
    if kinds == {False}:
        return {_only(specs, "instances"): instances}
    for place, instance in enumerate(instances):
        if instance.keys() != specs.keys():
            raise RestError(
                400,
                f"Failed to process element: {place} of 'instances' list. "
                f"It must have only the keys: {', '.join(sorted(specs))}",
            )
    return {name: [instance[name] for instance in instances] for name in specs}


def _is_object(value):
    return isinstance(value, dict) and not _is_base64(value)


def _is_base64(value):
    return isinstance(value, dict) and list(value) == ["b64"]


def _only(specs, form):
    if len(specs) > 1:
        raise RestError(400, f"'{form}' must be objects, for there are several inputs")
    return next(iter(specs))


def _array(name, value, dtype, rank):
    shape, level = [], value
    for _ in range(rank):
        if not isinstance(level, list):
            raise RestError(400, f"Input '{name}' must be lists of depth {rank}")
        shape.append(len(level))
        level = level[0] if level else []
    leaf = _read_string if dtype is object else _read_integer
    leaves = _leaves(name, value, shape, leaf)
    try:
        return np.array(leaves, dtype).reshape(shape)
    except OverflowError:
        raise RestError(400, f"Input '{name}' is beyond the range of {dtype}") from None


def _leaves(name, value, shape, read):
    """The values of nested lists, in order, checked to fill `shape`."""
    if not shape:
        return [read(name, value)]
    if not isinstance(value, list) or len(value) != shape[0]:
        raise RestError(400, f"Input '{name}' must be lists of equal lengths")
    return [leaf for part in value for leaf in _leaves(name, part, shape[1:], read)]


def _read_string(name, value):
    try:
        if _is_base64(value):
            return base64.b64decode(value["b64"], validate=True)
        return value.encode("utf-8")
    except (AttributeError, TypeError, ValueError):
        raise RestError(
            400, f"Input '{name}' must be valid strings or {{\"b64\": string}}"
        ) from None


def _read_integer(name, value):
    if type(value) is not int:  # a bool is an int in Python, not in JSON
        raise RestError(400, f"Input '{name}' must be integers")
    return value


def write_answer(form, outputs):
    """Writes the answer to a request.

    Args:
        form: str. The request's form.
        outputs: dict of arrays that share the first dimension.

    Returns:
        str of JSON. A float has the digits that give its float32 back, and NaN
        and infinities are written as TF Serving writes them.

    Example:

    >>> outputs = {"tags": np.array([[b"O"]]), "p": np.array([0.1], "float32")}
    >>> write_answer("instances", outputs)
    '{"predictions": [{"p": 0.1, "tags": ["O"]}]}'
    >>> write_answer("inputs", {"p": outputs["p"]})
    '{"outputs": [0.1]}'
    """
    columns = {name: _plain(outputs[name]) for name in sorted(outputs)}
    single = len(columns) == 1  # one output stands without its name
    if form == "inputs":
        answer = {"outputs": next(iter(columns.values())) if single else columns}
    else:
        rows = zip(*columns.values(), strict=True)
        answer = {
            "predictions": [
                row[0] if single else dict(zip(columns, row, strict=True))
                for row in rows
            ]
        }
    return json.dumps(answer, ensure_ascii=False)


def _plain(values):
    """Nested lists of what JSON has."""
    if values.dtype.kind == "f":
        return values.astype(str).astype(np.float64).tolist()
    if values.dtype.kind in "OS":
        text = [value.decode("utf-8", "replace") for value in values.ravel()]
        return np.array(text, object).reshape(values.shape).tolist()
    return values.tolist()
