from .artifacts import (
    ALLOCATE,
    BUILD,
    FORMATS,
    GENERATE,
    IMPORT,
    QUANTIZE,
    RESTRUCTURE,
    RUN,
    SCHEDULE,
    TILE,
    Ran,
    as_json,
    file_text,
)
from .build_stage import assemble
from .complete_record import commit_of, commits_between
from .edited_artifacts import edited
from .explained import reason
from .facts import (
    AccuracyFacts,
    CounterFacts,
    FlashFacts,
    FloatFacts,
    FrontRow,
    GoldenFacts,
    ImageFacts,
    KernelCodeFacts,
    RanRow,
    Report,
    SurveyFacts,
    SurveyRow,
    TileFacts,
)
from .golden import join, laid
from .integer_network import outline
from .job import Job, Notice, job_folder, make_job, require_int8
from .library import Entry, export_library, require_library
from .library_folder import check_folder
from .network_survey import Survey, refusal_facts, survey
from .options import Options
from .prove import complete, require_match, run_and_record, run_job
from .ready import require_probe, require_programs, stages_between
from .settings import recorded_options
from .stages import alone, execute, open_store
from .store import STAGES, Store
from .tuned import NAME, TEACHER, save_tuned

__all__ = [
    "ALLOCATE",
    "BUILD",
    "FORMATS",
    "GENERATE",
    "IMPORT",
    "NAME",
    "QUANTIZE",
    "RESTRUCTURE",
    "RUN",
    "SCHEDULE",
    "STAGES",
    "TEACHER",
    "TILE",
    "AccuracyFacts",
    "CounterFacts",
    "Entry",
    "FlashFacts",
    "FloatFacts",
    "FrontRow",
    "GoldenFacts",
    "ImageFacts",
    "Job",
    "KernelCodeFacts",
    "Notice",
    "Options",
    "Ran",
    "RanRow",
    "Report",
    "Store",
    "Survey",
    "SurveyFacts",
    "SurveyRow",
    "TileFacts",
    "alone",
    "as_json",
    "assemble",
    "check_folder",
    "commit_of",
    "commits_between",
    "complete",
    "edited",
    "execute",
    "export_library",
    "file_text",
    "job_folder",
    "join",
    "laid",
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
    "run_and_record",
    "run_job",
    "save_tuned",
    "stages_between",
    "survey",
]
