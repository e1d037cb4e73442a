"""The keys of this terminal, to the teleop node of a graph."""

import time
from typing import Final

from rclpy.publisher import Publisher
from reins_msgs.msg import SafetyState
from rich.console import Console
from rich.markup import escape
from rich.status import Status
from std_msgs.msg import String

from reins.contracts.errors import ReinsError
from reins.nodes.client import DISCOVERY, GraphClient
from reins.nodes.qos import LATCHED
from reins.nodes.teleop import KEYS, KEYS_TOPIC
from reins.teleop.mapping import KEY_NAMES, KeyMapping, load_key_mapping
from reins.teleop.terminal import raw_terminal

LOOK: Final = 0.05
"""Time between two looks at what the graph says [s]."""


def drive(namespace: str, console: Console) -> None:
    """Send every key until Ctrl-C; shows the safety monitor's mode.

    Args:
        namespace: of the robot.
        console: where to show it.

    Raises:
        ReinsError: standard input is no terminal, or no teleop node listens.
    """
    with GraphClient(namespace) as client, raw_terminal() as keys:
        publisher = client.node.create_publisher(String, KEYS_TOPIC, KEYS)
        _wait_for_listener(client, publisher)
        for line in key_help(load_key_mapping("keyboard")):
            console.print(escape(line))
        with console.status("") as status:

            def show(message: SafetyState) -> None:
                _show(status, message)

            client.listen(SafetyState, "safety/state", LATCHED, show)
            try:
                while True:
                    for key in keys.read(LOOK):
                        publisher.publish(String(data=key))
                    client.step(0.0)
            except KeyboardInterrupt:
                return


def key_help(mapping: KeyMapping) -> list[str]:
    """What each key does, in lines."""
    motions = [f"{direction.value} {forwards}/{back}" for direction, (forwards, back) in mapping.motion.items()]
    actions = [f"{KEY_NAMES.get(key, key)} {action.value.replace('_', ' ')}" for action, key in mapping.actions.items()]
    return [
        "hold a key to move, let go to hold the robot; Ctrl-C ends",
        f"move    {' · '.join(motions)}",
        f"press   {' · '.join(actions)}",
    ]


def _wait_for_listener(client: GraphClient, publisher: Publisher) -> None:
    end = time.monotonic() + DISCOVERY
    while publisher.get_subscription_count() == 0:
        if time.monotonic() > end:
            raise ReinsError("no teleop node listens to the keyboard; start a graph with `reins up sim`")
        client.step(LOOK)


def _show(status: Status, message: SafetyState) -> None:
    status.update(f"[bold]{message.mode_name}[/] {escape(message.reason)}")
