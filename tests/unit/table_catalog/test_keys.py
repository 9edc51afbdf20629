from collections.abc import Callable
from pathlib import Path

import pytest

from frazil.table_catalog.access.key_file import KeyFile, open_keys
from frazil.table_catalog.core.errors import BadKeysFileError, ForbiddenError
from frazil.table_catalog.core.keys import Keyring
from frazil.table_catalog.core.rights import Action

KEYS = """
[sink]
secret = "sink-secret"
write = ["lake/logs"]

[people]
secret_env = "PEOPLE"
read = ["lake", "pond/*"]

[provisioner]
secret_file = "provisioner"
admin = true
"""


def write(file: Path, text: str, *, mode: int = 0o600) -> Path:
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "provisioner", "provisioner-secret\n")
    return tmp_path


@pytest.fixture
def file(folder: Path) -> Path:
    return write(folder / "keys.toml", KEYS)


def opened(file: Path) -> KeyFile:
    return open_keys(file, {"PEOPLE": "people-secret"})


def complaint(text: str) -> str:
    with pytest.raises(BadKeysFileError) as caught:
        Keyring.parse(text, lambda _kind, _name: "secret-from-elsewhere")
    return caught.value.message


def test_secrets_stand_in_the_file_or_in_the_environment_or_in_a_file_beside_it(file: Path) -> None:
    keyring = opened(file).content
    secrets = {key_id: key.secret for key_id, key in keyring.keys.items()}
    assert secrets == {
        "sink": "sink-secret",
        "people": "people-secret",
        "provisioner": "provisioner-secret",
    }


def test_every_key_has_its_rights(file: Path) -> None:
    keyring = opened(file).content
    sink, people, provisioner = (
        keyring.find(name).principal for name in ("sink", "people", "provisioner")
    )
    assert sink.may(Action.WRITE, "lake", ("logs",))
    assert not sink.may(Action.WRITE, "lake", ("other",))
    assert people.may(Action.READ, "pond", ("any",))
    assert not people.may(Action.WRITE, "pond", ("any",))
    assert provisioner.may(Action.ADMIN, "lake")


def test_a_key_that_is_not_there_is_refused_by_name(file: Path) -> None:
    with pytest.raises(ForbiddenError, match="the access key is not known: nobody"):
        opened(file).content.find("nobody")


def test_secrets_are_not_in_what_is_printed(file: Path) -> None:
    assert "secret" not in repr(opened(file).content).replace("secret_", "")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_file_that_others_can_read_is_refused(folder: Path, mode: int) -> None:
    with pytest.raises(BadKeysFileError, match="others may read it"):
        opened(write(folder / "keys.toml", KEYS, mode=mode))


def test_a_file_that_is_not_there_is_refused(folder: Path) -> None:
    with pytest.raises(BadKeysFileError, match="cannot be read: FileNotFoundError"):
        opened(folder / "nowhere.toml")


@pytest.mark.parametrize("reference", ['secret_env = "NO"', 'secret_file = "no"'])
def test_a_reference_to_nothing_is_refused(folder: Path, reference: str) -> None:
    with pytest.raises(BadKeysFileError, match=r"no variable NO|secret file no cannot be read"):
        opened(write(folder / "keys.toml", f"[sink]\n{reference}"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[a]\nsecret = "hush-hush', "it is not TOML, at "),
        ('a = "hush-hush"', '"a" has to be a table of'),
        ('[a]\nsecret = "hush-hush"\nrights = 1', '"a" has to be a table of'),
        ("[a]\nread = []", '"a" needs one of'),
        ('[a]\nsecret = "hush-hush"\nsecret_env = "A"', '"a" needs one of'),
        ("[a]\nsecret = 12345678", '"a" needs one of'),
        ('[a]\nsecret = "hush"', "less than 8 characters"),
        ('[a]\nsecret = "hush-hush"\nread = "lake"', 'read of "a" is no list'),
        ('[a]\nsecret = "hush-hush"\nwrite = ["/logs"]', 'write of "a": a right names'),
        ('[a]\nsecret = "hush-hush"\nadmin = "yes"', 'admin of "a" is neither'),
    ],
)
def test_every_mistake_has_its_sentence_without_the_secret(text: str, why: str) -> None:
    assert why in complaint(text)
    assert "hush" not in complaint(text)


async def test_a_changed_file_is_taken_over(file: Path) -> None:
    keys = opened(file)
    write(file, '[new]\nsecret = "new-secret"')
    await keys.reread()
    assert set(keys.content.keys) == {"new"}


@pytest.mark.parametrize(
    "spoil",
    [lambda file: write(file, "[broken"), lambda file: file.chmod(0o644), Path.unlink],
    ids=["text", "mode", "away"],
)
async def test_a_file_that_became_unusable_changes_nothing(
    file: Path, spoil: Callable[[Path], object]
) -> None:
    keys = opened(file)
    spoil(file)
    await keys.reread()
    assert set(keys.content.keys) == {"sink", "people", "provisioner"}
