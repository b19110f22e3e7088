"""Stage order, artifact store, resume: from an ONNX file to a run record."""

from deployer.pipeline.artifacts import FORMATS, as_json, file_text
from deployer.pipeline.assemble import assemble
from deployer.pipeline.edited import edited
from deployer.pipeline.explained import reason
from deployer.pipeline.golden import join
from deployer.pipeline.job import Job, Notice, job_folder, make_job, require_int8
from deployer.pipeline.library import Entry, export_library, require_library
from deployer.pipeline.library_folder import check_folder
from deployer.pipeline.options import Options
from deployer.pipeline.outline import outline
from deployer.pipeline.prove import require_match, run_job
from deployer.pipeline.ready import require_probe, require_programs, stages_between
from deployer.pipeline.settings import recorded_options
from deployer.pipeline.stages import alone, execute, open_store
from deployer.pipeline.store import STAGES, Store
from deployer.pipeline.survey import Survey, refusal_facts, survey
from deployer.pipeline.tuned import NAME, TEACHER, save_tuned

__all__ = [
    "FORMATS",
    "NAME",
    "STAGES",
    "TEACHER",
    "Entry",
    "Job",
    "Notice",
    "Options",
    "Store",
    "Survey",
    "alone",
    "as_json",
    "assemble",
    "check_folder",
    "edited",
    "execute",
    "export_library",
    "file_text",
    "job_folder",
    "join",
    "make_job",
    "open_store",
    "outline",
    "reason",
    "recorded_options",
    "refusal_facts",
    "require_int8",
    "require_library",
    "require_match",
    "require_probe",
    "require_programs",
    "run_job",
    "save_tuned",
    "stages_between",
    "survey",
]
