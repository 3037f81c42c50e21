"""Orbits: satellites, ground stations, and the delays of paths between stations.

Positions are in the frame of SGP4 (TEME: true equator, mean equinox) in km, and times are seconds
after the epoch of the description.
"""
