"""Fewer triangles for pictures: software rendering pays for every one of them."""

from typing import Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from reins.hardware.robot import FloatArray

CELL: Final = 0.004
"""Vertices in the same cell of this size become one [m]; about what a pixel of the overhead camera covers."""

WORTH_IT: Final = 1000
"""Meshes with fewer triangles stay as they are."""

KEY: Final = np.array([1, 1 << 20, 1 << 40], dtype=np.int64)
"""Packs a cell's three whole numbers into one."""


def simplify_meshes(spec: mujoco.MjSpec) -> None:
    """Replace the large meshes of `spec` by coarser ones. Compiles the model once to read them."""
    model = spec.compile()
    for index in range(model.nmesh):
        first, count = model.mesh_faceadr[index], model.mesh_facenum[index]
        if count < WORTH_IT:
            continue
        start, size = model.mesh_vertadr[index], model.mesh_vertnum[index]
        rotation = np.empty(9)
        mujoco.mju_quat2Mat(rotation, model.mesh_quat[index])
        original = model.mesh_vert[start : start + size] @ rotation.reshape(3, 3).T + model.mesh_pos[index]
        vertices, faces = cluster(original, model.mesh_face[first : first + count], CELL)
        dense = spec.mesh(model.mesh(index).name)
        lean = spec.add_mesh(name=f"{dense.name}_lean", inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
        lean.uservert, lean.userface = vertices.ravel(), faces.ravel()
        for geom in spec.geoms:
            if geom.meshname == dense.name:
                geom.meshname = lean.name
        spec.delete(dense)


def cluster(vertices: FloatArray, faces: NDArray[np.int32], cell: float) -> tuple[FloatArray, NDArray[np.int32]]:
    """Merge vertices that lie in the same cell of a grid to their mean, and drop the triangles that collapse.

    Args:
        vertices: (v, 3) [m].
        faces: (f, 3) vertex indices.
        cell: edge of a cell [m].

    Returns:
        Fewer vertices and faces; every vertex moves by less than the cell's diagonal.
    """
    cells = np.floor((vertices - vertices.min(axis=0)) / cell).astype(np.int64)
    _, group = np.unique(cells @ KEY, return_inverse=True)
    number = np.bincount(group)
    merged = np.stack([np.bincount(group, weights=vertices[:, axis]) / number for axis in range(3)], axis=1)
    corners = group[faces]
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (a != c)]
    used, renumbered = np.unique(corners, return_inverse=True)
    return merged[used], renumbered.reshape(-1, 3).astype(np.int32)
