"""Words: they behave as the texts they are, wherever one ends up."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass

import pytest

from deployer.choices import Objective, Word
from deployer.cli.option_types import ChoiceParamType, ListType
from deployer.pipeline.options import Options, as_option


@dataclass(frozen=True)
class Held:
    goal: Objective


def test_a_word_is_its_text_in_every_form() -> None:
    held = Held(Objective.RAM)
    assert repr(held) == "Held(goal='ram')"
    assert f"{held.goal} {held.goal!r}" == "ram 'ram'"
    assert json.dumps(asdict(held)) == '{"goal": "ram"}'
    assert {"ram": 1}[held.goal] == 1


def test_words_need_nothing_heavy() -> None:
    code = "import sys, deployer.cli.options; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("given", ["balanced", Objective.BALANCED])
def test_an_option_s_word_becomes_its_member(given: str) -> None:
    kind = ChoiceParamType(Objective)
    assert kind.convert(given, None, None) is Objective.BALANCED
    assert ListType(kind).convert((given,), None, None) == (Objective.BALANCED,)


def test_every_option_that_takes_words_has_one_of_them_by_default() -> None:
    words = {name: value for name, value in vars(Options()).items() if isinstance(value, str)}
    assert {name for name, value in words.items() if not isinstance(value, Word)} == set()


def test_options_read_from_a_file_are_members() -> None:
    assert as_option("optimize", "ram") is Objective.RAM
    assert as_option("optimize", "speed") == "speed"
    assert as_option("hot_code", "itcm") == "itcm"
    assert as_option("seed", 7) == 7
