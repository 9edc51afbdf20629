"""nginx before a server on loopback, if it is installed."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

# Debian keeps it where the PATH of users does not lead.
_PATH = "/usr/sbin:/usr/local/sbin"
_CONFIG = """
daemon off;
worker_processes 1;
pid nginx.pid;
error_log error.log warn;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_max_body_size 0;
  client_body_temp_path body; proxy_temp_path proxy;
  fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  proxy_http_version 1.1;
  proxy_request_buffering off;
  server {{
    listen 127.0.0.1:{kept};
    location / {{
      proxy_pass http://127.0.0.1:{behind};
      proxy_set_header Host $http_host;
      proxy_set_header Connection "";
    }}
  }}
  server {{
    listen 127.0.0.1:{changed};
    location / {{ proxy_pass http://127.0.0.1:{behind}; }}
  }}
  server {{
    listen 127.0.0.1:{without_port};
    location / {{ proxy_pass http://127.0.0.1:{behind}; proxy_set_header Host $host; }}
  }}
}}
"""


def find_nginx() -> str | None:
    return shutil.which("nginx") or shutil.which("nginx", path=_PATH)


@contextmanager
def running(binary: str, folder: Path, **ports: int) -> Iterator[None]:
    """Serve `behind` on three ports: with its Host kept, changed, and without its port."""
    config = folder / "nginx.conf"
    config.write_text(_CONFIG.format(**ports), encoding="utf-8")
    log = folder / "error.log"
    command = [binary, "-p", str(folder), "-c", str(config), "-e", str(log)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait(ports["kept"], log)
            yield
        finally:
            process.terminate()


def _wait(port: int, log: Path) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"nginx does not serve: {log.read_text() if log.exists() else 'no log'}")
