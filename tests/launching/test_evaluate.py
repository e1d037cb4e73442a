from collections.abc import Callable
from pathlib import Path

import pytest

from reins.contracts.errors import ReinsError, UnknownName
from reins.launching.description import NodeProcess, declared_arguments, parse_assignments
from reins.launching.document import LaunchError
from reins.launching.evaluate import evaluate

Write = Callable[..., Path]
NODE = '<node pkg="toys" exec="talker" name="talker"/>'


def nodes(path: Path, **given: str) -> list[NodeProcess]:
    return evaluate(path, given, {"HOME": "/home/x"}).nodes


def params(node: NodeProcess) -> dict[str, str]:
    pairs = [node.command[i + 1] for i, word in enumerate(node.command) if word == "-p"]
    return dict(pair.split(":=", 1) for pair in pairs)


def remaps(node: NodeProcess) -> list[str]:
    return [node.command[i + 1] for i, word in enumerate(node.command) if word == "-r"]


def test_a_node_becomes_a_command_line(package: Path, launch_file: Write) -> None:
    path = launch_file(
        '<node pkg="toys" exec="talker" name="t" namespace="left" on_exit="shutdown" output="screen">'
        '<remap from="clock" to="/clock"/><env name="NAME" value="t"/></node>'
    )
    (node,) = nodes(path)
    assert node.command[0] == str(package.parent.parent / "lib/toys/talker")
    assert remaps(node) == ["__node:=t", "__ns:=/left", "clock:=/clock"]
    assert (node.name, node.namespace, node.required) == ("t", "/left", True)
    assert node.environment == {"HOME": "/home/x", "NAME": "t"}


def test_parameter_values_follow_yaml_unless_typed(package: Path, launch_file: Write) -> None:
    path = launch_file(
        '<arg name="factor" default="2"/><node pkg="toys" exec="talker">'
        '<param name="int" value="1"/><param name="float" value="1.5"/><param name="bool" value="true"/>'
        '<param name="text" value="tabletop"/><param name="list" value="[a, b]"/><param name="empty" value=""/>'
        '<param name="one" value="1" type="bool"/><param name="digits" value="1" type="str"/>'
        '<param name="real" value="$(var factor)" type="float"/>'
        "</node>"
    )
    assert params(nodes(path)[0]) == {
        "int": "1",
        "float": "1.5",
        "bool": "true",
        "text": '"tabletop"',
        "list": '["a", "b"]',
        "empty": '""',
        "one": "true",
        "digits": '"1"',
        "real": "2.0",
    }


def test_a_parameter_file_is_passed_on(package: Path, launch_file: Write, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("/**: {ros__parameters: {a: 1}}")
    path = launch_file(f'<node pkg="toys" exec="talker"><param from="{tmp_path}/p.yaml"/></node>')
    assert f"--params-file {tmp_path}/p.yaml" in " ".join(nodes(path)[0].command)


def test_arguments_have_defaults_choices_and_substitutions(package: Path, launch_file: Write) -> None:
    path = launch_file(
        '<arg name="a" default="x" description="the a"/><arg name="b" default="$(var a)y"/>'
        '<arg name="c" default="one"><choice value="one"/><choice value="two"/></arg>'
        '<node pkg="toys" exec="talker"><param name="b" value="$(var b)"/><param name="c" value="$(var c)"/></node>'
    )
    assert params(nodes(path)[0]) == {"b": '"xy"', "c": '"one"'}
    assert params(nodes(path, a="z", c="two")[0]) == {"b": '"zy"', "c": '"two"'}
    first = declared_arguments(path)[0]
    assert (first.name, first.default, first.description) == ("a", "x", "the a")
    with pytest.raises(LaunchError, match=r"no value of the argument c 'three'.*one, two"):
        nodes(path, c="three")


def test_an_argument_that_is_not_declared_is_refused(package: Path, launch_file: Write) -> None:
    path = launch_file(f'<arg name="world" default="x"/>{NODE}')
    with pytest.raises(UnknownName, match="'wrold'; did you mean 'world'"):
        nodes(path, wrold="y")


def test_an_argument_without_default_must_be_given(package: Path, launch_file: Write) -> None:
    path = launch_file(f'<arg name="world" description="which one"/>{NODE}')
    with pytest.raises(LaunchError, match=r"test.launch.xml:2: the argument 'world' must be given \(which one\)"):
        nodes(path)


@pytest.mark.parametrize(("value", "count"), [("true", 1), ("1", 1), (" True ", 1), ("false", 0), ("0", 0)])
def test_if_and_unless(package: Path, launch_file: Write, value: str, count: int) -> None:
    body = '<arg name="on"/><node pkg="toys" exec="talker" {}="$(var on)"/>'
    assert len(nodes(launch_file(body.format("if")), on=value)) == count
    assert len(nodes(launch_file(body.format("unless")), on=value)) == 1 - count


def test_a_group_ends_what_is_set_in_it(package: Path, launch_file: Write) -> None:
    path = launch_file(
        '<arg name="v" default="outer"/><group><let name="v" value="inner"/><set_env name="E" value="1"/>'
        f'<push_ros_namespace namespace="left"/><push-ros-namespace namespace="arm"/>{NODE}'
        '<node pkg="toys" exec="talker"><param name="v" value="$(var v)"/></node></group>'
        '<node pkg="toys" exec="talker"><param name="v" value="$(var v)"/></node>'
    )
    first, second, third = nodes(path)
    assert [node.namespace for node in (first, second, third)] == ["/left/arm", "/left/arm", "/"]
    assert params(second) == {"v": '"inner"'}
    assert params(third) == {"v": '"outer"'}
    assert (first.environment.get("E"), third.environment.get("E")) == ("1", None)


def test_an_unscoped_group_and_an_include_share_their_scope(package: Path, launch_file: Write) -> None:
    inner = launch_file('<arg name="v"/><let name="w" value="$(var v)!"/>', "inner.launch.xml")
    path = launch_file(
        f'<group scoped="false"><include file="{inner}"><arg name="v" value="x"/></include></group>'
        '<node pkg="toys" exec="talker"><param name="w" value="$(var v)$(var w)"/></node>'
    )
    assert params(nodes(path)[0]) == {"w": '"xx!"'}


def test_include_by_package_and_environment(package: Path, launch_file: Write) -> None:
    (package / "inner.launch.xml").write_text(f"<launch>{NODE}</launch>")
    path = launch_file(
        '<set_env name="WHERE" value="inner"/><include file="$(find-pkg-share toys)/$(env WHERE).launch.xml"/>'
        '<unset_env name="WHERE"/><node pkg="toys" exec="talker"/>'
    )
    first, second = nodes(path)
    assert (first.environment.get("WHERE"), second.environment.get("WHERE")) == ("inner", None)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<timer/>", r":2: unknown element <timer> in <launch> \(known: arg, group"),
        ("\n\n<group><executable/></group>", ":4: unknown element <executable> in <group>"),
        (NODE.replace("/>", ' respawn="true"/>'), ":2: <node> has an unknown attribute 'respawn'"),
        (NODE.replace("/>", ' on_exit="explode"/>'), "explode"),
        (NODE.replace("talker", "tolker", 1), ":2: no executable of the ROS package 'toys' 'tolker'; did you mean"),
        (NODE.replace("toys", "toyz"), ":2: no ROS package 'toyz'"),
        (NODE.replace("/>", ' if="maybe"/>'), "'maybe', not true, false"),
        (NODE.replace("/>", ' if="1" unless="1"/>'), "both if and unless"),
        ('<let name="a"/>', ":2: <let> lacks the attribute 'value'"),
        ('<let name="a" value="$(var b)"/>', ":2: no launch variable 'b'"),
        ('<include file="/no/such.launch.xml"/>', "/no/such.launch.xml"),
        ('<node pkg="toys" exec="talker"><param name="a" value="x" type="int"/></node>', "'a' is 'x', not int"),
        ('<node pkg="toys" exec="talker"><param name="a" value="x" type="in"/></node>', "no parameter type 'in'"),
        ('<node pkg="toys" exec="talker"><param name="a" value="{b: 1}"/></node>', "not a scalar or a list"),
        ("<node", "not well-formed XML"),
    ],
)
def test_what_is_not_understood_names_file_and_line(package: Path, launch_file: Write, body: str, problem: str) -> None:
    with pytest.raises(ReinsError, match=problem):
        nodes(launch_file(body))


def test_a_file_that_includes_itself_ends(package: Path, launch_file: Write, tmp_path: Path) -> None:
    path = launch_file(f'<include file="{tmp_path}/test.launch.xml"/>')
    with pytest.raises(LaunchError, match=r"does .* include itself"):
        nodes(path)


def test_assignments() -> None:
    assert parse_assignments(["a:=1", "b:=x:=y", "c:=", "a:=2"]) == {"a": "2", "b": "x:=y", "c": ""}
    with pytest.raises(ReinsError, match="'a=1' is not an argument"):
        parse_assignments(["a=1"])
