"""The certificates of a cluster on loopback: an authority, and one for each server and client."""

from __future__ import annotations

import datetime as dt
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

_ORGANIZATION = NameOID.ORGANIZATION_NAME


class Authority:
    """Signs certificates, and writes them into a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = rsa.generate_private_key(65537, 2048)
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "pratique-tests")])
        self._write("ca", self._built(self._name, self._key).sign(self._key, hashes.SHA256()), self._key)

    def sign(self, file: str, name: str, organization: str = "") -> None:
        """Make a certificate of loopback for a name."""
        parts = [x509.NameAttribute(NameOID.COMMON_NAME, name)]
        if organization:
            parts.insert(0, x509.NameAttribute(_ORGANIZATION, organization))
        key = rsa.generate_private_key(65537, 2048)
        self._write(file, self._built(x509.Name(parts), key).sign(self._key, hashes.SHA256()), key)

    def _built(self, name: x509.Name, key: rsa.RSAPrivateKey) -> x509.CertificateBuilder:
        now, authority = dt.datetime.now(dt.UTC), name is self._name
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=1))
            .not_valid_after(now + dt.timedelta(days=30))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
        )

    def _write(self, file: str, certificate: x509.Certificate, key: rsa.RSAPrivateKey) -> None:
        pem = serialization.Encoding.PEM
        private = key.private_bytes(
            pem, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        )
        (self._folder / f"{file}.crt").write_bytes(certificate.public_bytes(pem))
        secret = self._folder / f"{file}.key"
        secret.touch(0o600)
        secret.write_bytes(private)
