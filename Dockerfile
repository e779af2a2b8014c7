ARG PYTHON_IMAGE=python:3.13-slim-trixie@sha256:9d2e5553305c7c7b0097999bb17187c69b921ccd6bc9d40e4bb5ebe652c00285
# The service with Redis and traces; for the nodes of a cluster: requirements-cluster.lock
ARG LOCK=requirements-image.lock

# The guide, which the service shows at /guide. Only its files go on into the image.
FROM ${PYTHON_IMAGE} AS guide
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
COPY requirements-docs.lock /src/
RUN python -m venv --without-pip /opt/guide \
    && pip --python /opt/guide install --no-deps --require-hashes -r /src/requirements-docs.lock
WORKDIR /src
COPY mkdocs.yml CHANGELOG.md CONTRIBUTING.md SECURITY.md THIRD_PARTY_NOTICES.md ./
COPY clients/README.md clients/README.md
COPY docs docs
COPY minecheck minecheck
COPY minefield minefield
COPY automata automata
COPY solvers solvers
COPY app app
RUN /opt/guide/bin/mkdocs build --strict

FROM ${PYTHON_IMAGE} AS build
ARG LOCK
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends binutils \
    && rm -rf /var/lib/apt/lists/* \
    && python -m venv --without-pip /opt/minecheck
# The lock comes first: a change of the source alone leaves this, the slow layer, in the cache.
# Of what is installed, symbols of libraries, tests and solvers that nothing loads are left out.
COPY ${LOCK} /src/requirements.lock
RUN pip --python /opt/minecheck install --no-compile --no-deps --require-hashes -r /src/requirements.lock \
    && find /opt/minecheck -type d \( -name tests -o -path '*/ortools/constraint_solver' \
        -o -path '*/ortools/linear_solver' -o -path '*/ortools/math_opt' \) -prune -exec rm -r {} + \
    && find /opt/minecheck -type f \( -name '*.so' -o -name '*.so.*' \) \
        -exec strip --strip-unneeded {} +
WORKDIR /src
COPY pyproject.toml LICENSE README.md ./
COPY minecheck minecheck
COPY minefield minefield
COPY automata automata
COPY solvers solvers
COPY app app
COPY --from=guide /src/app/guide app/guide
# A file of the page lies there.
COPY clients/browser clients/browser
# Numba compares times of files to the fraction of a second, which an image that travels loses.
RUN pip --python /opt/minecheck install --no-compile --no-deps --no-build-isolation . \
    && pip --python /opt/minecheck uninstall --yes setuptools \
    && find /opt/minecheck -type f -exec touch --date="@$(date +%s)" {} +

FROM ${PYTHON_IMAGE}
# The keys of the OCI image specification. A build that knows its commit and time adds these:
# --label org.opencontainers.image.revision=... --label org.opencontainers.image.created=...
LABEL org.opencontainers.image.title="minecheck" \
    org.opencontainers.image.description="Is this Minesweeper board consistent? Verdicts, exact counts, layouts, forced cells and reasons, over HTTP." \
    org.opencontainers.image.version="0.7.0" \
    org.opencontainers.image.licenses="MIT" \
    org.opencontainers.image.authors="The minecheck authors"
# Kernels are compiled for the whole processor family (`generic`): an image travels, and Numba
# would throw away code compiled for the build machine's own processor.
ENV PATH=/opt/minecheck/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    NUMBA_CPU_NAME=generic \
    NUMBA_CACHE_DIR=/tmp/numba
RUN useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin minecheck
COPY --from=build /opt/minecheck /opt/minecheck
COPY docker/entrypoint.sh /usr/local/bin/minecheck-entrypoint
COPY LICENSE THIRD_PARTY_NOTICES.md /usr/share/doc/minecheck/
WORKDIR /srv
# What is imported here, which is what the service imports, is kept as bytecode, and nothing else:
# but Ray, where there is Ray, starts many programs, and gives up on one that starts slowly.
RUN export NUMBA_CACHE_DIR=/opt/minecheck/numba \
    && minecheck warm \
    && python -c "import minecheck.app.cli.serve, minecheck.app.cli.server, minecheck.app.main, minecheck.app.execution.preload, minecheck.app.mcp.server, minecheck.app.mcp.ladder_answers, mcp.server.streamable_http_manager" \
    && if [ -x /opt/minecheck/bin/ray ]; then python -m compileall -qq /opt/minecheck/lib; fi
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as http; http.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
ENTRYPOINT ["minecheck-entrypoint"]
CMD ["minecheck", "serve", "--host", "0.0.0.0", "--port", "8000"]
