"""The SDK's messages and Cyclone DDS, imported when they are first needed."""

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from reins.contracts.errors import ReinsError

INSTALL: Final = "run `./run setup go2`, or `pip install --no-deps cyclonedds==11.0.1 unitree-sdk2py-dimos==1.0.3`"
"""What to do about it."""

MESSAGES: Final = ("unitree_go.msg.dds_", "unitree_api.msg.dds_", "default")
"""Modules of the SDK's messages."""

PARTS: Final = ("core", "domain", "pub", "sub", "topic", "qos")
"""Modules of Cyclone DDS."""


@dataclass(frozen=True, slots=True)
class Library:
    """What the driver needs of both packages.

    Attributes:
        core, domain, pub, sub, topic, qos: modules of Cyclone DDS.
        low: the SDK's messages of the motors, LowCmd_ and LowState_.
        api: its messages of services, Request_, Response_ and their parts.
        defaults: makes messages that are filled with zeros.
        checksum: of a message that has one, as the robot computes it.
    """

    core: ModuleType
    domain: ModuleType
    pub: ModuleType
    sub: ModuleType
    topic: ModuleType
    qos: ModuleType
    low: ModuleType
    api: ModuleType
    defaults: ModuleType
    checksum: Any


def load_library() -> Library:
    """Both packages.

    Raises:
        ReinsError: one is not installed; says how to install it.
    """
    try:
        core, domain, pub, sub, topic, qos = (import_module(f"cyclonedds.{name}") for name in PARTS)
        low, api, defaults = (import_module(f"unitree_sdk2py.idl.{name}") for name in MESSAGES)
        checksum = import_module("unitree_sdk2py.utils.crc").CRC().Crc
    except (ImportError, OSError) as error:  # OSError: the SDK's own library is not for this machine
        raise ReinsError(f"the driver 'go2' needs cyclonedds and unitree-sdk2py-dimos ({error}); {INSTALL}") from None
    return Library(core, domain, pub, sub, topic, qos, low, api, defaults, checksum)
