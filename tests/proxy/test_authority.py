"""`authority`: what lets the proxy read the TLS of its own clients, and who else may use it."""

import re
import ssl
import stat
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from grid.errors import HarnessError
from proxy.authority import Authority
from proxy.trust import certificate_in, remove_certificate
from tests.proxy.bench import private_folder


def test_the_key_is_in_no_file_and_the_folder_is_ours_alone(tmp_path: Path) -> None:
    folder = private_folder(tmp_path)
    authority = Authority(folder)
    assert [path.name for path in folder.rglob("*")] == ["authority", "ca.pem"]
    assert stat.S_IMODE(authority.certificate.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(authority.certificate.stat().st_mode) == 0o600
    written = authority.certificate.read_bytes()
    assert b"PRIVATE" not in written
    assert re.findall(rb"-----BEGIN ([A-Z ]+)-----", written) == [b"CERTIFICATE"]
    key = authority.store.default_privatekey
    numbers = key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    assert numbers not in written


def test_the_certificate_is_that_of_the_key_and_can_be_trusted(tmp_path: Path) -> None:
    authority = Authority(private_folder(tmp_path))
    (found,) = x509.load_pem_x509_certificates(authority.certificate.read_bytes())
    assert found.public_key() == authority.store.default_privatekey.public_key()
    constraints = found.extensions.get_extension_for_class(x509.BasicConstraints)
    assert (constraints.critical, constraints.value.ca) == (True, True)
    context = ssl.create_default_context(cafile=str(authority.certificate))
    assert len(context.get_ca_certs()) == 1


def test_each_proxy_has_its_own_and_takes_away_what_a_killed_one_left(tmp_path: Path) -> None:
    folder = private_folder(tmp_path)
    first = Authority(folder).certificate.read_bytes()
    second = Authority(folder).certificate.read_bytes()
    assert first != second
    remove_certificate(folder)
    remove_certificate(folder)
    assert list(folder.iterdir()) == []


def test_a_certificate_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    folder = private_folder(tmp_path)
    certificate_in(folder).parent.write_text("in its way")
    with pytest.raises(HarnessError, match=r"cannot write .*ca\.pem: File exists"):
        Authority(folder)
