"""What went wrong with a call, in one line."""

import httpx


def why(error: Exception) -> str:
    """Take the first line; what ran out of time often says nothing at all."""
    return str(error).partition("\n")[0] or "no answer in time"


def reason(response: httpx.Response) -> str:
    """Take the sentence out of an error body of Connect or of a catalog, or say what came."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if isinstance(body, dict):
        error = body.get("error")
        inner = error if isinstance(error, dict) else body
        if inner.get("message"):
            return str(inner["message"])
    return f"it answered {response.status_code} {response.reason_phrase}"
