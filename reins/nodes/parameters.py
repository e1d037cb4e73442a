"""ROS parameters from a pydantic model: name, type, default, bounds and description are written once, in the model."""

from typing import Any, Generic, Literal, TypeVar, get_args, get_origin

import annotated_types
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.node import Node
from rclpy.parameter import Parameter

from reins.contracts.errors import ReinsError, UnknownName

_FLOAT_MAX = 1.7976931348623157e308
_INT_MAX = 2**63 - 1
_RCLPY_OWN = ("use_sim_time", "start_type_description_service", "qos_overrides.")


class Settings(BaseModel):
    """Parameters of one node. Each field is one ROS parameter: `name: type = Field(default, ge=…, description=…)`.

    Types: bool, int, float, str, `Literal["a", "b"]`, `list[str]`, `list[float]`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


SettingsT = TypeVar("SettingsT", bound=Settings)


def reason_of(error: ValidationError) -> str:
    """One sentence about the first thing that is wrong: "parameter 'rate': Input should be greater than 0 (got
    -1.0)"."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"parameter '{where}': {first['msg']} (got {first['input']!r})"


class ParameterTable(Generic[SettingsT]):
    """Declares a node's parameters from its settings model, and reads them back validated.

    A parameter that was given from outside (launch file, command line) with a wrong value or an unknown name does not
    stop the process: `read` raises it, so that configuring the node fails with the reason and can be tried again.

    Args:
        node: the node that owns the parameters.
        model: the settings model.
    """

    def __init__(self, node: Node, model: type[SettingsT]) -> None:
        self._node, self._model = node, model
        self._refused: dict[str, str] = {}
        given = {name: p.value for name, p in node._parameter_overrides.items() if not name.startswith(_RCLPY_OWN)}
        for name, field in model.model_fields.items():
            value = field.default
            if name in given:
                value = self._accepted(name, given.pop(name), field)
            descriptor = _descriptor(name, field)
            node.declare_parameter(name, _plain(value), descriptor, ignore_override=True)
        if given:
            unknown = next(iter(given))
            self._refused[unknown] = str(UnknownName("parameter", unknown, model.model_fields))
        node.add_post_set_parameters_callback(self._on_changed)

    def read(self) -> SettingsT:
        """The values now.

        Raises:
            ReinsError: a value that was given is not valid; names the parameter.
        """
        for reason in self._refused.values():
            raise ReinsError(reason)
        return self._validated({})

    def check(self, changed: list[Parameter]) -> SetParametersResult:
        """Whether these parameters may be set to these values."""
        mine = {p.name: p.value for p in changed if p.name in self._model.model_fields}
        try:
            self._validated(mine)
        except ReinsError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _validated(self, changed: dict[str, Any]) -> SettingsT:
        values = {name: self._node.get_parameter(name).value for name in self._model.model_fields}
        try:
            return self._model.model_validate(values | changed)
        except ValidationError as error:
            raise ReinsError(reason_of(error)) from error

    def _accepted(self, name: str, value: Any, field: FieldInfo) -> Any:
        if field.annotation is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)  # YAML reads "1" as an integer
        try:
            self._model.model_validate({name: value}, strict=not isinstance(value, list))
        except ValidationError as error:
            self._refused[name] = reason_of(error)
            return field.default
        return value

    def _on_changed(self, changed: list[Parameter]) -> None:
        for parameter in changed:
            self._refused.pop(parameter.name, None)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def bounds_of(field: FieldInfo) -> tuple[Any, Any]:
    """Smallest and largest value of a parameter; None where there is no bound."""
    lower: Any = None
    upper: Any = None
    for item in field.metadata:
        if isinstance(item, annotated_types.Ge):
            lower = item.ge
        elif isinstance(item, annotated_types.Gt):
            lower = item.gt
        elif isinstance(item, annotated_types.Le):
            upper = item.le
        elif isinstance(item, annotated_types.Lt):
            upper = item.lt
    return lower, upper


def _descriptor(name: str, field: FieldInfo) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(name=name, description=field.description or "")
    if field.default == []:
        descriptor.dynamic_typing = True  # rclpy cannot tell the type of an empty list; `check` does
    if get_origin(field.annotation) is Literal:
        descriptor.additional_constraints = "one of " + ", ".join(str(choice) for choice in get_args(field.annotation))
    lower, upper = bounds_of(field)
    if lower is None and upper is None:
        return descriptor
    if field.annotation is int:
        descriptor.integer_range = [
            IntegerRange(
                from_value=-_INT_MAX if lower is None else int(lower),
                to_value=_INT_MAX if upper is None else int(upper),
            )
        ]
    elif field.annotation is float:
        descriptor.floating_point_range = [
            FloatingPointRange(
                from_value=-_FLOAT_MAX if lower is None else float(lower),
                to_value=_FLOAT_MAX if upper is None else float(upper),
            )
        ]
    return descriptor
