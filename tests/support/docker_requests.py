"""Requests to the Docker engine that the control API needs, and many that it does not."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from tests.support.control_api import assignment

from frazil.control_api.engine.docker_spec import DockerOptions, create_options

OPTIONS = DockerOptions(
    instance="blue",
    image="frazil-worker:1",
    images=("registry.example:5000/with-oracle:7", "plain"),
    network="lake",
    volumes=("warehouse:/warehouse",),
    memory="4g",
    cpus=4.0,
    environment=(("FRAZIL_LOG_LEVEL", "INFO"),),
)
NAME, WORKER = create_options(assignment("logs", 7), "frazil.spark_sink", OPTIONS)
OURS = {"label": ["frazil.instance=blue", "frazil.connector"]}
HEARD = {"type": ["container"], **OURS}
LISTED = {"all": 1, "limit": -1, "size": 0, "trunc_cmd": 0}


def target(at: str, /, **query: object) -> str:
    return f"/v1.45{at}?{urlencode(query)}"


def filters(value: object) -> str:
    return json.dumps(value)


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(json.dumps(WORKER))
    change(body)
    return body


def host_config(**keys: object) -> dict[str, Any]:
    return changed(lambda body: body["HostConfig"].update(keys))


ALLOWED = [
    ("GET", "/_ping"),
    ("HEAD", "/_ping"),
    ("GET", "/version"),
    ("GET", "/v1.45/version"),
    ("GET", target("/events", since=1763600000.25, filters=filters(HEARD))),
    ("GET", "/v1.45/images/frazil-worker:1/json"),
    ("GET", "/v1.45/images/registry.example:5000/with-oracle:7/json"),
    ("POST", target("/images/create", fromImage="frazil-worker", tag="1")),
    ("POST", target("/images/create", fromImage="registry.example:5000/with-oracle", tag="7")),
    ("POST", target("/images/create", fromImage="plain", tag="latest")),
    ("GET", target("/containers/json", filters=filters(OURS), **LISTED)),
    ("GET", "/v1.45/containers/frazil-logs-1/json"),
    ("GET", target("/containers/c1/logs", stderr=1, stdout=1, timestamps=1, follow=0, tail=1000,
                   since=1763600000.5)),
    ("GET", target("/containers/c1/logs", stderr=1, stdout=1, timestamps=0, follow=1, tail="all")),
    ("GET", target("/containers/c1/archive", path="/run/frazil/worker/status.json")),
    ("PUT", target("/containers/c1/archive", path="/run/frazil")),
    ("POST", "/v1.45/containers/c1/start"),
    ("POST", target("/containers/c1/kill", signal="SIGTERM")),
    ("DELETE", target("/containers/c1", v=True, link=False, force=False)),
]  # fmt: skip


FORBIDDEN = [
    ("GET", "/info"),
    ("GET", "/v1.45/secrets"),
    ("GET", "/v1.45/system/df"),
    ("POST", "/v1.45/build"),
    ("POST", "/v1.45/session"),
    ("POST", "/v1.45/auth"),
    ("POST", "/v1.45/commit?container=c1"),
    ("POST", "/v1.45/volumes/create"),
    ("GET", "/v1.45/volumes"),
    ("DELETE", "/v1.45/volumes/frazil_kafka-data"),
    ("POST", "/v1.45/networks/lake/connect"),
    ("GET", "/v1.45/networks"),
    ("GET", "/v1.45/images/json"),
    ("GET", "/v1.45/images/get?names=frazil-worker:1"),
    ("DELETE", "/v1.45/images/frazil-worker:1"),
    ("POST", "/v1.45/images/load"),
    ("GET", "/v1.45/images/postgres:17/json"),
    ("GET", "/v1.45/images/frazil-worker:1%00/json"),
    ("POST", target("/images/create", fromImage="evil", tag="1")),
    ("POST", target("/images/create", fromImage="frazil-worker", tag="2")),
    ("POST", target("/images/create", fromImage="frazil-worker:1@sha256:0", tag="1")),
    ("POST", target("/images/create", fromSrc="http://evil/x.tar", repo="frazil-worker", tag="1")),
    ("POST", target("/images/create", fromImage="frazil-worker", tag="1", fromSrc="-")),
    ("POST", "/v1.45/containers/c1/exec"),
    ("POST", "/v1.45/exec/e1/start"),
    ("POST", "/v1.45/containers/c1/attach"),
    ("GET", "/v1.45/containers/c1/attach/ws"),
    ("POST", "/v1.45/containers/c1/update"),
    ("POST", "/v1.45/containers/c1/rename?name=kafka"),
    ("POST", "/v1.45/containers/c1/stop"),
    ("POST", "/v1.45/containers/prune"),
    ("GET", "/v1.45/containers/c1/export"),
    ("GET", "/v1.45/containers/c1/changes"),
    ("GET", "/v1.45/containers/c1/top"),
    ("GET", "/containers/../info"),
    ("GET", "/containers/%2e%2e/json"),
    ("GET", "/containers/c1%2farchive/json"),
    ("GET", "//containers/c1/json"),
    ("GET", "/v1.45/containers/c1/json/"),
    ("GET", "/v1.45/containers/c1/json?size=1"),
    ("GET", "/v9/containers/c1/json"),
    ("GET", "http://docker/containers/c1/json"),
    ("CONNECT", "/containers/c1/json"),
    ("GET", target("/containers/json", all=1)),
    ("GET", target("/containers/json", all=1, filters=filters({"label": ["frazil.connector"]}))),
    ("GET", target("/containers/json", filters=filters({"label": ["frazil.instance=green"]}))),
    ("GET", target("/containers/json", filters=filters({"label": {"frazil.instance=blue": 0}}))),
    ("GET", target("/containers/json", filters=filters({**OURS, "name": {"kafka": True}}))),
    ("GET", target("/containers/json", filters="[" * 100_000)),
    ("GET", target("/containers/json", filters=filters(OURS)) + "&filters=%7B%7D"),
    ("GET", target("/events", since=0, filters=filters({"type": ["container"]}))),
    ("GET", target("/events", since=0, filters=filters(OURS))),
    ("GET", target("/events", filters=filters({"type": ["container", "network"], **OURS}))),
    ("GET", target("/containers/c1/archive", path="/etc/passwd")),
    ("GET", target("/containers/c1/archive", path="/run/frazil/../../etc/passwd")),
    ("GET", target("/containers/c1/archive", path="/run/frazil-other/x")),
    ("GET", target("/containers/c1/archive", path="run/frazil")),
    ("GET", target("/containers/c1/archive")),
    ("HEAD", target("/containers/c1/archive", path="/run/frazil")),
    ("PUT", target("/containers/c1/archive", path="/")),
    ("PUT", target("/containers/c1/archive", path="/run/frazil/../..")),
    ("PUT", target("/containers/c1/archive", path="/warehouse")),
    ("PUT", target("/containers/c1/archive", path="/run/frazil", copyUIDGID=1)),
    ("POST", target("/containers/c1/kill", signal="SIGSTOP")),
    ("POST", target("/containers/c1/start", detachKeys="a")),
    ("DELETE", target("/containers/c1", force=True)),
    ("DELETE", target("/containers/c1", v=True, link=True)),
]  # fmt: skip


NOT_CREATED = {
    "another image": changed(lambda body: body.update(Image="postgres:17")),
    "an image of another kind": changed(lambda body: body.update(Image=["frazil-worker:1"])),
    "privileged": host_config(Privileged=True),
    "a capability": host_config(CapAdd=["SYS_ADMIN"]),
    "all capabilities": host_config(CapDrop=[]),
    "a device": host_config(Devices=[{"PathOnHost": "/dev/sda", "PathInContainer": "/dev/sda"}]),
    "a rule for devices": host_config(DeviceCgroupRules=["b *:* rwm"]),
    "a graphics card": host_config(DeviceRequests=[{"Count": -1}]),
    "the host's network": host_config(NetworkMode="host"),
    "another container's network": host_config(NetworkMode="container:kafka"),
    "another network": host_config(NetworkMode="frazil_database"),
    "the host's processes": host_config(PidMode="host"),
    "the host's memory": host_config(IpcMode="host"),
    "the host's name": host_config(UTSMode="host"),
    "the host's users": host_config(UsernsMode="host"),
    "the host's control groups": host_config(CgroupnsMode="host"),
    "a parent of control groups": host_config(CgroupParent="/"),
    "no profile of system calls": host_config(SecurityOpt=["seccomp=unconfined"]),
    "new privileges": host_config(SecurityOpt=[]),
    "the host's files": host_config(Binds=["/:/host"]),
    "the engine's socket": host_config(Binds=["/var/run/docker.sock:/var/run/docker.sock"]),
    "another's volume": host_config(Binds=["frazil_kafka-data:/data"]),
    "a mount": host_config(Mounts=[{"Type": "bind", "Source": "/", "Target": "/host"}]),
    "volumes of another": host_config(VolumesFrom=["kafka"]),
    "a driver of volumes": host_config(VolumeDriver="evil"),
    "a link": host_config(Links=["kafka:x"]),
    "a published port": host_config(PortBindings={"8080/tcp": [{"HostPort": "8080"}]}),
    "all ports published": host_config(PublishAllPorts=True),
    "no bound of memory": host_config(Memory=0),
    "memory of another kind": host_config(Memory=True),
    "swap": host_config(MemorySwap=-1),
    "too much memory": host_config(Memory=8 << 30, MemorySwap=8 << 30),
    "no bound of cpus": host_config(CpuQuota=0),
    "negative cpus": host_config(CpuQuota=-1),
    "cpus of another kind": host_config(CpuQuota=1e5),
    "too many cpus": host_config(CpuQuota=900_000),
    "a shorter period": host_config(CpuPeriod=1000),
    "no bound of processes": host_config(PidsLimit=-1),
    "a root that can be written": host_config(ReadonlyRootfs=False),
    "another restart policy": host_config(RestartPolicy={"Name": "always"}),
    "another log": host_config(LogConfig={"Type": "syslog", "Config": {}}),
    "another runtime": host_config(Runtime="evil"),
    "hosts of its own": host_config(ExtraHosts=["kafka:10.0.0.1"]),
    "kernel settings": host_config(Sysctls={"net.ipv4.ip_forward": "1"}),
    "open paths of the kernel": host_config(MaskedPaths=[]),
    "a larger tmpfs": host_config(Tmpfs={"/other": "size=100g"}),
    "a key that nobody knows": host_config(Nobody=1),
    "a key that nobody knows above": changed(lambda body: body.update(Nobody=1)),
    "no HostConfig": changed(lambda body: body.pop("HostConfig")),
    "HostConfig of another kind": changed(lambda body: body.update(HostConfig=[])),
    "the user root": changed(lambda body: body.update(User="0:0")),
    "another entrypoint": changed(lambda body: body.update(Entrypoint=["sh", "-c"])),
    "an option as program": changed(lambda body: body.update(Cmd=["-c", "/run/frazil/worker"])),
    "more of a command": changed(lambda body: body["Cmd"].append("x")),
    "no command": changed(lambda body: body.pop("Cmd")),
    "a variable": changed(lambda body: body["Env"].append("LD_PRELOAD=/x")),
    "a host name": changed(lambda body: body.update(Hostname="kafka")),
    "an alias": changed(
        lambda body: body.update(
            NetworkingConfig={"EndpointsConfig": {"lake": {"Aliases": ["kafka"]}}}
        )
    ),
    "an exposed port": changed(lambda body: body.update(ExposedPorts={"9092/tcp": {}})),
    "another volume": changed(lambda body: body["Volumes"].update({"/data": {}})),
    "no label": changed(lambda body: body.pop("Labels")),
    "another instance": changed(lambda body: body["Labels"].update({"frazil.instance": "green"})),
    "a label of compose": changed(
        lambda body: body["Labels"].update({"com.docker.compose.project": "frazil"})
    ),
    "a label of another kind": changed(lambda body: body["Labels"].update({"frazil.epoch": 7})),
    "no object": [],
}
