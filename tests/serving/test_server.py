"""The socket that the server listens at."""

import pytest

from keras_slu.errors import InputError
from keras_slu.serving.server import listen


def test_a_port_that_is_taken_is_told():
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(InputError, match=f"cannot listen at 127.0.0.1:{port}"):
            listen("127.0.0.1", port)


def test_an_address_of_another_machine_is_told():
    with pytest.raises(InputError, match="192.0.2.1"):
        listen("192.0.2.1", 0)


def test_a_name_that_is_no_host_is_told():
    with pytest.raises(InputError, match="no host"):
        listen("no host", 0)
