"""The HTTP server below the application."""

import socket

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from keras_slu.errors import InputError

HEAD_SECONDS = 10  # for the head of a request to come
SHUTDOWN_SECONDS = 5  # for the requests under way


def listen(host, port):
    """Gives a socket that listens; port 0 is any free one.

    Raises:
        InputError: an address that cannot be had.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise InputError(
            f"cannot listen at {host}:{port} ({error.strerror})",
            "Name another --host or --port.",
        ) from None


def make_server(app):
    """Gives the `uvicorn.Server` of an ASGI application, ready to run."""
    config = uvicorn.Config(
        app,
        http=TimedProtocol,
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    return uvicorn.Server(config)


class TimedProtocol(H11Protocol):
    """Closes a connection on which the head of a request comes too slowly.

    uvicorn itself waits for ever, and a client could hold any number of
    connections open with a byte now and then.
    """

    head_timer = None

    def connection_made(self, transport):
        super().connection_made(transport)
        self._watch_head()

    def data_received(self, data):
        super().data_received(data)
        self._watch_head()

    def _watch_head(self):
        if self.conn.their_state is not h11.IDLE:  # the head has come
            if self.head_timer is not None:
                self.head_timer.cancel()
                self.head_timer = None
        elif self.head_timer is None:
            self.head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)
