# resplint alone, on linux/amd64 and linux/arm64: docker run --rm -v "$PWD:/code:ro" ghcr.io/resplint/resplint
#
# All that is installed has wheels for both, so that nothing is compiled. There is no git: `--diff-base` needs it, and
# git refuses a repository of another user's, which a mounted one is here.

FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY rules rules
COPY fixtures fixtures
COPY src src
RUN python -m venv /opt/resplint \
    && /opt/resplint/bin/pip install --no-cache-dir --disable-pip-version-check --only-binary :all: . \
    && /opt/resplint/bin/pip uninstall --yes --quiet pip

FROM python:3.13-slim
LABEL org.opencontainers.image.source="https://github.com/resplint/resplint" \
    org.opencontainers.image.description="Static analysis of Redis and Valkey usage" \
    org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/resplint /opt/resplint
ENV PATH="/opt/resplint/bin:$PATH" \
    PYTHONDONTWRITEBYTECODE=1 \
    RESPLINT_CACHE_DIR=/tmp/resplint
USER 65532:65532
WORKDIR /code
ENTRYPOINT ["resplint"]
CMD ["scan"]
