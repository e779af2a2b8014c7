"""The installed package: one, which loads only what is used, beside packages of any names."""

import doctest
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType
from zipfile import ZipFile

import pytest

import minecheck
from tests.processes import ROOT

#: Packages that users have, or that other distributions install, by these names.
OTHERS = ("app", "automata", "solvers", "minefield")


def run(*command: str, cwd: Path = ROOT, **environment: str) -> str:
    """Return what a program prints."""
    return subprocess.run(
        [sys.executable, *command],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "HOME": str(cwd), **environment},
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout


def test_package_has_each_public_name_with_a_docstring() -> None:
    for name in minecheck.__all__:
        assert getattr(minecheck, name) is not None
        assert name == "__version__" or getattr(minecheck, name).__doc__
        assert not isinstance(getattr(minecheck, name), ModuleType)
    assert dir(minecheck) == minecheck.__all__


def test_package_docstring_examples_run() -> None:
    results = doctest.testmod(minecheck)
    assert (results.failed, results.attempted) == (0, 3)


def test_package_rejects_a_name_that_is_not_public() -> None:
    with pytest.raises(AttributeError, match="module 'minecheck' has no attribute 'solve'"):
        _ = minecheck.solve


def test_importing_the_package_loads_no_solver() -> None:
    code = "import minecheck, sys; print(sorted({'numpy', 'numba', 'pydantic'} & {*sys.modules}))"
    assert run("-c", code) == "[]\n"


def copy_sources(target: Path) -> Path:
    """Copy what git knows of, links as links: a build leaves folders beside its sources."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in listed.rstrip("\0").split("\0"):
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy, follow_symlinks=False)
    return target


def build_wheel(sources: Path, target: Path) -> Path:
    """Return the wheel that pip builds, with no network."""
    pip = ("-m", "pip", "--quiet", "--disable-pip-version-check")
    options = ("--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(target))
    run(*pip, "wheel", *options, str(sources), cwd=sources)
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.mark.slow
def test_wheels_from_source_archive_and_checkout_have_equal_files(
    tmp_path: Path,
) -> None:
    sources = copy_sources(tmp_path / "sources")
    direct = build_wheel(sources, tmp_path / "direct")
    code = "from setuptools import build_meta; build_meta.build_sdist('..')"
    run("-c", code, cwd=copy_sources(tmp_path / "others"))
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    indirect = build_wheel(unpacked, tmp_path / "indirect")
    with ZipFile(direct) as one, ZipFile(indirect) as other:
        assert "minecheck/app/cli/main.py" in one.namelist()
        assert set(one.namelist()) == set(other.namelist())


@pytest.mark.slow
def test_wheel_build_rejects_a_checkout_without_links_and_says_what_to_do(tmp_path: Path) -> None:
    sources = copy_sources(tmp_path / "sources")
    for name in OTHERS:
        link = sources / "minecheck" / name
        link.unlink()
        link.write_text(f"../{name}")
    with pytest.raises(subprocess.CalledProcessError) as failed:
        build_wheel(sources, tmp_path / "wheels")
    errors = failed.value.stderr
    assert "'minecheck/minefield' is no folder" in errors
    assert "git config core.symlinks true" in errors


@pytest.mark.slow
def test_editable_installation_finds_all_parts(tmp_path: Path) -> None:
    sources, target = copy_sources(tmp_path / "sources"), tmp_path / "target"
    pip = ("-m", "pip", "--quiet", "--disable-pip-version-check", "install")
    options = ("--no-deps", "--no-index", "--no-build-isolation", "--target", str(target))
    run(*pip, *options, "--editable", str(sources), cwd=tmp_path)
    code = f"import site; site.addsitedir({str(target)!r})\n"
    code += "import minecheck.app.cli as cli; print(cli.__file__)"
    # Not in the environment of the tests, which has a checkout of its own.
    found = run("-S", "-c", code, cwd=tmp_path)
    assert Path(found.strip()).resolve() == sources / "app" / "cli" / "__init__.py"


@pytest.mark.slow
def test_wheel_runs_beside_packages_named_like_its_parts(tmp_path: Path) -> None:
    target = tmp_path / "target"
    wheel = build_wheel(copy_sources(tmp_path / "sources"), tmp_path)
    with ZipFile(wheel) as archive:
        archive.extractall(target)
    tops = {path.name for path in target.iterdir() if not path.name.endswith(".dist-info")}
    assert tops == {"minecheck"}
    for file in ("py.typed", "app/page/index.html", "solvers/play/weights.toml"):
        assert (target / "minecheck" / file).is_file()
    work = tmp_path / "work"
    for other in OTHERS:
        (work / other).mkdir(parents=True)
        (work / other / "__init__.py").write_text("raise ImportError('of the user')\n")
    cache = str(tmp_path / "cache")
    output = run(
        "-c",
        "from minecheck import __file__, check; print(__file__, check('?1?').consistent)",
        cwd=work,
        PYTHONPATH=str(target),
        NUMBA_CACHE_DIR=cache,
    )
    assert output == f"{target / 'minecheck' / '__init__.py'} True\n"
    output = run("-m", "minecheck", "--version", cwd=work, PYTHONPATH=str(target))
    assert output == f"minecheck {minecheck.__version__}\n"
