"""The ROS 2 package `reins`: what colcon and pip install, and where."""

from pathlib import Path

from setuptools import find_packages, setup

NODES = ("robot", "safety", "skills", "planner", "perception", "teleop", "supervisor", "blackbox", "camera")
SIMULATION = ("sim_cameras", "sim_viewer")
LAUNCH_FILES = sorted(str(path) for path in Path("launch").glob("*.launch.xml"))

setup(
    name="reins",
    version="0.1.0",
    packages=find_packages(include=["reins", "reins.*"]),
    package_data={
        "reins": [
            *("**/*.yaml", "**/*.onnx", "**/*.gguf", "**/*.json", "**/*.md", "**/*.xml", "**/*.html", "**/*.j2"),
            *("**/*.urdf", "**/*.png", "py.typed"),
        ]
    },
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/reins"]),
        ("share/reins", ["package.xml"]),
        ("share/reins/launch", LAUNCH_FILES),
    ],
    entry_points={
        "console_scripts": [
            "reins = reins.cli:main",
            *(f"{node} = reins.nodes.start:{node}" for node in (*NODES, *SIMULATION)),
        ],
    },
    zip_safe=False,
)
