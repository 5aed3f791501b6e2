"""Finds the shard of a repository that the GitHub twin of an environment hosts: its runs are done there."""

from __future__ import annotations

from contextlib import suppress

from twindiff.catalog import CheckSettingRecord
from twindiff.kit.links import split_url
from twindiff.kit.rows import not_
from twindiff.server.origins import is_loopback_url
from twindiff.server.service import Service
from twindiff.server.shards.routing import shard_of_address


class RepositoryHomes:
    """The repositories of all shards, by their addresses and by the names under which checks were installed."""

    def __init__(self, service: Service) -> None:
        self._whole_catalog = service.whole_catalog
        self._listening = service.ports.listening

    def find_shard(self, repo: str) -> int | None:
        """Return the shard of a repository or pull request, given by its address or name; None for any other text."""
        shard = shard_of_address(repo)
        if shard is None:
            shard = self._find_shard_of_port(repo)
        return self._find_shard_of_name(repo) if shard is None else shard

    def _find_shard_of_port(self, address: str) -> int | None:
        """Return the shard that has opened the port of an address for a twin."""
        with suppress(ValueError):
            port = split_url(address).port
            return self._listening.find_process_of_twin(port) if port and is_loopback_url(address) else None
        return None

    def _find_shard_of_name(self, repo: str) -> int | None:
        """Return the shard of an installed repository, whose name begins the path of its addresses at GitHub."""
        url = split_url(repo)
        name = "/".join(url.path.strip("/").split("/")[:2]) if url.scheme else repo
        where = (CheckSettingRecord.repo == name, not_(CheckSettingRecord.environment_id.is_null()))
        links = self._whole_catalog.records(CheckSettingRecord, *where)
        return shard_of_address(f"/api/env/{links[0].environment_id}") if links else None
