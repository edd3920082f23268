"""Facets as the application gives them, made what OpenLineage asks for: with ``_producer`` and ``_schemaURL``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from headwater.shared.facets import PRODUCER_KEY, SCHEMA_URL_KEY

from ._encode import openlineage_dict

Kind = Literal["run", "job", "dataset", "input", "output"]

_SPEC = "https://openlineage.io/spec/"
EVENT_SCHEMA_URL = _SPEC + "2-0-2/OpenLineage.json#/$defs/RunEvent"
_BASES: dict[Kind, str] = {
    "run": "RunFacet",
    "job": "JobFacet",
    "dataset": "DatasetFacet",
    "input": "InputDatasetFacet",
    "output": "OutputDatasetFacet",
}

_STANDARD: dict[tuple[Kind, str], tuple[str, str]] = {
    ("run", "environmentVariables"): ("1-0-0", "EnvironmentVariablesRunFacet"),
    ("run", "errorMessage"): ("1-0-1", "ErrorMessageRunFacet"),
    ("run", "executionParameters"): ("1-0-0", "ExecutionParametersRunFacet"),
    ("run", "externalQuery"): ("1-0-2", "ExternalQueryRunFacet"),
    ("run", "extractionError"): ("1-1-2", "ExtractionErrorRunFacet"),
    ("run", "jobDependencies"): ("1-0-1", "JobDependenciesRunFacet"),
    ("run", "nominalTime"): ("1-0-1", "NominalTimeRunFacet"),
    ("run", "parent"): ("1-2-0", "ParentRunFacet"),
    ("run", "processing_engine"): ("1-1-1", "ProcessingEngineRunFacet"),
    ("run", "tags"): ("1-0-0", "TagsRunFacet"),
    ("run", "test"): ("1-0-1", "TestRunFacet"),
    ("job", "documentation"): ("1-1-0", "DocumentationJobFacet"),
    ("job", "jobType"): ("2-0-4", "JobTypeJobFacet"),
    ("job", "lineage"): ("1-0-0", "LineageFacet"),
    ("job", "ownership"): ("1-0-1", "OwnershipJobFacet"),
    ("job", "sourceCode"): ("1-0-1", "SourceCodeJobFacet"),
    ("job", "sourceCodeLocation"): ("1-1-0", "SourceCodeLocationJobFacet"),
    ("job", "sql"): ("1-1-0", "SQLJobFacet"),
    ("job", "tags"): ("1-0-0", "TagsJobFacet"),
    ("dataset", "catalog"): ("1-1-0", "CatalogDatasetFacet"),
    ("dataset", "columnLineage"): ("1-2-0", "ColumnLineageDatasetFacet"),
    ("dataset", "dataQualityMetrics"): ("1-0-0", "DataQualityMetricsDatasetFacet"),
    ("dataset", "dataSource"): ("1-0-1", "DatasourceDatasetFacet"),
    ("dataset", "datasetType"): ("1-0-1", "DatasetTypeDatasetFacet"),
    ("dataset", "documentation"): ("1-1-0", "DocumentationDatasetFacet"),
    ("dataset", "hierarchy"): ("1-0-0", "HierarchyDatasetFacet"),
    ("dataset", "lifecycleStateChange"): ("1-0-1", "LifecycleStateChangeDatasetFacet"),
    ("dataset", "lineage"): ("1-0-0", "LineageFacet"),
    ("dataset", "ownership"): ("1-0-1", "OwnershipDatasetFacet"),
    ("dataset", "schema"): ("1-2-0", "SchemaDatasetFacet"),
    ("dataset", "storage"): ("1-0-1", "StorageDatasetFacet"),
    ("dataset", "symlinks"): ("1-0-1", "SymlinksDatasetFacet"),
    ("dataset", "tags"): ("1-0-0", "TagsDatasetFacet"),
    ("dataset", "version"): ("1-0-1", "DatasetVersionDatasetFacet"),
    ("input", "dataQualityAssertions"): ("1-1-0", "DataQualityAssertionsDatasetFacet"),
    ("input", "dataQualityMetrics"): ("1-0-3", "DataQualityMetricsInputDatasetFacet"),
    ("input", "inputStatistics"): ("1-0-0", "InputStatisticsInputDatasetFacet"),
    ("output", "outputStatistics"): ("1-0-2", "OutputStatisticsOutputDatasetFacet"),
}
"""Version and definition of the standard facets (OpenLineage's spec/facets), so that a dict gets its own schema."""

_LINEAGE_DEFS: dict[Kind, str] = {"job": "LineageJobFacet", "dataset": "LineageDatasetFacet"}
_OWN = {
    "headwater_attempt": "urn:headwater:facet:HeadwaterAttemptRunFacet:1-0-0",
    "headwater_commit": "urn:headwater:facet:HeadwaterCommitOutputDatasetFacet:1-0-0",
    "headwater_position": "urn:headwater:facet:HeadwaterPositionInputDatasetFacet:1-0-0",
    "headwater_withdrawal": "urn:headwater:facet:HeadwaterWithdrawalDatasetFacet:1-0-0",
    "headwater_want": "urn:headwater:facet:HeadwaterWantDatasetFacet:1-0-0",
    "headwater_wants": "urn:headwater:facet:HeadwaterWantsRunFacet:1-0-0",
    "headwater_queued": "urn:headwater:facet:HeadwaterQueuedRunFacet:1-0-0",
    "headwater_dep_miss": "urn:headwater:facet:HeadwaterDepMissRunFacet:1-0-0",
    "headwater_bad": "urn:headwater:facet:HeadwaterBadDatasetFacet:1-0-0",
}


def schema_url(kind: Kind, name: str) -> str:
    """The facet's own schema if it is a standard one, else that of every facet of its kind."""
    if own := _OWN.get(name):
        return own
    standard = _STANDARD.get((kind, name))
    if standard is None:
        return f"{_SPEC}2-0-2/OpenLineage.json#/$defs/{_BASES[kind]}"
    version, file = standard
    return f"{_SPEC}facets/{version}/{file}.json#/$defs/{_LINEAGE_DEFS.get(kind, file) if name == 'lineage' else file}"


def facet(kind: Kind, name: str, value: object, producer_uri: str) -> dict[str, Any] | None:
    """A facet from a mapping or from one of openlineage-python's facet objects. None stays None.

    Raises TypeError for anything else.
    """
    if value is None:
        return None
    if hasattr(type(value), "__attrs_attrs__"):
        value = openlineage_dict(value)
    if not isinstance(value, Mapping):
        raise TypeError(f"facet {name!r} is a {type(value).__name__}: give a dict or an openlineage-python facet")
    return {PRODUCER_KEY: producer_uri, SCHEMA_URL_KEY: schema_url(kind, name), **value}


def facets(kind: Kind, given: Mapping[str, object] | None, producer_uri: str) -> dict[str, Any]:
    """Each facet of a mapping as ``facet`` makes it."""
    return {str(name): facet(kind, str(name), value, producer_uri) for name, value in (given or {}).items()}
