ARG PYTHON_IMAGE=python:3.13-slim-trixie
# The service with Redis and traces; for the nodes of a cluster: requirements-cluster.lock
ARG LOCK=requirements-image.lock

FROM ${PYTHON_IMAGE} AS build
ARG LOCK
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/minecheck
# The lock comes first: a change of the source alone leaves this, the slow layer, in the cache.
COPY ${LOCK} /src/requirements.lock
RUN /opt/minecheck/bin/pip install --require-hashes -r /src/requirements.lock
WORKDIR /src
COPY pyproject.toml LICENSE ./
COPY minefield minefield
COPY automata automata
COPY solvers solvers
COPY app app
# A file of the page lies there.
COPY clients/browser clients/browser
RUN /opt/minecheck/bin/pip install --no-deps --no-build-isolation .

FROM ${PYTHON_IMAGE}
# Kernels are compiled for the whole processor family (`generic`): an image travels, and Numba
# would throw away code compiled for the build machine's own processor.
ENV PATH=/opt/minecheck/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    NUMBA_CPU_NAME=generic \
    NUMBA_CACHE_DIR=/tmp/numba
RUN useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin minecheck
COPY --from=build /opt/minecheck /opt/minecheck
COPY docker/entrypoint.sh /usr/local/bin/minecheck-entrypoint
WORKDIR /srv
RUN NUMBA_CACHE_DIR=/opt/minecheck/numba python -m app.execution.warm
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as http; http.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
ENTRYPOINT ["minecheck-entrypoint"]
CMD ["minecheck", "serve", "--host", "0.0.0.0", "--port", "8000"]
