"""The reader that runs the documentation's examples."""

from pathlib import Path

import pytest

from scripts.type_docs import runnable
from tests.docs.blocks import Reader


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def run_page(text: str) -> Path:
        reader = Reader(Path("page.md"), tmp_path, monkeypatch)
        for block in runnable(text):
            reader.run(block)
        return tmp_path

    return run_page


def test_a_block_uses_the_names_of_the_blocks_above_it(read):
    folder = read(
        "```python\nx = 1\n```\ntext\n```python\nfrom pathlib import Path\nPath('x').write_text(str(x + 1))\n```\n"
    )
    assert (folder / "x").read_text() == "2"


def test_python_sees_a_variable_that_bash_has_set(read):
    read("```bash\nWORD='a\nb'\n```\n```python\nimport os\nassert os.environ['WORD'] == 'a\\nb'\n```\n")


def test_a_class_of_a_page_finds_its_own_type_hints(read):
    declared = "import typing\nclass Tree:\n    child: 'Tree'\n"
    read(f"```python\n{declared}assert typing.get_type_hints(Tree) == {{'child': Tree}}\n```\n")


def test_a_block_in_a_list_loses_its_indentation():
    assert runnable("1. so:\n\n   ```python\n   if x:\n       y()\n   ```\n")[0].code == "if x:\n    y()\n"


def test_a_block_with_a_reason_is_not_run():
    assert runnable("<!-- not run: starts a server -->\n\n```bash\nmake serve\n```\n") == []


def test_a_block_without_a_reason_is_run():
    assert len(runnable("<!-- not run: -->\n```bash\ntrue\n```\n")) == 1


def test_a_block_in_another_language_is_not_run():
    assert runnable("```json\n{}\n```\n```\n$ x\n```\n```python-repl\n```") == []


def test_a_failing_command_names_the_page_and_the_line(read):
    with pytest.raises(pytest.fail.Exception, match=r"page\.md:3: exit code 1"):
        read("text\n```bash\nfalse\ntrue\n```\n")


def test_a_failing_python_line_has_the_line_of_the_page(read):
    with pytest.raises(ZeroDivisionError) as caught:
        read("text\n```python\nx = 1\nx / 0\n```\n")
    assert caught.traceback[-1].lineno == 3


def test_console_output_may_leave_parts_out(read):
    read("```console\n$ echo one two three\none ... three\n$ true\n```\n")


def test_console_output_that_differs_fails(read):
    with pytest.raises(pytest.fail.Exception, match="expected:\ntwo"):
        read("```console\n$ echo one\ntwo\n```\n")
