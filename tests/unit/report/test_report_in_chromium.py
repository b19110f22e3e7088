"""The site in headless Chromium, opened from files, on a desk and on a phone."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from deployer.report import build_site
from deployer.report.pages import PAGES
from deployer_hil.record import RunRecord
from fakes.many_results import named, nights, write

DESK, PHONE = (1280, 900), (390, 844)
NASTY = "</script><script>document.title='owned'</script>\"'><img src=x onerror=alert(1)>"
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


@pytest.fixture(scope="module")
def chromium(need: Callable[[str, bool], None], tool: Callable[[str], str]) -> Iterator[Any]:
    for name in ("playwright", "vl_convert"):
        need(name, importlib.util.find_spec(name) is not None)
    program = tool("chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


def strange() -> Iterator[RunRecord]:
    """Two nights, then two runs of a model whose names are markup."""
    yield from nights(64)
    for count in (100, 150):
        yield named(
            (NASTY, "__proto__", "constructor"),
            (count, 7, 9),
            model=NASTY,
            board=NASTY,
            made={"commit": f"{count:040x}", "compiler": NASTY},
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, chromium: Any) -> Path:
    folder = tmp_path_factory.mktemp("report")
    build_site(write(folder / "results.sqlite", strange()), folder / "site")
    return folder / "site"


class Opened:
    """A page with all that went wrong in it."""

    def __init__(self, browser: Any, size: tuple[int, int]):
        self.trouble: list[str] = []
        self.page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        self.page.on("console", lambda message: self.trouble.append(message.text))
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("request", self._asked)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:")):
            self.trouble.append(request.url)

    def go(self, site: Path, address: str) -> Any:
        self.page.goto("about:blank")
        self.page.goto(f"file://{site}/{address}")
        self.page.wait_for_selector("body[data-shown]")
        return self.page


@pytest.fixture
def desk(chromium: Any) -> Iterator[Opened]:
    opened = Opened(chromium, DESK)
    yield opened
    opened.page.close()


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_pages_open_from_a_file_whole_and_without_trouble(
    chromium: Any, site: Path, name: str, size: tuple[int, int]
) -> None:
    opened = Opened(chromium, size)
    page = opened.go(site, f"{name}.html")
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert len(Image.open(io.BytesIO(page.screenshot())).convert("L").getcolors(256) or []) > 20
    if name != "index":
        assert page.locator(".plot svg").count() >= 1
    assert opened.trouble == []
    page.close()


def markup(page: Any) -> list[object]:
    """What names would have done, had they become markup."""
    return [page.title() == "owned", page.locator("img, main script").count()]


def test_names_are_text_on_every_page(desk: Opened, site: Path) -> None:
    for address in ("index.html#text=onerror", "layers.html#run=66", "compare.html#a=65&b=66"):
        page = desk.go(site, address)
        assert NASTY in page.locator("main").text_content()
        assert markup(page) == [False, 0]
    for name in ("trends", "memory", "pareto"):
        page = desk.go(site, f"{name}.html")
        page.get_by_label("Model", exact=False).first.select_option(
            NASTY if name != "pareto" else ""
        )
        page.wait_for_timeout(200)
        assert markup(page) == [False, 0]
    assert desk.trouble == []


def rows(page: Any) -> int:
    return int(page.locator("#runs tbody tr").count())


def test_filters_work_by_keyboard_and_keep_the_focus(desk: Opened, site: Path) -> None:
    page = desk.go(site, "index.html")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "board":
            break
    page.keyboard.type("gap8")
    page.wait_for_function("document.querySelector('#found').textContent.startsWith('16 of 66')")
    assert rows(page) == 16
    assert page.evaluate("document.activeElement.name") == "board"
    assert "board=gap8" in page.url
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(outline) == "solid"


def test_filters_join(desk: Opened, site: Path) -> None:
    page = desk.go(site, "index.html#board=nucleo-f767zi&kind=counted&model=kws")
    assert rows(page) == 4
    page.get_by_label("Exact").select_option("no")
    page.wait_for_function("document.querySelectorAll('#runs tbody tr').length === 0")
    assert page.locator("#found").text_content() == "0 of 66 runs"


def test_columns_sort_by_a_button(desk: Opened, site: Path) -> None:
    page = desk.go(site, "index.html")
    button = page.get_by_role("button", name="Flash, B")
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("th[aria-sort=descending] >> text=Flash")
    cells = page.locator("#runs tbody td[data-label='Flash, B']").all_text_contents()
    numbers = [int(cell.replace(",", "")) for cell in cells]
    assert numbers == sorted(numbers, reverse=True)


def test_energy_and_throughput_say_what_they_are_worth(desk: Opened, site: Path) -> None:
    """Measured on one board, by assumed power on another, neither of an emulator."""
    page = desk.go(site, "index.html#model=kws")
    told = {}
    for row in page.locator("#runs tbody tr").all():
        board, runner, energy = (
            row.locator(f"td[data-label='{name}']").text_content()
            for name in ("Board", "Runner", "µJ")
        )
        told[board, runner] = energy.partition(" ")[2]
    assert told == {
        ("nucleo-f767zi", "pyocd"): "(measured)",
        ("nucleo-f767zi", "qemu_system"): "",
        ("gap8", "gap8_sim"): "",
        ("rpi3", "ssh"): "(assumed)",
    }
    titles = {}
    for board in ("nucleo-f767zi", "gap8", "rpi3"):
        page = desk.go(site, f"trends.html#model=kws&board={board}")
        page.wait_for_selector(".plot svg")
        page.wait_for_timeout(300)
        titles[board] = page.locator("h3").all_text_contents()
    assert "throughput, frames/s (simulated)" in titles["gap8"]
    assert "throughput, frames/s (measured)" in titles["rpi3"]
    assert {"energy, measured, µJ", "frames a joule, measured"} <= set(titles["nucleo-f767zi"])
    assert {"energy by assumed power, µJ", "frames a joule by assumed power"} <= set(titles["rpi3"])
    assert not [title for title in titles["gap8"] if "joule" in title or "energy" in title]
    assert desk.trouble == []


@pytest.mark.parametrize(
    ("cycles", "told"),
    [(1_369, "1.369"), (2_692_000, "2,692"), (1, "0.001"), (73_004_000, "73,004")],
)
def test_an_axis_of_one_value_does_not_round_it(
    cycles: int, told: str, chromium: Any, tmp_path: Path
) -> None:
    """Milliseconds at a million cycles a second."""
    record = named(("a",), (cycles,), kind="simulated", counter="cycles")
    build_site(write(tmp_path / "results.sqlite", [record]), tmp_path / "site")
    opened = Opened(chromium, DESK)
    page = opened.go(tmp_path / "site", "trends.html")
    page.wait_for_selector("h3 >> text=latency")
    page.wait_for_timeout(300)
    text = page.locator(".plot svg").nth(1).locator("text").all_text_contents()
    assert told in text, text
    assert opened.trouble == []
    page.close()


def test_a_site_without_energy_has_no_column_of_it(chromium: Any, tmp_path: Path) -> None:
    build_site(write(tmp_path / "results.sqlite", [named("ab", (1, 2))]), tmp_path / "site")
    opened = Opened(chromium, DESK)
    heads = opened.go(tmp_path / "site", "index.html").locator("th").all_text_contents()
    assert not {"µJ", "Frames/s", "Accuracy, %"} & set(heads)
    assert "Flash, B" in heads
    opened.page.close()


def test_two_runs_are_compared_layer_by_layer(desk: Opened, site: Path) -> None:
    page = desk.go(site, "compare.html#a=65&b=66")
    lines = page.locator("details tbody tr").all_text_contents()
    assert lines[0].endswith("100150+50+50.0 %")
    assert lines[1:] == ["1 __proto__77" + "0none", "2 constructor99" + "0none"]


def test_counts_of_unlike_runs_are_not_compared(desk: Opened, site: Path) -> None:
    page = desk.go(site, "compare.html#a=1&b=3")
    assert "counts are not compared" in page.locator("#found").text_content().lower()
    assert page.locator(".plot").count() == 0
    assert desk.trouble == []


def test_print_leaves_the_controls_out(desk: Opened, site: Path) -> None:
    page = desk.go(site, "trends.html")
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert not page.locator("#choices").is_visible()
    assert page.locator(".plot svg").first.is_visible()


def test_layers_that_differ_say_so_in_words(chromium: Any, tmp_path: Path) -> None:
    right = named(("a", "b"), (4, 6))
    wrong = replace(right.layers[1], match=False)
    golden = replace(right.golden, match=False)
    record = replace(right, layers=(right.layers[0], wrong), golden=golden)
    build_site(write(tmp_path / "results.sqlite", [record]), tmp_path / "site")
    opened = Opened(chromium, DESK)
    page = opened.go(tmp_path / "site", "layers.html")
    assert "✗ differs" in page.locator(".plot svg").first.text_content()
    assert "differs in 1 layers" in page.locator("#found").text_content()
    page.close()


def test_an_empty_site_says_that_there_are_no_runs(chromium: Any, tmp_path: Path) -> None:
    build_site(write(tmp_path / "results.sqlite", []), tmp_path / "site")
    opened = Opened(chromium, PHONE)
    for each in PAGES:
        opened.go(tmp_path / "site", each.file)
    assert opened.trouble == []
    opened.page.close()


def test_ten_thousand_runs_open_in_a_second(chromium: Any, tmp_path: Path) -> None:
    """The best of three: other processes of the machine are no part of the page."""
    build_site(write(tmp_path / "results.sqlite", nights(10_000)), tmp_path / "site")
    opened = Opened(chromium, DESK)
    spent = []
    for _ in range(3):
        page = opened.go(tmp_path / "site", "index.html")
        spent.append(page.evaluate("performance.getEntriesByName('shown')[0].startTime"))
        assert rows(page) == 50
    assert min(spent) < 1000
    opened.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    for each in PAGES:
        page = opened.go(tmp_path / "site", each.file)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    assert opened.trouble == []
    opened.page.close()
