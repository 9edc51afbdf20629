"""Settings of the engine `docker`, for the control API and for the proxy before Docker's socket."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import AliasChoices, Field, field_validator

from frazil.control_api.engine.docker_spec import DockerOptions
from frazil.runtime.settings import AbsolutePath, FrazilSettings, Names


class DockerSettings(FrazilSettings):
    """What the engine `docker` is told; connectors have no say in any of it."""

    docker_host: str = Field(
        default="unix:///var/run/docker.sock",
        validation_alias=AliasChoices("FRAZIL_DOCKER_HOST", "DOCKER_HOST"),
        description="Where the Docker engine listens.",
    )
    docker_image: str = Field(
        default="frazil-worker:0.1.0", description="Image of workers' containers."
    )
    docker_images: Names = Field(
        default=(),
        description="Further images that a connector may choose by `frazil.container.image`, "
        "separated by commas.",
    )
    docker_network: str = Field(
        default="bridge",
        description="Network of workers' containers; this process has to reach it.",
    )
    docker_volumes: Names = Field(
        default=(),
        description="Volumes or folders of the host that every worker gets, such as "
        "`warehouse:/warehouse`, separated by commas.",
    )
    oauthbearer_urls: Names = Field(
        default=(),
        description="Addresses from which Kafka clients of workers may get tokens and keys by "
        "OAUTHBEARER (`sasl.oauthbearer.token.endpoint.url`, `sasl.oauthbearer.jwks.endpoint.url`)"
        ", separated by commas; without it from none.",
    )
    docker_memory: str | None = Field(
        default=None,
        pattern="^[1-9][0-9]*[mg]$",
        description="Most memory that a connector's container may have, such as `4g`.",
    )
    docker_cpus: float | None = Field(
        default=None, gt=0, description="Most processors that a connector's container may use."
    )
    instance: str | None = Field(
        default=None,
        description="Name by which containers are known as ours; by default derived from the "
        "database, so that two installations can share an engine.",
    )

    def docker_options_of(self, instance: str) -> DockerOptions:
        return DockerOptions(
            instance=instance,
            image=self.docker_image,
            images=self.docker_images,
            network=self.docker_network,
            volumes=self.docker_volumes,
            memory=self.docker_memory,
            cpus=self.docker_cpus,
            environment=tuple(self._container_environment()),
        )

    def _container_environment(self) -> Iterator[tuple[str, str]]:
        yield "FRAZIL_LOG_FORMAT", self.log_format
        yield "FRAZIL_LOG_LEVEL", self.log_level
        if self.oauthbearer_urls:
            yield "FRAZIL_OAUTHBEARER_URLS", ",".join(self.oauthbearer_urls)


class DockerProxySettings(DockerSettings):
    """Settings of `python -m frazil.control_api.docker_proxy`.

    Those of the engine have to be the same as the control API's.
    """

    instance: str = Field(description="Name by which containers are known as ours.")
    docker_proxy_socket: AbsolutePath = Field(
        default=Path("/run/docker-proxy/docker.sock"),
        description="Where the proxy listens; processes of its group may connect.",
    )

    @field_validator("docker_host")
    @classmethod
    def _require_a_socket(cls, url: str) -> str:
        if not url.startswith("unix:///"):
            raise ValueError("the proxy stands before an engine's socket, unix:///path")
        return url
