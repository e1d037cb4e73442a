"""The UR peer's process: `python -m reins.peers.ur ADDRESS PROFILE WORLD SEED [TRAIT …]`."""

import sys
from contextlib import suppress

from reins.hardware.profile import load_profile
from reins.peers.requests import become_prompt
from reins.peers.ur.peer import Peer

if __name__ == "__main__":
    address, profile, world, seed, *traits = sys.argv[1:]
    become_prompt()
    with suppress(KeyboardInterrupt):
        Peer(load_profile(profile), address, world, int(seed), traits).run()
