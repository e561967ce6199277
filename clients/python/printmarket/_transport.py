# SPDX-License-Identifier: Apache-2.0
"""Sends requests with the standard library, and retries them where that is safe."""
from __future__ import annotations

import json
import time
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen


class ProblemError(Exception):
    """A response with an error status.

    ``code`` is stable; show ``problem["detail"]`` to people. ``problem`` is the body
    (RFC 9457), or None if the response has none.
    """

    def __init__(self, status: int, problem: dict[str, Any] | None) -> None:
        self.status = status
        self.problem = problem
        self.code: str | None = problem.get("code") if problem else None
        super().__init__(f"{status} {self.code}: {problem.get('detail', problem.get('title'))}" if problem else f"status {status}")


class Transport:
    """Holds the connection settings of a client.

    base_url: address of the API, for example ``https://api.example.com``.
    api_key: ``pmk_test_…`` for the sandbox, ``pmk_live_…`` for production.
    retries: retries of a request that the server could not serve.
    timeout: seconds to wait for a response.
    """

    def __init__(self, base_url: str, api_key: str, *, retries: int = 3, timeout: float = 30) -> None:
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._retries = retries
        self._timeout = timeout

    def _call(self, method: str, path: str, *, body: Any = None, query: dict[str, Any] | None = None,
              header: dict[str, Any] | None = None) -> Any:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        url = self._base_url + path + ("?" + urlencode(given, doseq=True) if given else "")
        headers = {"Authorization": f"Bearer {self._api_key}", "Accept": "application/json"}
        headers.update({name: str(value) for name, value in (header or {}).items() if value is not None})
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        request = Request(url, data=data, headers=headers, method=method)
        safe = method != "POST" or "Idempotency-Key" in headers
        return self._send(request, self._retries if safe else 0)

    def _send(self, request: Request, retries: int) -> Any:
        """Retries 429, 503 and lost connections after ``Retry-After``, at most 60 seconds, or
        after 1, 2, 4 … seconds. A closed capability is 503 without ``Retry-After`` and is
        not retried."""
        attempt = 0
        while True:
            seconds = 2.0**attempt
            try:
                with urlopen(request, timeout=self._timeout) as response:
                    return _decode(response.headers.get_content_type(), response.read())
            except HTTPError as error:
                after = error.headers.get("Retry-After", "")
                if attempt >= retries or error.code not in (429, 503) or not after.isdigit():
                    problem = _decode(error.headers.get_content_type(), error.read())
                    raise ProblemError(error.code, problem if isinstance(problem, dict) else None) from None
                seconds = min(int(after), 60)
            except URLError:
                if attempt >= retries:
                    raise
            time.sleep(seconds)
            attempt += 1


def _decode(media_type: str, content: bytes) -> Any:
    if not content:
        return None
    if media_type.endswith("json"):
        return json.loads(content)
    return content.decode()
