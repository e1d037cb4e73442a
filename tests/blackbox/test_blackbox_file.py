"""Files that other people's tools read, written whole or not at all; what is no such file is named in one sentence."""

import os
from pathlib import Path
from typing import Any

import pytest
from blackbox_files import STOP, case, driven_and_stopped, make_file, shares
from mcap.reader import make_reader
from mcap.writer import Writer
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader

from reins.blackbox.case import Case
from reins.blackbox.folder import PARTIAL
from reins.blackbox.reading import read
from reins.blackbox.schemas import schema_text
from reins.blackbox.writing import METADATA, Topic, write
from reins.contracts.errors import ReinsError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return make_file(tmp_path, driven_and_stopped())


def test_foxglove_s_reader_gets_every_message(file: Path) -> None:
    rows = driven_and_stopped()
    with file.open("rb") as stream:
        reader = make_reader(stream, validate_crcs=True, decoder_factories=[DecoderFactory()])
        heard = list(reader.iter_decoded_messages())
    stamps = [item.message.log_time for item in heard]
    assert stamps == sorted(stamps) == [STOP + round(time * 1e9) for _topic, time, _fields in rows]
    assert sorted(item.channel.topic for item in heard) == sorted(f"/{topic}" for topic, _time, _fields in rows)
    safe = [item.decoded_message for item in heard if item.channel.topic == "/command/safe"]
    assert len(safe) == 100 and all(list(message.velocity) == [0.5, 0.0] for message in safe)


def test_rosbag2_s_readers_get_every_message(file: Path) -> None:
    with AnyReader([file]) as bag:
        assert bag.message_count == len(driven_and_stopped())
        kinds = {connection.topic: connection.msgtype for connection in bag.connections}
        assert kinds["/robot_state"] == "reins_msgs/msg/RobotState"
        events: list[Any] = [
            bag.deserialize(raw, connection.msgtype)
            for connection, _stamp, raw in bag.messages()
            if connection.topic == "/safety/events"
        ]
    assert events[-1].reason == "emergency stop by ann: hand in the cell"


def test_the_format_is_what_ros_tools_expect(file: Path) -> None:
    with file.open("rb") as stream:
        reader = make_reader(stream)
        assert reader.get_header().profile == "ros2"
        summary = reader.get_summary()
        assert summary is not None
        assert {schema.encoding for schema in summary.schemas.values()} == {"ros2msg"}
        assert {channel.message_encoding for channel in summary.channels.values()} == {"cdr"}
        assert all("offered_qos_profiles" in channel.metadata for channel in summary.channels.values())
        assert summary.chunk_indexes and all(chunk.compression == "zstd" for chunk in summary.chunk_indexes)
        (record,) = reader.iter_metadata()
    assert record.name == METADATA and record.metadata["reason"] == case().reason
    assert Case.from_metadata(record.metadata) == case()


def test_what_was_recorded_comes_back(tmp_path: Path) -> None:
    about = case(namespace="cell/left")
    recording = read(make_file(tmp_path, driven_and_stopped(), about))
    assert recording.case == about
    assert recording.begin == pytest.approx(-3.0) and recording.end == pytest.approx(0.5)
    assert recording.velocity.array(2).shape == (104, 2)
    assert len(recording.asked["teleop"].times) == len(recording.safe.times) == 100
    assert [mode.mode for mode in recording.modes] == ["ready", "active_teleop", "estop", "estop"]
    assert recording.topics["/cell/left/plan"] == 0


def test_nothing_is_left_of_a_file_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    topic = Topic("reins_msgs/msg/RobotState", schema_text("reins_msgs/msg/RobotState", shares(tmp_path / "share")))
    path = tmp_path / "blackbox.mcap"
    with pytest.raises(ReinsError, match=r"cannot write the black box to .*blackbox\.mcap: No space left on device"):
        write(path, {"/robot_state": topic}, {}, 0, case().as_metadata(), "reins tests")
    assert [p.name for p in tmp_path.iterdir()] == ["share"]


def test_a_file_has_its_name_only_when_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr(os, "fsync", lambda _descriptor: seen.append([p.name for p in tmp_path.glob("blackbox*")]))
    path = make_file(tmp_path, driven_and_stopped())
    assert seen == [[path.name + PARTIAL]]
    assert [p.name for p in tmp_path.glob("blackbox*")] == [path.name]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not an MCAP file: it is empty"),
        (b"Dear diary", "is not an MCAP file"),
        (b"\x89MCAP0\r\n", "is cut short"),
    ],
    ids=["empty", "text", "magic alone"],
)
def test_what_is_no_mcap_file_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "x.mcap"
    path.write_bytes(content)
    with pytest.raises(ReinsError, match=said) as error:
        read(path)
    assert str(path) in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_file_that_is_cut_short_is_named(file: Path, share: float) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    with pytest.raises(ReinsError, match=r"is cut short: it has no end"):
        read(file)


@pytest.mark.parametrize("place", range(5, 100, 7))
def test_whatever_byte_is_broken_there_is_one_sentence_or_an_answer(file: Path, place: int) -> None:
    content = bytearray(file.read_bytes())
    begin = place * len(content) // 100
    content[begin : begin + 40] = bytes(40)
    file.write_bytes(content)
    said = ""
    try:
        read(file)
    except ReinsError as error:
        said = str(error)
    assert said.count("\n") == 0 and (not said or str(file) in said)


def test_a_recording_of_something_else_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start(profile="ros1")
        writer.finish()
    with pytest.raises(ReinsError, match=r"the black box of reins did not write it \(profile 'ros1'\)"):
        read(path)


def test_a_file_of_another_version_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start(profile="ros2")
        writer.add_metadata(METADATA, {"reason": "why"})
        writer.finish()
    with pytest.raises(ReinsError, match=r"other\.mcap is of another version, or damaged: its record of the stop"):
        read(path)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(ReinsError, match=r"cannot read .*gone\.mcap: No such file"):
        read(tmp_path / "gone.mcap")
    with pytest.raises(ReinsError, match=r"cannot read .*directory"):
        read(tmp_path)
