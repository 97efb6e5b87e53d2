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

    def sign(self, file: str, name: str, organization: str = "", hosts: tuple[str, ...] = ()) -> None:
        """Make a certificate of loopback, and of further hosts, for a name."""
        parts = [x509.NameAttribute(NameOID.COMMON_NAME, name)]
        if organization:
            parts.insert(0, x509.NameAttribute(_ORGANIZATION, organization))
        key = rsa.generate_private_key(65537, 2048)
        self._write(file, self._built(x509.Name(parts), key, hosts).sign(self._key, hashes.SHA256()), key)

    def _built(
        self, name: x509.Name, key: rsa.RSAPrivateKey, hosts: tuple[str, ...] = ()
    ) -> x509.CertificateBuilder:
        now, authority = dt.datetime.now(dt.UTC), name is self._name
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        subject = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        names = [_host(one) for one in ("localhost", "127.0.0.1", *hosts)]
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
            # Python 3.13 verifies that these are there
            .add_extension(_usage(authority), critical=True)
            .add_extension(subject, critical=False)
            .add_extension(signer, critical=False)
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


def _usage(authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=True,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=authority,
        crl_sign=authority,
        encipher_only=False,
        decipher_only=False,
    )


def _host(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
