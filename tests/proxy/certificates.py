"""Certificates for servers of tests: an authority of their own, and what it signs."""

import datetime
import ipaddress
import ssl
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


@dataclass
class TestAuthority:
    """Signs certificates for servers on this machine."""

    __test__ = False  # no test, whatever its name says

    folder: Path
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    def __post_init__(self) -> None:
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority of a test")])
        certificate = (
            _begun(self.name, self.name, self.key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self.key.public_key()), False)
            .add_extension(_usage(signs=True), critical=True)
            .sign(self.key, hashes.SHA256())
        )
        self.file = self.folder / "trusted.pem"
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def server(self, *names: str) -> ssl.SSLContext:
        """Return what a server shows that is called so."""
        key = ec.generate_private_key(ec.SECP256R1())
        own = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "server of a test")])
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        certificate = (
            _begun(own, self.name, key)
            .add_extension(x509.SubjectAlternativeName([_named(name) for name in names]), False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(issuer, critical=False)
            .add_extension(_usage(signs=False), critical=True)
            .sign(self.key, hashes.SHA256())
        )
        file = self.folder / f"{'-'.join(names)}.pem"
        file.write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def _begun(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    unused = dict.fromkeys(
        (
            "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
            "encipher_only", "decipher_only",
        ),
        False,
    )  # fmt: skip
    return x509.KeyUsage(digital_signature=not signs, key_cert_sign=signs, crl_sign=signs, **unused)


def _named(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
