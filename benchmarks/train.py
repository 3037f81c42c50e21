"""Training runs for profile-guided optimization: `make wheel` builds the engine twice.

They are the scenarios whose instructions are counted, and those of the peers, with each driver.
"""

from pathlib import Path

import longfat

HERE = Path(__file__).parent

for scenario in sorted([*HERE.glob("scenarios/*.toml"), *HERE.glob("peers/*.toml")]):
    work = longfat.run(scenario)["work"]
    longfat.run(scenario, driver="events")
    print(f"{scenario.stem}: {work['packet_hops']:,} packet-hops, {work['driver']}")
