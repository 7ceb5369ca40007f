"""The REST calls of TF Serving, and a page to try them, as one application."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse
from starlette.responses import Response
from starlette.routing import Route

from keras_slu.serving.page import make_page
from keras_slu.serving.rest import RestError


@dataclass(frozen=True)
class Limits:
    """What requests may cost.

    Args:
        body_bytes: int. A longer body is refused with 413.
        body_seconds: float. A body that takes longer to come, with 408.
        requests: int. Predict calls at a time; more are refused with 503.
        answer_seconds: float. An answer that takes longer, its waiting for
            others included, becomes 504.
    """

    body_bytes: int = 1 << 20
    body_seconds: float = 10.0
    requests: int = 128
    answer_seconds: float = 30.0


def make_app(model, name, limits):
    """Makes the ASGI application.

    Args:
        model: `ServedModel`. It is called in one thread of its own; the other
            calls are answered meanwhile.
        name: str. The model's name in the paths.
        limits: `Limits`.
    """
    calls = _Calls(model, name, limits)
    routes = [Route("/", calls.page)]
    for path in ("/v1/models/{name}", "/v1/models/{name}/versions/{version:int}"):
        routes += [
            Route(path + ":predict", calls.predict, methods=["POST"]),
            Route(path + "/metadata", calls.metadata),
            Route(path, calls.status),
        ]
    return Starlette(
        routes=routes,
        exception_handlers={
            RestError: _refused,
            HTTPException: _no_such_call,
            ClientDisconnect: _client_gone,
            Exception: _fault,
        },
    )


class _Calls:
    """The handlers of the calls, and how many predict calls are under way."""

    def __init__(self, model, name, limits):
        self.model = model
        self.name = name
        self.limits = limits
        self.running = 0
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="model")
        self.html, self.page_headers = make_page(name)

    async def page(self, request):
        return HTMLResponse(self.html, headers=self.page_headers)

    async def status(self, request):
        name, version = self._asked(request)
        if name != self.name:
            raise RestError(404, f"Could not find any versions of model {name}")
        if version != self.model.version:
            raise RestError(404, f"Could not find version {version} of model {name}")
        state = {
            "version": str(version),
            "state": "AVAILABLE",
            "status": {"error_code": "OK", "error_message": ""},
        }
        return _json({"model_version_status": [state]})

    async def metadata(self, request):
        self._check_served(request)
        spec = {
            "name": self.name,
            "signature_name": "",
            "version": str(self.model.version),
        }
        signatures = {"signature_def": self.model.metadata}
        return _json({"model_spec": spec, "metadata": {"signature_def": signatures}})

    async def predict(self, request):
        self._check_served(request)
        if self.running >= self.limits.requests:
            raise RestError(503, f"{self.running} requests are under way")
        self.running += 1
        try:
            return await self._predict(request)
        finally:
            self.running -= 1

    async def _predict(self, request):
        limits = self.limits
        try:
            body = await asyncio.wait_for(self._body(request), limits.body_seconds)
        except asyncio.TimeoutError:
            raise RestError(
                408, f"The body took longer than {limits.body_seconds:g} s"
            ) from None
        answer = asyncio.get_running_loop().run_in_executor(
            self.thread, self.model.answer, body
        )
        try:
            answer = await asyncio.wait_for(answer, limits.answer_seconds)
        except asyncio.TimeoutError:
            raise RestError(
                504, f"The answer took longer than {limits.answer_seconds:g} s"
            ) from None
        return Response(answer, media_type="application/json")

    async def _body(self, request):
        body, length = bytearray(), 0
        async for chunk in request.stream():
            length += len(chunk)
            # The rest of a body that is too long is read and dropped: many
            # clients read no answer before they have sent everything.
            if length <= self.limits.body_bytes:
                body += chunk
        if length > self.limits.body_bytes:
            raise RestError(
                413, f"The body is longer than {self.limits.body_bytes} bytes"
            )
        return bytes(body)

    def _check_served(self, request):
        asked = self._asked(request)
        if asked != (self.name, self.model.version):
            name, version = asked
            asked = (
                f"Specific({name}, {version})"
                if "version" in request.path_params
                else f"Latest({name})"
            )
            raise RestError(404, f"Servable not found for request: {asked}")

    def _asked(self, request):
        """The model and version that the path names."""
        path = request.path_params
        return path["name"], path.get("version", self.model.version)


def _json(content):
    return Response(json.dumps(content, indent=1), media_type="application/json")


def _error(status, message):
    # What is left of a body that was not waited for must not be read as the
    # next request.
    headers = {"connection": "close"} if status == 408 else None
    return Response(
        json.dumps({"error": message}),
        status,
        headers=headers,
        media_type="application/json",
    )


async def _refused(request, error):
    return _error(error.status, error.message)


async def _no_such_call(request, error):
    path = request.url.path
    if path.startswith("/v1/"):
        return _error(400, f"Malformed request: {request.method} {path}")
    return _error(error.status_code, error.detail)


async def _client_gone(request, error):
    return _error(499, "The client has gone")  # nobody reads it


async def _fault(request, error):
    return _error(500, f"{type(error).__name__}: {error}")
