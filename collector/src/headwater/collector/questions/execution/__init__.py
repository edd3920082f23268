"""Questions as a build system asks them: wants, partitions and job runs (docs/execution.md)."""

from __future__ import annotations

from .job_runs import job_run_answer
from .partitions import instance_answer
from .wants import want_answer

__all__ = ["instance_answer", "job_run_answer", "want_answer"]
