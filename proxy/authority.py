"""The certificate authority of one proxy process: what lets it read the TLS of its own clients.

Made when the proxy starts, in memory, and gone with the process: the key is in no file, so nobody
can read it, hand it on or leave it behind, however the process ends. On disk is only the
certificate, which a client has to trust, in a folder of mode 0700; it is taken away when the proxy
ends, by `proxy.launch` where the proxy could not (see `proxy.trust`).

A client gets a certificate for the host that its tunnel leads to, whatever name it asks for; and
that host's own certificate is what the upstream has to show. So nobody reaches one host under the
name of another.
"""

import os
from pathlib import Path

from mitmproxy.addons.tlsconfig import TlsConfig
from mitmproxy.certs import Cert, CertStore, DHParams, create_ca, dummy_crl
from mitmproxy.tls import TlsData

from grid.errors import HarnessError
from proxy.trust import certificate_in, remove_certificate

_NAME = "nonverba recording proxy"
_KEY_BITS = 2048


class Authority:
    """The authority of this process."""

    def __init__(self, directory: Path) -> None:
        """Make it, and write its certificate into a folder in `directory`.

        Raises:
            HarnessError: the certificate cannot be written.
        """
        key, certificate = create_ca(organization=_NAME, cn=_NAME, key_size=_KEY_BITS)
        found = Cert(certificate)
        self.store = CertStore(key, found, None, dummy_crl(key, certificate), DHParams(b""))
        """Signs what clients get."""
        self.certificate = certificate_in(directory)
        """File with the certificate, for clients to trust."""
        remove_certificate(directory)  # of a proxy that was killed
        try:
            self.certificate.parent.mkdir(mode=0o700)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(self.certificate, flags, 0o600), "wb") as file:
                file.write(found.to_pem())
        except OSError as error:
            raise HarnessError(f"cannot write {self.certificate}: {error.strerror}") from error


class ClientTls:
    """TLS towards clients inside of tunnels."""

    def __init__(self, authority: Authority) -> None:
        """Let mitmproxy's own addon sign with an authority; its other hooks are not called."""
        self._stock = TlsConfig()
        self._stock.certstore = authority.store

    def tls_start_client(self, tls_start: TlsData) -> None:
        """Set up TLS to a client, as the host that its tunnel leads to."""
        address = tls_start.context.server.address
        if address is not None:
            tls_start.context.client.sni = address[0]
        self._stock.tls_start_client(tls_start)
