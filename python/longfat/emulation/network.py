"""The hosts that a scenario needs for programs, and which of its connections these have."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longfat import _engine
from longfat.base.errors import InvalidInput, LongfatError
from longfat.base.suggestions import nearest_or_known
from longfat.emulation.hosts import MOST_HOSTS, Host, Peer
from longfat.scenarios.scenario import Scenario

CLIENT = "client"
SERVER = "server"
"""Names of the ends of the first connection of programs, besides those that the scenario gives."""


@dataclass(frozen=True)
class Network:
    """Hosts with programs; the client is where the command runs."""

    scenario: Scenario
    hosts: list[Host]
    client: Host
    server: Host
    starts_ps: int

    def named(self, name: str) -> Host:
        """Return the host with a name."""
        for host in self.hosts:
            if name in (host.name, *host.names):
                return host
        known = [name for host in self.hosts for name in host.names]
        raise LongfatError(
            f"--host {name}: no host of a program has this name{nearest_or_known(name, known)}"
        )

    def environment(self, host: Host) -> dict[str, str]:
        """Return what a program of a host is told about addresses."""
        other = self.server if host is self.client else self.client
        told = {"CLIENT": self.client, "SERVER": self.server, "HOST": host, "PEER": other}
        return {
            f"LONGFAT_{word}{version}": str(whose.addresses[number].ip)
            for word, whose in told.items()
            for number, version in enumerate(("", "_IPV6"))
        }


def with_programs(scenario: Scenario, *, download: bool = False) -> Scenario:
    """Return the scenario with programs as ends: of its first group, unless it says of which.

    With `download` the program that opens connections is at the receiving end of each.
    """
    resolved = json.loads(scenario.resolved)
    groups = resolved.setdefault("connections", [])
    stacks = [resolved.get("stack"), *(group.get("stack") for group in groups)]
    outside = [stack for stack in stacks if isinstance(stack, dict) and stack["kind"] == "outside"]
    if not outside:
        stack = {"kind": "outside"}
        outside = [stack]
        if not groups:
            groups.append({})
        of_tcp = ("flavor", "tcp", "ecn")
        groups[0] = {key: value for key, value in groups[0].items() if key not in of_tcp}
        groups[0]["stack"] = stack
    if download:
        for stack in outside:
            stack["opened_by"] = "receiver"
    text = json.dumps(resolved).encode()
    return Scenario(_engine.resolve_scenario(text, "scenario.json"))


def network_of(scenario: Scenario) -> Network:
    """Return the hosts of a scenario in which programs are the ends of connections."""
    connections = json.loads(_engine.outside_connections(scenario.resolved))
    if not connections:
        raise InvalidInput(['no connection has programs as its ends; stack = "outside" in a group'])
    hosts: dict[str, Host] = {}
    pairs = set()
    for connection in connections:
        ends = connection["sender"], connection["receiver"]
        if frozenset(ends) in pairs:
            problem = (
                f"two connections of programs join {ends[0]} and {ends[1]}: their packets cannot "
                "be told apart; one carries all that programs there send (count = 1)"
            )
            raise InvalidInput([problem])
        pairs.add(frozenset(ends))
        for name in ends:
            if name not in hosts:
                hosts[name] = Host(name, len(hosts) + 1, connection["mtu"])
        sender, receiver = (hosts[name] for name in ends)
        sender.peers.append(Peer(receiver, connection["connection"], is_sender=True))
        receiver.peers.append(Peer(sender, connection["connection"], is_sender=False))
    if len(hosts) > MOST_HOSTS:
        raise InvalidInput([f"programs on {len(hosts)} hosts; at most {MOST_HOSTS}"])
    first = connections[0]
    client, server = hosts[first["sender"]], hosts[first["receiver"]]
    if not first["is_opened_by_sender"]:
        client, server = server, client
    client.aliases.append(CLIENT)
    server.aliases.append(SERVER)
    return Network(scenario, list(hosts.values()), client, server, first["starts_ps"])


def take_commands(
    network: Network, command: Sequence[str], server: str | None, others: Mapping[str, str]
) -> None:
    """Give each host its command; those of other hosts than the client are for the shell."""
    network.client.command = list(command)
    if server is not None:
        network.server.command = _for_shell(server)
    for name, text in others.items():
        host = network.named(name)
        if host.command is not None:
            raise LongfatError(f"--host {name}: this host has a command already")
        host.command = _for_shell(text)


def _for_shell(text: str) -> list[str]:
    return ["/bin/sh", "-c", text]
