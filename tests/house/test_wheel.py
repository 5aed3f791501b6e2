"""What is installed: the package with its data, and neither tests nor scripts that write seeds."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    folder = tmp_path_factory.mktemp("wheel")
    uv = Path(sys.prefix) / "bin" / "uv"
    command = [str(uv), "build", "--wheel", "--offline", "--quiet", "--out-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return set(zipfile.ZipFile(next(folder.glob("*.whl"))).namelist())


def test_a_wheel_has_every_module_and_its_data(files: set[str]):
    package = ROOT / "src" / "twindiff"
    wanted = {
        str(path.relative_to(ROOT / "src"))
        for path in package.rglob("*")
        if path.is_file() and not {"tests", "__pycache__"} & set(path.parts) and path.name != "make_workspace.py"
    }
    assert wanted <= files


def test_a_wheel_has_no_tests_and_no_seed_making_scripts(files: set[str]):
    assert [name for name in files if "/tests/" in name or "make_" in Path(name).name] == []
