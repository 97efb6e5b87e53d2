"""A certificate authority for one run: it signs certificates for the hosts whose TLS the proxy terminates."""

from __future__ import annotations

import ipaddress
import ssl
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_LIFE = timedelta(days=1)
_EARLY = timedelta(hours=1)
"""How long ago its certificates became valid: the clock of a guest may differ."""


class EphemeralCA:
    """A certificate authority whose key exists only in this process, for the duration of one run."""

    def __init__(self, name: str = "Pratique, for this run", early: timedelta = _EARLY) -> None:
        self._early = early
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._certificate = self._sign(self._name, self._key.public_key(), None)
        self._contexts: dict[str, ssl.SSLContext] = {}

    @property
    def pem(self) -> str:
        """The root certificate that the guest trusts."""
        return self._certificate.public_bytes(serialization.Encoding.PEM).decode()

    def context(self, host: str) -> ssl.SSLContext:
        """Return the server-side TLS context for a host."""
        if host not in self._contexts:
            self._contexts[host] = self._create_context(host)
        return self._contexts[host]

    def _create_context(self, host: str) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        leaf = self._sign(x509.Name([]), key.public_key(), host)
        pem = leaf.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        with tempfile.TemporaryDirectory(prefix="pratique-") as folder:
            file = Path(folder) / "leaf.pem"
            file.touch(mode=0o600)
            file.write_bytes(pem)
            context.load_cert_chain(file)
        return context

    def _sign(self, name: x509.Name, key: ec.EllipticCurvePublicKey, host: str | None) -> x509.Certificate:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - self._early)
            .not_valid_after(now + _LIFE)
            .add_extension(x509.BasicConstraints(ca=host is None, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False
            )
            .add_extension(_usage(authority=host is None), critical=True)
        )
        if host is not None:
            usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
            names = x509.SubjectAlternativeName([_name_of(host)])
            builder = builder.add_extension(usage, critical=False).add_extension(names, critical=True)
        return builder.sign(self._key, hashes.SHA256())


def _name_of(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority, key_cert_sign=authority, crl_sign=authority,
        content_commitment=False, key_encipherment=False, data_encipherment=False, key_agreement=False,
        encipher_only=False, decipher_only=False,
    )  # fmt: skip
