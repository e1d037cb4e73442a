"""Walks a launch file in order, as upstream does, and collects the processes that it describes.

Elements: launch, arg (with choice), let, group, push_ros_namespace, include, node (with param, remap, env), set_env,
unset_env; every one of them may carry if or unless. Everything else is an error that names file and line: a launch file
must not mean one thing here and another under `ros2 launch`.

Scopes as upstream: a <group> ends what is set in it (variables, environment, namespace) unless scoped="false"; an
<include> shares the scope that it stands in.
"""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import yaml

from reins.contracts.errors import ReinsError, UnknownName
from reins.launching.description import (
    Description,
    NodeProcess,
    check_given,
    read_argument,
)
from reins.launching.document import Element, read_document
from reins.launching.packages import executable
from reins.launching.substitutions import Scope, parse_template

_CONDITIONS: Final = {"if", "unless"}
_TRUE, _FALSE = ("true", "1"), ("false", "0")
_NAMESPACE: Final = "ros_namespace"
_INCLUDE_DEPTH: Final = 20
_PARAM_TYPES: Final[dict[str, type]] = {
    "str": str,
    "bool": bool,
    "int": int,
    "float": float,
}


def evaluate(path: Path, given: Mapping[str, str], environment: Mapping[str, str] | None = None) -> Description:
    """The processes that a launch file describes.

    Args:
        path: the file.
        given: its arguments.
        environment: what the processes inherit; this process's by default.

    Raises:
        ReinsError: an unknown argument, package or executable, an argument that is missing or not among its choices.
        LaunchError: anything in a file that this runner does not understand; names file and line.
    """
    check_given(path, given)
    walk = _Walk(dict(given), dict(os.environ if environment is None else environment))
    walk.file(path)
    return walk.description


class _Walk:
    """One pass over the files, with the variables and the environment at this point."""

    def __init__(self, variables: dict[str, str], environment: dict[str, str]) -> None:
        self.description = Description()
        self._variables, self._environment = variables, environment
        self._depth = 0
        self._visit: Final[dict[str, Callable[[Element], None]]] = {
            "arg": self._arg,
            "let": self._let,
            "group": self._group,
            "include": self._include,
            "node": self._node,
            "push_ros_namespace": self._push_namespace,
            "push-ros-namespace": self._push_namespace,
            "set_env": self._set_env,
            "unset_env": self._unset_env,
        }

    def file(self, path: Path) -> None:
        """All elements of one file."""
        root = read_document(path)
        if root.tag != "launch":
            raise root.error(f"the root element is <{root.tag}>, not <launch>")
        root.check(set(), self._visit)
        self._children(root)

    def _children(self, element: Element) -> None:
        for child in element.children:
            if self._wanted(child):
                self._visit[child.tag](child)

    def _wanted(self, element: Element) -> bool:
        if element.attributes.keys() >= _CONDITIONS:
            raise element.error(f"<{element.tag}> has both if and unless")
        for name in _CONDITIONS & element.attributes.keys():
            value = self._text(element, name).strip().lower()
            if value not in _TRUE + _FALSE:
                raise element.error(f"{name}=\"{element.attributes[name]}\" is '{value}', not true, false, 1 or 0")
            return (value in _TRUE) == (name == "if")
        return True

    def _perform(self, element: Element, text: str) -> str:
        try:
            return parse_template(text).perform(Scope(self._variables, self._environment))
        except ReinsError as error:
            raise element.error(str(error)) from error

    def _text(self, element: Element, name: str) -> str:
        return self._perform(element, element.require(name))

    def _optional(self, element: Element, name: str) -> str | None:
        return self._text(element, name) if name in element.attributes else None

    def _arg(self, element: Element) -> None:
        argument = read_argument(element)
        if argument.name not in self._variables:
            if argument.default is None:
                raise element.error(f"the argument '{argument.name}' must be given ({argument.description})")
            self._variables[argument.name] = self._perform(element, argument.default)
        value = self._variables[argument.name]
        if argument.choices and value not in argument.choices:
            raise element.error(
                str(
                    UnknownName(
                        f"value of the argument {argument.name}",
                        value,
                        argument.choices,
                    )
                )
            )

    def _let(self, element: Element) -> None:
        element.check({"name", "value"} | _CONDITIONS)
        self._variables[self._text(element, "name")] = self._text(element, "value")

    def _set_env(self, element: Element) -> None:
        element.check({"name", "value"} | _CONDITIONS)
        self._environment[self._text(element, "name")] = self._text(element, "value")

    def _unset_env(self, element: Element) -> None:
        element.check({"name"} | _CONDITIONS)
        self._environment.pop(self._text(element, "name"), None)

    def _group(self, element: Element) -> None:
        element.check({"scoped"} | _CONDITIONS, self._visit)
        scoped = element.attributes.get("scoped", "true").lower()
        if scoped not in _TRUE + _FALSE:
            raise element.error(f'scoped="{scoped}" is not true, false, 1 or 0')
        saved = dict(self._variables), dict(self._environment)
        self._children(element)
        if scoped in _TRUE:
            self._variables, self._environment = saved

    def _include(self, element: Element) -> None:
        element.check({"file"} | _CONDITIONS, {"arg"})
        path = Path(self._text(element, "file"))
        values: dict[str, str] = {}
        for child in element.children:
            child.check({"name", "value"})
            values[self._text(child, "name")] = self._text(child, "value")
        if self._depth >= _INCLUDE_DEPTH:
            raise element.error(f"more than {_INCLUDE_DEPTH} includes inside each other: does '{path}' include itself?")
        try:
            check_given(path, values)
        except UnknownName as error:
            raise element.error(str(error)) from error
        self._variables |= values
        self._depth += 1
        self.file(path)
        self._depth -= 1

    def _push_namespace(self, element: Element) -> None:
        element.check({"namespace"} | _CONDITIONS)
        self._variables[_NAMESPACE] = self._absolute(self._text(element, "namespace"))

    def _absolute(self, namespace: str | None) -> str:
        base = self._variables.get(_NAMESPACE, "/")
        if not namespace:
            return base
        joined = namespace if namespace.startswith("/") else f"{base.rstrip('/')}/{namespace}"
        return joined.rstrip("/") or "/"

    def _node(self, element: Element) -> None:
        attributes = {
            "pkg",
            "exec",
            "name",
            "namespace",
            "output",
            "on_exit",
        } | _CONDITIONS
        element.check(attributes, {"param", "remap", "env"})
        package, executable_name = (
            self._text(element, "pkg"),
            self._text(element, "exec"),
        )
        name = self._optional(element, "name")
        namespace = self._absolute(self._optional(element, "namespace"))
        if (on_exit := element.attributes.get("on_exit", "shutdown")) != "shutdown":
            raise element.error(f'on_exit="{on_exit}" is not known (known: shutdown)')
        environment = dict(self._environment)
        for child in element.named("env"):
            child.check({"name", "value"})
            environment[self._text(child, "name")] = self._text(child, "value")
        try:
            program = str(executable(package, executable_name))
        except ReinsError as error:
            raise element.error(str(error)) from error
        command = [program, "--ros-args"]
        if name is not None:
            command += ["-r", f"__node:={name}"]
        command += ["-r", f"__ns:={namespace}"]
        for child in element.named("param"):
            command += self._param(child)
        for child in element.named("remap"):
            child.check({"from", "to"})
            command += ["-r", f"{self._text(child, 'from')}:={self._text(child, 'to')}"]
        self.description.nodes.append(
            NodeProcess(
                name=name or executable_name,
                namespace=namespace,
                command=tuple(command),
                environment=environment,
                required="on_exit" in element.attributes,
                place=f"{element.path}:{element.line}",
            )
        )

    def _param(self, element: Element) -> list[str]:
        if "from" in element.attributes:
            element.check({"from"})
            path = Path(self._text(element, "from"))
            if not path.is_file():
                raise element.error(f"no parameter file '{path}'")
            return ["--params-file", str(path)]
        element.check({"name", "value", "type"})
        if "$(" in (raw := element.require("value")) and raw.lstrip().startswith("["):
            raise element.error("a list with substitutions in it: put it together in a <let>, then use $(var …) here")
        name, text = self._text(element, "name"), self._text(element, "value")
        return [
            "-p",
            f"{name}:={json.dumps(self._value(element, name, text), ensure_ascii=False)}",
        ]

    def _value(self, element: Element, name: str, text: str) -> object:
        """The parameter's value, by the type that the file gives or else as YAML reads it, like upstream."""
        kind = element.attributes.get("type")
        if kind is not None and kind not in _PARAM_TYPES:
            raise element.error(str(UnknownName("parameter type", kind, _PARAM_TYPES)))
        if kind == "str":
            return text
        if kind == "bool" and text in ("0", "1"):
            return text == "1"
        try:
            value = yaml.safe_load(text) if text else ""
        except yaml.YAMLError as error:
            raise element.error(f"the value of parameter '{name}' is not YAML: {text}") from error
        if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        wanted = (bool, int, float, str, list) if kind is None else (_PARAM_TYPES[kind],)
        if not isinstance(value, wanted) or (kind == "int" and isinstance(value, bool)):
            raise element.error(f"the value of parameter '{name}' is '{text}', not {kind or 'a scalar or a list'}")
        return value
