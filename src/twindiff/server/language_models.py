"""A client for a language model behind an endpoint compatible with OpenAI's or Anthropic's API, if one is configured.
`TWINDIFF_MODEL` names the model. The usual variables say where it is: `ANTHROPIC_BASE_URL` and `ANTHROPIC_API_KEY`, or
else `OPENAI_BASE_URL` and `OPENAI_API_KEY`. Without `TWINDIFF_MODEL` no request is ever sent.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from twindiff.kit.errors import ApiError

Json = dict[str, Any]

RESPONSE_SECONDS = 120.0
"""Seconds that a model may take to respond."""
MAX_TOKENS = 16_000


class ModelFailed(ApiError):
    """The model gave no answer that can be used."""

    status = 502


class ModelSettings(NamedTuple):
    """The name, URL, headers and dialect of a model."""

    name: str
    url: str
    headers: Mapping[str, str]
    is_anthropic: bool

    async def answer(self, system: str, said: list[Json]) -> str:
        """Return the model's reply to a conversation of `{role, content}` messages; raises ModelFailed."""
        body: Json = {"model": self.name, "messages": [{"role": "system", "content": system}, *said]}
        if self.is_anthropic:
            body = {"model": self.name, "max_tokens": MAX_TOKENS, "system": system, "messages": said}
        import httpx  # see webhook_client.py

        try:
            async with httpx.AsyncClient(timeout=RESPONSE_SECONDS) as http:
                answer = await http.post(self.url, headers=self.headers, json=body)
            if not answer.is_success:
                raise ModelFailed(f"{self.url} answered {answer.status_code}: {answer.text[:300]}")
            return self._text(answer.json())
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise ModelFailed(f"{self.url} gave no answer that can be read: {error}") from None

    def _text(self, answer: Any) -> str:
        try:
            if self.is_anthropic:
                return "".join(part["text"] for part in answer["content"] if part["type"] == "text")
            return str(answer["choices"][0]["message"]["content"])
        except (KeyError, IndexError, TypeError) as error:
            kind = "Anthropic" if self.is_anthropic else "OpenAI"
            raise ModelFailed(f"{self.url} does not answer as {kind} does: {error!r}") from None


def configured_model(given: Mapping[str, str] = os.environ) -> ModelSettings | None:
    """The model configured by environment variables; None without `TWINDIFF_MODEL`."""
    name = given.get("TWINDIFF_MODEL")
    if not name:
        return None
    if "ANTHROPIC_BASE_URL" in given or ("ANTHROPIC_API_KEY" in given and "OPENAI_BASE_URL" not in given):
        base = given.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com").rstrip("/")
        headers = {"x-api-key": given.get("ANTHROPIC_API_KEY", ""), "anthropic-version": "2023-06-01"}
        return ModelSettings(name, f"{base}/v1/messages", headers, is_anthropic=True)
    base = given.get("OPENAI_BASE_URL", "https://api.openai.com/v1").rstrip("/")
    headers = {"Authorization": f"Bearer {given.get('OPENAI_API_KEY', 'none')}"}
    return ModelSettings(name, f"{base}/chat/completions", headers, is_anthropic=False)
