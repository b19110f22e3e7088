"""The folder of a site: written aside, put in place whole, and never in the place of others'."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from deployer.errors import UsageError
from deployer.folders import write_folder
from deployer.trouble import file_trouble

LIST = "files.json"  # names the files of the site
_MAX_SHOWN = 5


def check_site(folder: Path) -> None:
    """Raise UsageError unless ``folder`` is free, empty, or holds a site and nothing else."""
    with file_trouble("write the report to", folder):
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise UsageError(f"{folder} is not a folder", hints=["-o with a name that is free"])
        strangers = _strangers(folder) if folder.exists() else []
    if strangers:
        more = ["…"] if len(strangers) > _MAX_SHOWN else []
        raise UsageError(
            f"{folder} holds files that are not a report's",
            why=[*strangers[:_MAX_SHOWN], *more],
            hints=["-o with a folder that is new or empty: a new report takes its whole place"],
        )


def _strangers(folder: Path) -> list[str]:
    own = {LIST, *_listed(folder / LIST)}
    return sorted(path.name for path in folder.iterdir() if path.name not in own)


def _listed(path: Path) -> list[str]:
    """The names in the list of an earlier site, [] when there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def write_site(folder: Path, files: Mapping[str, str]) -> None:
    """In the place of an earlier site; what ``check_site`` refuses is refused again."""
    check_site(folder)
    own = folder.absolute()

    def fill(aside: Path) -> None:
        for name, text in files.items():
            (aside / name).write_text(text, encoding="utf-8")
        told = {"made_by": "deployer report", "files": sorted(files)}
        (aside / LIST).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")

    write_folder(own, fill)
