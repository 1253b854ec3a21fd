"""Lower bytes that are chosen by the code they reach: `python -m fuzzing.guided --language java --seconds 60`.

Needs atheris, whose wheels exist for Linux on x86-64: `make fuzz` installs it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

TIMEOUT_S = 60
"""By the clock. Lowering gives up by itself after 5 s of processor time, of which a busy machine gives little."""
MEMORY_MB = 3_000
MAX_BYTES = 8_192


def target(language: str) -> tuple[Callable[[str, bytes], object], list[bytes]]:
    """What is called with every input, and the first inputs.

    Only what is imported in here is seen by the fuzzer. Lowering imports a language when the first file needs it, so
    that every input is lowered once.
    """
    from fuzzing.lowering import check  # noqa: PLC0415
    from fuzzing.trial import corpus  # noqa: PLC0415

    inputs = corpus(language)
    for data in inputs:
        check(language, data)
    return check, inputs


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzzing.guided", description=__doc__)
    parser.add_argument("--language", required=True)
    parser.add_argument("--seconds", type=int, default=60, help="how long (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time; it is printed")
    parser.add_argument("--keep", type=Path, default=Path(".work/fuzz"), help="where inputs with a fault are written")
    arguments = parser.parse_args()
    try:
        import atheris  # noqa: PLC0415
    except ImportError:
        print("fuzzing.guided: atheris is not installed: pip install --group fuzz", file=sys.stderr)
        return 2
    with atheris.instrument_imports(
        include=["resplint.languages", "resplint.files.source", "resplint.contracts.comments"]
    ):
        check, inputs = target(arguments.language)

    arguments.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="resplint-guided-") as folder:
        for number, data in enumerate(inputs):
            Path(folder, str(number)).write_bytes(data)
        options = [
            f"-max_total_time={arguments.seconds}", f"-timeout={TIMEOUT_S}", f"-rss_limit_mb={MEMORY_MB}",
            f"-max_len={MAX_BYTES}", f"-artifact_prefix={arguments.keep}/{arguments.language}-", "-print_final_stats=1",
        ]  # fmt: skip
        if arguments.seed:
            options.append(f"-seed={arguments.seed}")

        def one_input(data: bytes) -> None:
            check(arguments.language, data)

        atheris.Setup([sys.argv[0], *options, folder], one_input)
        atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
