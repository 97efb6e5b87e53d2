"""What SARIF 2.1.0 (OASIS, section 3) demands of the objects that Pratique writes, as JSON Schema."""

from __future__ import annotations

from typing import Any

import jsonschema_rs

_TEXT = {"type": "string"}
_POSITIVE = {"type": "integer", "minimum": 1}
_INDEX = {"type": "integer", "minimum": -1}
_BAG = {
    "type": "object",
    "properties": {"tags": {"type": "array", "uniqueItems": True, "items": _TEXT}},
    "additionalProperties": True,
}


def _object(required: tuple[str, ...] = (), /, others: str = "", **properties: Any) -> dict[str, Any]:
    """Return a closed object; `others` are properties of the standard that Pratique leaves out."""
    known = {name: {} for name in others.split()} | {"properties": _BAG} | properties
    return {
        "type": "object",
        "required": list(required),
        "properties": known,
        "additionalProperties": False,
    }


def _list(items: dict[str, Any], least: int = 0) -> dict[str, Any]:
    return {"type": "array", "minItems": least, "items": items}


_MESSAGE = _object(("text",), others="markdown id arguments", text=_TEXT)
_MULTIFORMAT = _object(("text",), others="markdown", text=_TEXT)
_REGION = _object(
    ("startLine",),
    others="charOffset charLength byteOffset byteLength snippet message sourceLanguage",
    startLine=_POSITIVE,
    startColumn=_POSITIVE,
    endLine=_POSITIVE,
    endColumn=_POSITIVE,
)
_ARTIFACT = _object(
    ("uri",), others="uriBaseId index description", uri={"type": "string", "format": "uri-reference"}
)
_PHYSICAL = _object(
    ("artifactLocation",), others="address contextRegion", artifactLocation=_ARTIFACT, region=_REGION
)
_LOCATION = _object(
    others="id logicalLocations message annotations relationships", physicalLocation=_PHYSICAL
)
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_DESCRIPTOR = _object(
    ("id",),
    others="deprecatedIds guid deprecatedGuids name deprecatedNames messageStrings relationships helpUri",
    id=_TEXT,
    shortDescription=_MULTIFORMAT,
    fullDescription=_MULTIFORMAT,
    help=_MULTIFORMAT,
    defaultConfiguration=_object(others="enabled rank parameters", level=_LEVEL),
)
_RESULT = _object(
    ("message",),
    others="rule kind analysisTarget guid correlationGuid occurrenceCount partialFingerprints fingerprints"
    " stacks codeFlows graphs graphTraversals suppressions baselineState rank attachments hostedViewerUri"
    " workItemUris provenance fixes taxa webRequest webResponse",
    ruleId=_TEXT,
    ruleIndex=_INDEX,
    level=_LEVEL,
    message=_MESSAGE,
    locations=_list(_LOCATION),
    relatedLocations=_list(_LOCATION),
)
_COMPONENT = _object(
    ("name",),
    others="guid organization product productSuite shortDescription fullDescription fullName version"
    " dottedQuadFileVersion releaseDateUtc downloadUri globalMessageStrings notifications taxa"
    " locations language contents isComprehensive localizedDataSemanticVersion translationMetadata",
    name=_TEXT,
    semanticVersion=_TEXT,
    informationUri={"type": "string", "format": "uri"},
    rules={"type": "array", "uniqueItems": True, "items": _DESCRIPTOR},
)
_RUN = _object(
    ("tool",),
    others="conversion language versionControlProvenance originalUriBaseIds artifacts logicalLocations graphs"
    " automationDetails runAggregates baselineGuid redactionTokens defaultEncoding defaultSourceLanguage"
    " newlineSequences",
    tool=_object(("driver",), others="extensions", driver=_COMPONENT),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results=_list(_RESULT),
    invocations=_list(_object(("executionSuccessful",), executionSuccessful={"type": "boolean"})),
)
LOG: dict[str, Any] = _object(
    ("version", "runs"),
    others="inlineExternalProperties",
    version={"enum": ["2.1.0"]},
    runs=_list(_RUN),
    **{"$schema": {"type": "string", "format": "uri"}},
)


def errors(log: object) -> list[dict[str, str]]:
    """Return where a log breaks the standard, and how."""
    found = jsonschema_rs.Draft202012Validator(LOG, validate_formats=True).iter_errors(log)
    return [{"path": "/".join(map(str, one.instance_path)), "message": one.message} for one in found]
