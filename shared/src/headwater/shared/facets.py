"""Names of facets that headwater reads or writes. Source: OpenLineage's spec/facets; ``headwater_*`` are our own."""

from __future__ import annotations

# Run facets
NOMINAL_TIME = "nominalTime"
PARENT = "parent"
ERROR_MESSAGE = "errorMessage"
EXTERNAL_QUERY = "externalQuery"
EXTRACTION_ERROR = "extractionError"
PROCESSING_ENGINE = "processing_engine"
ENVIRONMENT_VARIABLES = "environmentVariables"
TAGS = "tags"
"""Also of jobs and datasets."""
ATTEMPT = "headwater_attempt"
"""``logicalKey``: what work this run is an attempt at."""
WANTS = "headwater_wants"
"""``wants``: ids of the wants that this run is scheduled for."""
QUEUED = "headwater_queued"
"""On an event of type OTHER: the run waits to be started."""
DEP_MISS = "headwater_dep_miss"
"""On ABORT or FAIL: the run lacked ``missing`` partitions, and asks for them by ``wants``."""

# Job facets
DOCUMENTATION = "documentation"
"""Also of datasets."""
SOURCE_CODE = "sourceCode"
SOURCE_CODE_LOCATION = "sourceCodeLocation"
SQL = "sql"
OWNERSHIP = "ownership"
"""Also of datasets."""
JOB_TYPE = "jobType"
LINEAGE = "lineage"
"""The explicit edges; of a job or of a dataset."""

# Dataset facets
SCHEMA = "schema"
DATA_SOURCE = "dataSource"
LIFECYCLE_STATE_CHANGE = "lifecycleStateChange"
VERSION = "version"
COLUMN_LINEAGE = "columnLineage"
STORAGE = "storage"
SYMLINKS = "symlinks"
DATASET_TYPE = "datasetType"
CATALOG = "catalog"
HIERARCHY = "hierarchy"

WANT = "headwater_want"
"""Of a dataset in ``headwater:wants``, whose name is the want's id: ``partitions``, ``comment``."""

# Input and output facets
INPUT_STATISTICS = "inputStatistics"
OUTPUT_STATISTICS = "outputStatistics"
DATA_QUALITY_METRICS = "dataQualityMetrics"
DATA_QUALITY_ASSERTIONS = "dataQualityAssertions"
SUBSET = "subset"
COMMIT = "headwater_commit"
"""An output facet: this output is published at this event's time, whatever becomes of the run."""

# Keys of every facet
PRODUCER_KEY = "_producer"
SCHEMA_URL_KEY = "_schemaURL"
DELETED_KEY = "_deleted"
"""``true`` takes the facet away (job and dataset facets)."""
