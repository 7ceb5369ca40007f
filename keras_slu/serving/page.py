"""The page where a person tries a served model."""

import base64
import hashlib
import re
from importlib.resources import files


def make_page(name):
    """Gives the page's HTML and the headers to send with it.

    Args:
        name: str. The model's name in the paths.

    Returns:
        `(html, headers)`. The headers let the browser run the page's own
        script and style only, and talk to this server only.
    """
    html = files("keras_slu.serving").joinpath("page.html").read_text("utf-8")
    html = html.replace("{{name}}", name)
    policy = {
        "default-src": "'none'",
        "script-src": _hash(html, "script"),
        "style-src": _hash(html, "style"),
        "img-src": "data:",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return html, {
        "content-security-policy": "; ".join(f"{k} {v}" for k, v in policy.items()),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
    }


def _hash(html, tag):
    """The source expression for what stands in the page's one `<tag>`."""
    content = re.search(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL).group(1)
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
