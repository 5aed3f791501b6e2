from collections.abc import Iterator

import pytest
from agent_diff import AgentDiff


@pytest.fixture
def sdk(server: str) -> Iterator[AgentDiff]:
    """The public SDK, as it comes from the package index."""
    client = AgentDiff(base_url=server)
    yield client
    client._session.close()


@pytest.fixture
def env(sdk: AgentDiff):
    """An environment made by the SDK as the public documents make it."""
    return sdk.init_env(templateService="slack", templateName="slack_default", impersonateUserId="U01AGENBOT9")
