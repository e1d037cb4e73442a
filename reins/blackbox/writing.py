"""Writes an MCAP file that Foxglove and rosbag2 read: whole, or not at all."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mcap.well_known import MessageEncoding, Profile, SchemaEncoding
from mcap.writer import CompressionType, Writer

from reins.blackbox.folder import PARTIAL
from reins.blackbox.ring import Message, in_order
from reins.contracts.errors import ReinsError

METADATA: Final = "reins_blackbox"
"""Name of the metadata record that says why the file was written."""

CHUNK: Final = 1 << 20
"""Messages are compressed in chunks of this size [bytes]."""


NO_QOS: Final = {"offered_qos_profiles": ""}
"""What rosbag2 looks for in a channel; empty, for how it is written differs between ROS 2 distributions."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic on record.

    Attributes:
        kind: message type, e.g. "reins_msgs/msg/RobotState".
        schema: its definition with all that it uses (see `schemas`).
    """

    kind: str
    schema: str


def write(
    path: Path,
    topics: Mapping[str, Topic],
    messages: Mapping[str, tuple[Message, ...]],
    offset: int,
    metadata: Mapping[str, str],
    library: str,
) -> None:
    """Write a file.

    Args:
        path: its name; the folder exists.
        topics: by name; those without messages are written, too.
        messages: of these topics, as `Ring.copy` gives them.
        offset: system time minus steady time [ns]; log times are system time.
        metadata: why and by whom, as text.
        library: who writes, e.g. "reins 0.1.0".

    Raises:
        ReinsError: it cannot be written; nothing is left behind.
    """
    partial = path.with_name(path.name + PARTIAL)
    try:
        with partial.open("wb") as stream:
            writer = Writer(stream, chunk_size=CHUNK, compression=CompressionType.ZSTD)
            writer.start(profile=Profile.ROS2, library=library)
            channels = {name: _channel(writer, name, topic) for name, topic in topics.items()}
            for sequence, (name, message) in enumerate(in_order(messages)):
                stamp = message.stamp + offset
                writer.add_message(channels[name], stamp, message.data, message.sent or stamp, sequence)
            writer.add_metadata(METADATA, dict(metadata))
            writer.finish()
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    except OSError as error:
        raise ReinsError(f"cannot write the black box to {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _channel(writer: Writer, name: str, topic: Topic) -> int:
    schema = writer.register_schema(topic.kind, SchemaEncoding.ROS2, topic.schema.encode())
    return writer.register_channel(name, MessageEncoding.CDR, schema, NO_QOS)
